#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# monitor-again.sh -- monitor() while a profile runs, after it was stopped, twice to stop, by ten threads at once.
# serial
. "$SRC/tests/collect/lib-hand.sh"
profiled prog "$HERE/monitor.c" functions.c

for cells in 600 1; do
	by_hand prog again $cells && {
		decode prog mon.out
		same "$now: cells" "$(field cells 2)" $((600 + cells))
		same "$now: counts go on" "$(calls f)" 111
		same "$now: the histogram begins anew" "$(ticks cold)" 0
		true_that "$(ticks hot) >= 5" || fail "$now: $(ticks hot) ticks in hot"
		same "$now: memory beside the first buffer" "$(said first_guarded)" 1
	}
done
by_hand prog twice 7 && {
	same "$now: the second monitor(0) wrote a file" "$(said second_stop_wrote)" 0
	decode prog first.out && same "$now: calls in the first" "$(calls f) $(calls hot)" "5 0"
	decode prog mon.out && same "$now: calls in the second" "$(calls f) $(calls cold)" "7 0"
	same "$now: old ticks" "$(ticks cold)" 0
}
by_hand prog twice 0 && same "$now: files at the end" "$(profiles .)" ""
by_hand prog after 20 && {
	same "$now: stored after monitor(0)" "$(said late)" 0
	[ "$(said seen)" -ge 5 ] || fail "$now: only $(said seen) ticks before it"
}
by_hand prog ten 30 && {
	same "$now: files" "$(profiles .)" mon.out
	decode prog mon.out
}
finish
