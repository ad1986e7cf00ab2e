#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profil.sh -- profil() and sprofil(): ticks fall where the classical arithmetic puts them, and the C library's own.
# serial
. "$SRC/tests/collect/lib.sh"

# scales PROGRAM SCALE ..., regions PROGRAM: what holds of ours and of glibc's profil alike.
scales() {
	prog=$1
	shift
	size=$(nm -S "$prog" | awk '$4 == "hot" { print "0x" $2 }')
	for scale; do
		run "./$prog" scaled "$size" $scale
		title="$prog, scale $scale"
		same "$title: status, returns, errno" "$rc $(said on) $(said off) $(said errno)" "0 0 0 77"
		same "$title: guards" "$(said guarded)" 1
		[ "$prog" = glibc ] || in_time "$(said all)" 0.1 # how exact its clock is, is its own affair
		true_that "$(said inside) >= 0.9 * $(said all)" ||
			fail "$title: $(said inside) of $(said all) ticks in hot's counters"
	done
}
regions() {
	for mode in shorts wide; do
		for scale in 0x10000 0x4000; do
			run "./$prog" $mode "$size" $scale
			title="$prog, two regions of $mode, scale $scale"
			same "$title: status, returns, guards" "$rc $(said on) $(said off) $(said guarded)" "0 0 0 1"
			# glibc takes more ticks here than it says
			[ "$prog" = glibc ] || in_time $(($(said hot) + $(said cold) + $(said rest))) 0.1
			same "$title: tick" "$(said tick)" 0.010000
			for counter in hot cold rest; do
				[ "$(said $counter)" -ge 3 ] || fail "$title: $(said $counter) ticks in $counter"
			done
			same "$title: beyond the overflow counter" "$(said elsewhere)" 0
		done
	done
	run "./$prog" everything "$size" 0
	title="$prog, overflow counter alone"
	same "$title: status, guards" "$rc $(said guarded)" "0 1"
	[ "$prog" = glibc ] || in_time "$(said rest)" 0.1
	same "$title: beyond it" "$(said elsewhere)" 0
}
# in_time TICKS TOLERANCE: so many ticks are due in the CPU time spent.
in_time() {
	true_that "($1 - 100 * $(said cpu)) ^ 2 <= (3 + $2 * 100 * $(said cpu)) ^ 2" ||
		fail "$title: $1 ticks in $(said cpu) s"
}

plain_cc "$HERE/profil.c" -o glibc -pthread 2>log && scales glibc 0x10000 0xffff 0x4000 2 && regions
for flags in "-fno-pie -no-pie" "-static" "-fPIE -pie"; do
	# not compiled with -p: nothing but profil() starts the clock
	plain_cc $flags "$HERE/profil.c" -o libmon $A -pthread || exit 1
	scales libmon 0x8000
done
scales libmon 0x10000 0xffff 0x8000 0x4000 0x2000 2
regions

for how in 0 1 2 3; do
	run ./libmon switched "$size" $how
	same "switched off, way $how: status, returns, ticks" "$rc $(said on) $(said all)" "0 0 0"
	same "switched off, way $how: guards" "$(said guarded)" 1
done
run ./libmon full "$size" 0
same "counters at the end: status, lower, guards" "$rc $(said lower) $(said guarded)" "0 0 1"
[ "$(said top)" -ge 1 ] || fail "counters at the end: none at 65535"
run ./libmon replaced "$size" 0
title="replaced"
same "$title: status, ticks in the old, guards" "$rc $(said old) $(said guarded)" "0 0 1"
in_time "$(said all)" 0.1
run ./libmon negative "$size" 0
same "count -1: status, returns, errno" "$rc $(said on) $(said errno)" "0 -1 $(said wanted)"
run ./libmon forked "$size" 0
title="parent of a child that profiles"
same "$title: status, guards" "$rc $(said guarded)" "0 1"
in_time "$(said all)" 0.1
title="child that profiles"
true_that "($(said child) - 100 * $(said child_cpu)) ^ 2 <= (3 + 10 * $(said child_cpu)) ^ 2" ||
	fail "$title: $(said child) ticks in $(said child_cpu) s"
same "files" "$(profiles .)" ""
finish
