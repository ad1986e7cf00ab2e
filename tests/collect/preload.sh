#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# preload.sh -- LD_PRELOAD=libmon.so on programs that were linked without libmon: with glibc's -pg, and ordinary ones.
. "$SRC/tests/collect/lib-link.sh"
have gcc || skip "no gcc"

for cc in "gcc -pg" "gcc -pg -mfentry" "clang -pg"; do
	have "${cc%% *}" || continue
	for mode in "-fPIE -pie" "-fno-pie -no-pie" "-fno-plt"; do
		rm -rf row && mkdir row
		$cc -O1 -w -I"$HERE" $mode "$HERE/eleven.c" -o row/prog -pthread || exit 1
		tried=$((tried + 1))
		LD_PRELOAD=$BUILD/libmon.so
		export LD_PRELOAD
		run_in row ./prog
		unset LD_PRELOAD
		title="glibc's $cc $mode, preloaded"
		same "$title: status" "$rc" 3
		same "$title: output" "$(cat out err)" 11
		same "$title: files" "$(profiles row)" mon.out
		decode row/prog row/mon.out || continue
		same "$title: calls of f" "$(calls f)" 11
		[ "$(ticks burn)" -gt 0 ] || fail "$title: no tick in burn"
	done
done

for mode in "-fPIE -pie" "-fno-pie -no-pie"; do
	rm -rf row && mkdir row
	gcc -O1 -w -I"$HERE" $mode "$HERE/eleven.c" -o row/prog -pthread || exit 1
	title="ordinary program $mode"
	rc=0
	(cd row && LD_PRELOAD=$BUILD/libmon.so exec ./prog) >out 2>err || rc=$?
	same "$title: status, output, files" "$rc $(cat out err) $(profiles row)" "3 11 mon.out"
	decode row/prog row/mon.out || continue
	same "$title: cells in use" "$(field cells 3)" 0
	[ "$(ticks burn)" -gt 0 ] || fail "$title: no tick in burn"
done

# A program that the loader is asked to start; its own name and text count, not the loader's.
loader=$(readelf -l row/prog | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
if [ -x "$loader" ]; then
	mkdir -p row/dir
	rc=0
	(cd row && LD_PRELOAD=$BUILD/libmon.so PROFDIR=dir exec "$loader" ./prog) >out 2>err || rc=$?
	same "started through the loader: status, output" "$rc $(cat out err)" "3 11"
	p=$(profiles row/dir)
	same "started through the loader: name" "${p#*.}" prog
	if decode row/prog "row/dir/$p"; then
		[ "$(ticks burn)" -gt 0 ] || fail "started through the loader: no tick in burn"
	fi
fi
done_linking
