#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# moncontrol.sh -- moncontrol() suspends calls and ticks; monstartup() by hand; monitor(0) in an automatic profile.
# serial
. "$SRC/tests/collect/lib-hand.sh"
profiled prog "$HERE/monitor.c" functions.c

by_hand prog suspend && {
	decode prog mon.out
	same "$now: calls" "$(calls f) $(calls g0) $(calls g1) $(calls cold) $(calls hot)" "11 0 1 0 2"
	same "$now: ticks while suspended" "$(ticks cold)" 0
	true_that "$(ticks hot) >= 5" || fail "$now: $(ticks hot) ticks in hot"
}
by_hand prog automatic && {
	decode prog mon.out
	same "$now: calls" "$(calls f)" 11
	[ "$(ticks hot)" -gt 0 ] || fail "$now: no tick"
	same "$now: files" "$(profiles .)" mon.out
}
for times in 1 2; do
	by_hand prog startup $times && {
		decode prog mon.out
		same "$now: calls" "$(calls f) $(calls cold)" "11 0"
		same "$now: ticks" "$(ticks cold)" 0
		true_that "$(ticks hot) >= 3" || fail "$now: $(ticks hot) ticks in hot"
		same "$now: bins" "$(field bins 2)" $((($(field range 3) - $(field range 2) + 7) / 8))
	}
done
finish
