#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gprof.sh -- the same program with glibc's profiler and with libmon: the same calls, shares that differ by chance.
# timeout: 90
# serial
. "$SRC/tests/collect/lib.sh"
have gprof || skip "no gprof"
have gcc || skip "no gcc"

# gprof cannot read a position-independent program of every age; both are not.
gcc -pg -O1 -w -I"$HERE" -fno-pie -no-pie "$HERE/split.c" -o theirs -pthread || exit 1
profiled ours "$HERE/split.c" -fno-pie -no-pie

agree() {
	rm -f gmon.out mon.out
	run ./theirs 1
	[ -f gmon.out ] || skip "no gmon.out: the C library has no profiler"
	gprof -b -p theirs gmon.out >flat 2>gprof.err || skip "gprof: $(cat gprof.err)"
	run ./ours 1
	decode ours mon.out || return 0
	same "files" "$(profiles .)" "mon.out gmon.out"
	n=$(($(ticks tenth) + $(ticks third) + $(ticks rest)))
	# name, calls, self seconds, share of the three
	awk '$NF ~ /^(tenth|third|rest)$/ { s[$NF] = $3; c[$NF] = $4; all += $3 }
		END { for (f in s) print f, c[f], s[f], all ? s[f] / all : 0, 100 * all }' flat >shares
	same "functions in gprof's table" "$(wc -l <shares)" 3
	wrong=
	while read -r f k seconds share m; do
		same "calls of $f" "$(calls "$f")" "$k"
		# two samples of one truth: the variances add
		both="(1 / $n + 1 / $m)"
		true_that "($(ticks "$f") / $n - $share) ^ 2 <= 3.29 ^ 2 * $share * (1 - $share) * $both + $both ^ 2" ||
			wrong="$wrong $f: gprof $seconds s ($share), we $(ticks "$f") of $n ticks;"
	done <shares
	[ -z "$wrong" ] || {
		echo "$wrong"
		return 1
	}
}
twice agree
finish
