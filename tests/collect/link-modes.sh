#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link-modes.sh -- gcc -p, gcc -pg and clang -pg; PIE, not PIE, static, static PIE; archive and shared library.
# timeout: 120
. "$SRC/tests/collect/lib-link.sh"

for cc in "gcc -p" "gcc -pg" "clang -pg"; do
	for mode in "-fPIE -pie" "-fno-pie -no-pie" "-static" "-fPIE -static-pie"; do
		case "$cc $mode" in
		clang*-static-pie) continue ;; # clang links the wrong start file: crashes without libmon, too
		esac
		row "$cc $mode, libmon.a" "$HERE/eleven.c" "" "$A" $cc $mode
		case $mode in
		*-static*) ;;
		*) row "$cc $mode, libmon.so" "$HERE/eleven.c" "" "$SO" $cc $mode ;;
		esac
	done
done
done_linking
