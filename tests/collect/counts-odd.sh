#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# counts-odd.sh -- exact counts of calls made by signal handlers, vfork children, coroutines, or left by siglongjmp.
# serial
. "$SRC/tests/collect/lib.sh"
. "$SRC/tests/collect/lib-many.sh"

many_functions 2100 >functions.c
for cc in "gcc -p" "clang -pg"; do
	have "${cc% *}" || continue
	PCC=$cc
	odd=odd-${cc% *}
	profiled "$odd" "$HERE/odd.c" functions.c
	for mode in alarm threads jump exit loader recursion vfork contexts; do
		rm -f mon.out
		run timeout 20 "./$odd" $mode
		same "$odd $mode: status, errors" "$rc $(cat err)" "0 "
		[ $rc -eq 0 ] && decode "$odd" mon.out || continue
		case $mode in
		jump | exit)
			k=$(calls f) least=$(said least) most=$(said most)
			[ "$least" -gt 1000 ] && [ "$k" -ge "$least" ] && [ "$k" -le "$most" ] ||
				fail "$odd $mode: f called $k times, not $least to $most"
			;;
		*) same "$odd $mode: calls of f" "$(calls f)" "$(said due)" ;;
		esac
		case $mode in
		alarm | threads)
			[ "$(said handled)" -gt 500 ] || fail "$odd $mode: only $(said handled) signals"
			same "$odd $mode: functions called once" "$(grep -c '^calls g[0-9]* 1$' decoded)" "$(said new)"
			;;
		vfork) same "$odd $mode: functions called once" "$(grep -c '^calls g[0-9]* 1$' decoded)" 100 ;;
		contexts) same "$odd $mode: functions called once" "$(grep -c '^calls g[0-9]* 1$' decoded)" 1010 ;;
		esac
	done
done
finish
