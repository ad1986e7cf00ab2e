#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# monitor-limits.sh -- monitor(): the range bounds calls and ticks; what cannot work records and touches nothing.
. "$SRC/tests/collect/lib-hand.sh"
profiled prog "$HERE/monitor.c" functions.c

nm -S prog >nm.txt
size=$((0x$(awk '$4 == "hot" { print $2 }' nm.txt)))
by_hand prog range $size && {
	decode prog mon.out
	same "range: lowest address" "$(($(field range 2)))" "$((0x$(awk '$4 == "hot" { print $1 }' nm.txt)))"
	same "range: bytes" "$(($(field range 3) - $(field range 2)))" $size
	same "range: calls inside and outside" "$(calls hot) $(calls f) $(calls cold)" "1 0 0"
	same "range: cells in use" "$(field cells 3)" 1
	n=$(field bins 3)
	true_that "($n - 100 * $(said cpu)) ^ 2 <= (2 + 5 * $(said cpu)) ^ 2" || fail "range: $n ticks in $(said cpu) s"
	same "range: ticks of hot" "$(ticks hot)" "$n"
}
nothing() {
	by_hand prog "$@" || return 0
	same "$*: errno" "$(said errno)" 4321
	same "$*: buffer untouched" "$(said untouched)" 1
	same "$*: files" "$(profiles .)" ""
}
for words in 1 11 12 13 100 4811 4812; do # the header is 12 WORDs, 600 cells are 4800
	nothing small $words
done
for which in 0 1 2 3 4; do
	nothing wrong $which
done
by_hand prog refused && {
	decode prog mon.out
	same "refused call: its buffer untouched" "$(said untouched)" 1
	same "refused call: calls of the profile that runs" "$(calls f)" 11
	[ "$(ticks hot)" -gt 0 ] || fail "refused call: no tick after it"
}
finish
