#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# counts-threads.sh -- no call is lost: short threads, 64 in one function, thread destructors, threads left behind.
. "$SRC/tests/collect/lib.sh"

for cc in "gcc -p" "clang -pg"; do
	have "${cc% *}" || continue
	PCC=$cc
	name=threads-${cc% *}
	profiled "$name" "$HERE/threads.c"
	for mode in one-by-one at-once destructors keys detached leader; do
		rm -f mon.out
		run "./$name" $mode
		same "$name $mode: status, errors" "$rc $(cat err)" "0 "
		decode "$name" mon.out || continue
		[ "$(said due)" -gt 0 ] || fail "$name $mode: nothing due"
		same "$name $mode: calls of f" "$(calls f)" "$(said due)"
		[ $mode != leader ] || true_that "$(field bins 3) >= 70 * $(said cpu) - 2" ||
			fail "$name leader: $(field bins 3) ticks in $(said cpu) s"
	done
done
$PCC -O1 -w -I"$HERE" -I"$SRC/libmon" "$HERE/threads.c" -o so-threads $SO -pthread || exit 1
rm -f mon.out
run ./so-threads at-once
decode so-threads mon.out && same "libmon.so: calls of f" "$(calls f)" "$(said due)"
finish
