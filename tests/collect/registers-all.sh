#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# registers-all.sh -- mcount keeps every register but r11: integer, SSE, AVX, AVX-512, masks, control words.
. "$SRC/tests/collect/lib.sh"
case $(uname -m) in x86_64) ;; *) skip "written for x86-64" ;; esac

for flags in "-fPIE -pie" "-fno-pie -no-pie" "-static"; do
	profiled state "$HERE/state.c" $flags
	run ./state
	[ $rc -ne 77 ] || skip "$(cat out)"
	same "$flags: status, what changed" "$rc $(cat out err)" "0 "
	decode state mon.out && same "$flags: calls of the probes" "$(calls probes)" 1212
	rm -f mon.out*
done
# The shared library, which is called through a table of addresses.
$PCC -O1 -w -I"$HERE" -I"$SRC/libmon" "$HERE/state.c" -o state $SO -pthread || exit 1
run ./state
same "libmon.so: status, what changed" "$rc $(cat out err)" "0 "
finish
