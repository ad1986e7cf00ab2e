#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gprof.sh -- prof and gprof on one gmon.out of this system: equal calls, equal seconds but for the splitting of bins.
set -u
command -v gprof >/dev/null || { echo "no gprof here" && exit 77; }
cat >work.c <<'END'
#define NI __attribute__((noinline))
static volatile unsigned long sink;
#define SPIN(n) do { unsigned long n_ = (n), x_ = n_; while (n_--) { x_ = x_ * 6364136223846793005u + __LINE__; \
	__asm__ volatile("" : "+r"(x_)); } sink += x_; } while (0)
NI void light(unsigned long n) { SPIN(n); }
NI void medium(unsigned long n) { SPIN(n); }
NI static void heavy(unsigned long n) { SPIN(n); }
NI void seldom(unsigned long n) { sink += n; }
int main(void)
{
	unsigned long i;
	for (i = 0; i < 20; i++) light(4000000);
	for (i = 0; i < 2000; i++) medium(120000);
	for (i = 0; i < 300000; i++) heavy(1600);
	for (i = 0; i < 3; i++) seldom(i);
	return 0;
}
END
"$CC" -pg -O1 -fno-inline -no-pie work.c -o work 2>log || {
	cat log
	echo "$CC cannot link with -pg here"
	exit 77
}
./work || exit 1
[ -s gmon.out ] || { echo "this C library writes no gmon.out" && exit 77; }
gprof -b -p work gmon.out >gprof.txt || exit 1
"$BUILD/prof" -h work gmon.out >prof.txt || exit 1

# gprof: %time cumulative self [calls self/call total/call] name; prof: %time seconds cumulative [calls ms/call] name
awk '
FNR == 1 { file++ }
file == 1 && $1 ~ /^[0-9.]+$/ { gs[$NF] = $3; gc[$NF] = NF >= 6 ? $4 : ""; total += $3 }
file == 2 && $1 ~ /^[0-9.]+$/ { ps[$NF] = $2; pc[$NF] = NF >= 6 ? $4 : "" }
function away(a, b) { return a > b ? a - b : b - a }
END {
	n = split("light medium heavy seldom", name)
	for (i = 1; i <= n; i++) {
		f = name[i]
		printf "%-8s gprof %s s %s calls, prof %s s %s calls\n", f, gs[f], gc[f], ps[f], pc[f]
		if (gc[f] == "" || gc[f] != pc[f]) { print f ": the calls differ"; bad = 1 }
		# Both split the bins at a function'\''s ends; a bin and the last digit may go either way.
		if (away(gs[f], ps[f]) > 0.02 + 0.01 * total) { print f ": the seconds differ"; bad = 1 }
	}
	if (total < 0.1) { print "only " total " s of samples"; bad = 1 }
	exit bad
}' gprof.txt prof.txt || { cat gprof.txt prof.txt && exit 1; }
