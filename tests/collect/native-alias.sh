#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-alias.sh -- a program with a rhythm of 1 ms, sampled 1000 times a second: a third of the samples is a third.
# serial
. "$SRC/tests/collect/lib-native.sh"
profiled clock "$HERE/native-clock.c"

# With a period of exactly 1 ms the share found is 16 to 42 % of the samples for 30 %.  Of 5000 independent samples it
# would be within 2.2 % of them 999 times in 1000; those of one drain are not independent.
shared() {
	rm -f mon.out*
	MONCLOCK=perf MONHZ=1000 run ./clock share 5
	same "status, errors" "$rc $(cat err)" "3 "
	native mon.out || return
	clocked perf || skip "perf is refused"
	both=$(($(ticks first) + $(ticks second)))
	true_that "$both >= 3000" || {
		echo "only $both ticks"
		return 1
	}
	true_that "($(ticks first) / $both - $(said first) / ($(said first) + $(said second))) ^ 2 <= 0.04 ^ 2" || {
		echo "$(ticks first) of $both ticks in first, which ran $(said first) s; second: $(said second) s"
		return 1
	}
}
twice shared
finish
