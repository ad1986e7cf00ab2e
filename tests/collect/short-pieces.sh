#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# short-pieces.sh -- phases and threads shorter than a tick have their share: pauses, profil() on and off, threads.
# timeout: 90
# serial
. "$SRC/tests/collect/lib.sh"
profiled short "$HERE/short.c"

# close_to TICKS SECONDS: within a tenth and what chance explains.
close_to() {
	true_that "($1 - 100 * $2) ^ 2 <= (10 * $2 + 3.29 * sqrt(100 * $2)) ^ 2" && return
	echo "$mode: $1 ticks for $2 s"
	return 1
}
pieces() {
	mode=$1
	rm -f mon.out
	run ./short "$mode"
	same "$mode: status, errors" "$rc $(cat err)" "0 "
	[ $rc -eq 0 ] && decode short mon.out || return 0
	[ "$mode" != suspend ] || same "suspended: ticks" "$(ticks other)" 0
	case $mode in
	profil) close_to "$(said counted)" "$(said wanted)" ;;
	*) close_to "$(ticks wanted)" "$(said wanted)" ;;
	esac
}
for mode in suspend threads pool profil; do
	twice pieces $mode
done
finish
