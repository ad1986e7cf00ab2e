#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-clock.sh -- ticks are the CPU time: every clock and rate, 1, 2, 4 threads without counted code; waits go on.
# serial
# timeout: 240
. "$SRC/tests/collect/lib-native.sh"
profiled clock "$HERE/native-clock.c"
profiled quiet "$HERE/quiet.c"

# seconds: the CPU time that the last run was to be charged.
seconds() {
	awk -v u="$(said user)" -v s="$(said system)" -v only="$(user_only && echo 1)" 'BEGIN { print only ? u : u + s }'
}
# right THREADS: ticks fit the CPU time, and every thread has its share of them.
right() {
	rm -f mon.out*
	MONCLOCK=$clock MONHZ=$hz run ./clock busy "$1" 0.8
	same "$clock, $hz Hz, $1 threads: status, errors, files" "$rc $(cat err) $(profiles .)" "3  mon.out"
	native mon.out && clocked $clock || return
	same "$clock, $hz Hz, $1 threads: rate" "$(field clock 3)" "$hz"
	in_time "$(all_ticks)" "$hz" "$(seconds)" 0.03 3 || {
		echo "$clock, $hz Hz, $1 threads: $(all_ticks) ticks in $(seconds) s"
		return 1
	}
	[ $clock = itimer ] && return # it cannot tell whose turn it is
	least=$(awk '$1 == "thread" && $4 > 0 && (!n++ || $5 < k) { k = $5 } END { print k + 0 }' decoded)
	true_that "$least >= 0.8 * $hz * 0.8 / $1 - 3" || {
		echo "$clock, $hz Hz, $1 threads: one has only $least ticks"
		return 1
	}
}
for clock in perf perf-signal timer itimer; do
	rm -f mon.out*
	MONCLOCK=$clock run ./clock busy 1 0
	native mon.out && clocked $clock || {
		echo "$clock is refused here"
		continue
	}
	for hz in 100 250 1000; do
		for n in 1 2 4; do
			twice right $n
		done
	done
	MONCLOCK=$clock run ./quiet
	same "$clock: waits that were disturbed" "$rc $(cat out err)" "0 "
done
finish
