#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# monitor-layout.sh -- monitor() by hand: buffer and file hold the same header, cells and bins, at link-time addresses.
. "$SRC/tests/collect/lib-hand.sh"

for mode in "-fPIE -pie" "-fno-pie -no-pie" "-static" "-fPIE -static-pie"; do
	profiled prog "$HERE/monitor.c" functions.c $mode || continue
	rm -f prog.nm
	for cells in 600 10; do
		by_hand prog whole $cells && decode prog mon.out || continue
		bias=$(printf %d $(($(said main) - 0x$(awk '$4 == "hot" { print $1 }' prog.nm))))
		same "$mode: lowest address" "$(($(field range 2)))" $(($(said low) - bias))
		same "$mode: highest address" "$(($(field range 3)))" $(($(said high) - bias))
		same "$mode: cells, as asked for" "$(field cells 2)" $cells
		same "$mode: bins, by the formula" "$(field bins 2)" $(($(said size) / 8))
		same "$mode: calls" "$(calls f) $(calls g) $(calls hot)" "11 1000 1"
		n=$(field bins 3)
		true_that "($n - 100 * $(said cpu)) ^ 2 <= (2 + 5 * $(said cpu)) ^ 2" ||
			fail "$mode: $n ticks in $(said cpu) s"
		true_that "$(ticks hot) >= 0.9 * $n" || fail "$mode: $(ticks hot) of $n ticks in hot"
		# nothing but the file is in the buffer, and the whole file is
		head -c "$(wc -c <mon.out)" buffer | cmp - mon.out >differ 2>&1 || fail "$mode: $(cat differ)"
	done
done

by_hand prog few 5 && {
	decode prog mon.out
	[ "$(field cells 2)" -ge 50 ] || fail "5 cells asked for, 50 needed: $(field cells 2) reserved"
	i=0
	while [ $i -lt 50 ]; do
		same "5 cells asked for: calls of g$i" "$(calls g$i)" $((i + 1))
		i=$((i + 1))
	done
}
by_hand prog few 0 && {
	decode prog mon.out
	same "no cell asked for: functions" "$(grep -c '^calls g[0-9]* ' decoded)" 50
}
by_hand prog roomy 1000 && {
	decode prog mon.out
	same "more room than bins: bins" "$(field bins 2)" "$(said bins)"
	same "more room than bins: the rest untouched" "$(said rest)" 1
	same "more room than bins: calls" "$(calls f)" 11
}
by_hand prog full 65530 && {
	same "bins near their end: lower than before" "$(said lower)" 0
	[ "$(said top)" -ge 1 ] || fail "bins near their end: none at 65535"
}
finish
