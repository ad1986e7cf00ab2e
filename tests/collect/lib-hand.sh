# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# lib-hand.sh -- by_hand PROGRAM MODE [ARGUMENT]: one mode of monitor.c; its status, its words, its buffer's guards.
. "$SRC/tests/collect/lib.sh"
. "$SRC/tests/collect/lib-many.sh"
many_functions 50 >functions.c

by_hand() {
	rm -f mon.out buffer decoded
	run "./$1" "$2" "${3-}"
	now="$1 $2 ${3-}"
	same "$now: status, errors" "$rc $(cat err)" "0 "
	case $(said guarded | sort -u) in
	1 | "") ;;
	*) fail "$now: memory beside the buffer was written to" ;;
	esac
	[ $rc -eq 0 ]
}
