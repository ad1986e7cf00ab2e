#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sigprof.sh -- programs with a use of their own for SIGPROF; and none dies of it, however often profiles begin and end.
# serial
. "$SRC/tests/collect/lib.sh"
profiled prog "$HERE/sigprof.c"

mode() {
	rm -f mon.out
	run timeout 40 ./prog "$1"
	same "$1: status, errors" "$rc $(cat err)" "0 "
}
# sampled TITLE: the last profile has its ticks and its call.
sampled() {
	decode prog mon.out || return 0
	same "$1: calls of f" "$(calls f)" 1
	due=$(said cpu | tail -n 1) due=${due:-0}
	true_that "($(ticks hot) - 100 * $due) ^ 2 <= (3 + 10 * $due) ^ 2" || fail "$1: $(ticks hot) ticks in $due s"
}
mode handler
same "handler: how often it was called" "$(said raised) $(said timed) $(said strange)" "7 0 0"
sampled handler
mode plain
same "plain handler: how often it was called" "$(said raised)" 7
sampled "plain handler"
mode timer
same "own timer: other signals" "$(said raised) $(said strange)" "0 0"
true_that "($(said timed) - $(said cpu) / 0.02) ^ 2 <= (2 + $(said cpu) / 0.02 / 4) ^ 2" ||
	fail "own timer: handler called $(said timed) times in $(said cpu) s"
sampled "own timer"
mode ignored
sampled ignored
mode taken-back
sampled "taken back"

mode heir
sampled heir

run ./prog killed
same "SIGPROF from outside: status" "$(kill -l $rc)" PROF

mode often
same "often: memory beside the buffer" "$(said guarded)" 1
decode prog mon.out && { [ "$(ticks hot)" -ge 3 ] || fail "often: $(ticks hot) ticks at the end"; }

# in a static program: the signal comes inside the C library, which belongs to its text then
profiled prog "$HERE/sigprof.c" -static
mode blocked
decode prog mon.out && {
	due=$(said cpu)
	true_that "($(field bins 3) - 100 * $due) ^ 2 <= (3 + 10 * $due) ^ 2" ||
		fail "blocked: $(field bins 3) ticks in $due s"
}
finish
