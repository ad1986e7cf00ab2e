#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-short.sh -- 2000 threads of 2 ms each, one after the other: shorter than a tick, and yet they get theirs.  Which
# part of such a thread ran at the tick is up to the scheduler; with perf each part gets its own.
# serial
# timeout: 120
. "$SRC/tests/collect/lib-native.sh"
profiled clock "$HERE/native-clock.c"

right() {
	rm -f mon.out*
	MONCLOCK=$clock run ./clock short 2000 2
	same "$clock: status, errors" "$rc $(cat err)" "3 "
	native mon.out && clocked $clock || return
	hz=$(field clock 3)
	user_only && cpu=$(said user) || cpu=$(awk '{ s += /^(user|system)/ ? $2 : 0 } END { print s }' out)
	in_time "$(all_ticks)" "$hz" "$cpu" 0.1 3 || {
		echo "$clock: $(all_ticks) ticks in $cpu s"
		return 1
	}
	for half in first second; do
		[ $clock = timer ] || in_time "$(ticks $half)" "$hz" "$(said $half)" 0.12 3 || {
			echo "$clock: $(ticks $half) ticks in $half, which ran $(said $half) s"
			return 1
		}
	done
}
for clock in perf timer; do
	rm -f mon.out*
	MONCLOCK=$clock run ./clock busy 1 0
	native mon.out && clocked $clock && twice right
done
finish
