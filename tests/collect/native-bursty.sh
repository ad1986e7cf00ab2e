#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-bursty.sh -- what runs only between two scheduler ticks is seen with perf, early and late; a timer says it cannot.
# serial
. "$SRC/tests/collect/lib-native.sh"
profiled clock "$HERE/native-clock.c"

# At least half of what is due to each half of the run.
seen() {
	rm -f mon.out*
	MONCLOCK=perf run ./clock gaps 2
	same "status, errors" "$rc $(cat err)" "3 "
	native mon.out || return
	clocked perf || skip "perf is refused"
	hz=$(field clock 3)
	for half in first second; do
		true_that "$(ticks $half) >= 0.5 * $hz * $(said $half)" || {
			echo "$(ticks $half) ticks in $half, which ran $(said $half) s"
			return 1
		}
		true_that "$(ticks $half) <= 1.25 * $hz * $(said $half) + 3" || {
			echo "$(ticks $half) ticks in $half, which ran only $(said $half) s"
			return 1
		}
	done
}
twice seen
for clock in timer itimer; do
	rm -f mon.out*
	MONCLOCK=$clock run ./clock gaps 0.1
	native mon.out && clocked $clock || continue
	same "$clock: the file says that it is bound to the tick" $(($(field clock 4) & 2)) 2
done
finish
