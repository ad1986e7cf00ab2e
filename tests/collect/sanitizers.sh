#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sanitizers.sh -- programs built with -p and a sanitizer run clean with libmon, with exact calls and ticks.
# timeout: 120
. "$SRC/tests/collect/lib.sh"
ASAN_OPTIONS=exitcode=99 TSAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=halt_on_error=1
export ASAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS

tried=0
# clean COMPILER FLAG KIND LIBRARY
clean() {
	title="$1 $2 -fsanitize=$3, ${4##* -l}"
	have "$1" || return 0
	$1 -O1 -fsanitize=$3 -w -I"$HERE" "$HERE/place.c" -o alone -pthread 2>log && run ./alone && [ $rc -eq 3 ] || {
		echo "not tried, $title: $(tail -n 1 log)"
		return 0
	}
	$1 $2 -O1 -g -fsanitize=$3 -w -I"$HERE" -I"$SRC/libmon" "$HERE/threads.c" -o prog $4 -pthread 2>log || {
		fail "$title: $(tail -n 1 log)"
		return 0
	}
	tried=$((tried + 1))
	rm -f prog.nm
	for mode in at-once one-by-one; do
		rm -f mon.out
		run ./prog $mode
		same "$title, $mode: status, errors" "$rc $(head -n 20 err)" "0 "
		decode prog mon.out && same "$title, $mode: calls of f" "$(calls f)" "$(said due)"
	done
}
clean gcc -p address "$A"
clean gcc -p address "$SO"
clean gcc -p thread "$A"
clean gcc -p thread "$SO"
clean gcc -p undefined "$A"
clean clang -pg address,undefined "$A"
clean clang -pg thread "$A"
[ $tried -gt 0 ] || skip "no sanitizer here"
finish
