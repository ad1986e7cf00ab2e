#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link-late.sh -- objects compiled with -p, linked without; monitor() by hand without -p; clang -p; no libmon at all.
. "$SRC/tests/collect/lib-link.sh"
have gcc || skip "no gcc"

# ---- compiled with -p, linked without ----
for cc in "gcc -p" "clang -pg"; do
	have "${cc% *}" || continue
	for mode in "-fPIE -pie" "-fno-pie -no-pie" "-static"; do
		for lib in "$A" "$SO"; do
			case $mode$lib in -static*-lmon) continue ;; esac
			rm -rf row && mkdir row
			$cc -O1 -w -I"$HERE" ${mode% *} -c "$HERE/eleven.c" -o row/prog.o &&
				${cc% *} ${mode#* } row/prog.o -o row/prog $lib -pthread || {
				fail "$cc $mode ${lib##* -l}: does not link"
				continue
			}
			tried=$((tried + 1))
			eleven "compiled $cc $mode, linked without, ${lib##* -l}" row/prog
		done
	done
done

# ---- not compiled with -p at all: linked, it stays quiet; by hand, it has time and no calls ----
cat >hand.c <<'END'
#include "eleven.h"
#include <mon.h>
extern char _init[], etext[];
static WORD buffer[4000000];
int main(int n, char **v)
{
	if (n > 1) monitor((int (*)())_init, (int (*)())etext, buffer, sizeof buffer / sizeof *buffer, 600);
	f(1);
	burn();
	if (n > 1) monitor(0, 0, 0, 0, 0);
	return 3;
}
END
for cc in gcc clang; do
	have $cc || continue
	for lib in "$A" "$SO"; do
		title="$cc without -p, ${lib##* -l}"
		rm -rf row && mkdir row
		$cc -O1 -w -I"$HERE" -I"$SRC/libmon" hand.c -o row/prog $lib -pthread || exit 1
		run_in row ./prog
		same "$title, nothing called: status, output, files" "$rc $(cat out err) $(profiles row)" "3  "
		run_in row ./prog by-hand
		same "$title, by hand: status, output, files" "$rc $(cat out err) $(profiles row)" "3  mon.out"
		decode row/prog row/mon.out || continue
		same "$title, by hand: cells in use" "$(field cells 3)" 0
		[ "$(ticks burn)" -gt 0 ] || fail "$title, by hand: no tick in burn"
	done
done

# ---- clang -p, as documented: nothing is instrumented ----
rm -rf row && mkdir row
if have clang && clang -p -O1 -w -I"$HERE" "$HERE/eleven.c" -o row/prog $A -pthread 2>row/log; then
	run_in row ./prog
	same "clang -p: status, output, files" "$rc $(cat out err) $(profiles row)" "3 11 "
fi

# ---- without libmon nothing of ours happens ----
rm -rf row && mkdir row
gcc -p -O1 -w -I"$HERE" "$HERE/eleven.c" -o row/prog -pthread || exit 1
run_in row ./prog
same "gcc -p without libmon: status, output, files" "$rc $(cat out err) $(profiles row)" "3 11 gmon.out"
done_linking
