# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# lib-native.sh -- what the tests of the native profile share: its decoder, and what it should say.
. "$SRC/tests/collect/lib.sh"
unset MONFORMAT

# native FILE ...: fill decoded, which calls, ticks and field ask.
native() {
	[ -x native-decoder ] || ${PCC%% *} -O1 -std=c11 -D_GNU_SOURCE "$HERE/native-decode.c" -o native-decoder || exit 1
	: >decoded
	[ -f "$1" ] || {
		fail "no $1"
		return 1
	}
	./native-decoder "$@" >decoded || {
		fail "$(tail -n 1 decoded)"
		return 1
	}
}
# of FILE: from the text of several files, that of one.
of() {
	awk -v f="$1" '$1 == "file" { on = $2 == f } on' all-decoded >decoded
	[ -s decoded ] || fail "nothing of $1"
}
state() {
	field state 2
}
# all_ticks, lost_ticks, user_only, method: what the clock says.
all_ticks() {
	field clock 5
}
lost_ticks() {
	field clock 9
}
user_only() {
	[ $(($(field clock 4) & 1)) -eq 1 ]
}
method() {
	field clock 2
}
# clocked METHOD: was this the method (perf, perf-signal, timer, itimer)?
clocked() {
	case $1 in perf) number=1 ;; perf-signal) number=2 ;; timer) number=3 ;; itimer) number=4 ;; esac
	[ "$(method)" = "$number" ]
}
# in_time TICKS HZ SECONDS SHARE SPARE: as many ticks as there were seconds, within a share of them and some to spare.
in_time() {
	true_that "($1 - $2 * $3) ^ 2 <= ($5 + $4 * $2 * $3) ^ 2"
}
# lines_at_most N: on standard error.
lines_at_most() {
	[ "$(wc -l <err)" -le "$1" ]
}
