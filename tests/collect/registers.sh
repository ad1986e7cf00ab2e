#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# registers.sh -- counting a call changes no argument, no mode, no errno: bitwise the same results as without -p.
. "$SRC/tests/collect/lib.sh"

# pair COMPILER PROFILING FLAG...: the same source with and without counting.
pair() {
	cc=$1 p=$2
	shift 2
	have "$cc" || return 0
	rm -f mon.out plain counted
	$cc "$@" -w -I"$HERE" "$HERE/registers.c" -o plain -pthread -lm >log 2>&1 || {
		echo "not tried, $cc $*: $(tail -n 1 log)"
		return 0
	}
	$cc $p "$@" -w -I"$HERE" "$HERE/registers.c" -o counted $A -pthread -lm >log 2>&1 || {
		fail "$cc $p $*: $(tail -n 1 log)"
		return 0
	}
	run ./plain
	same "$cc $*, without -p: status" $rc 0
	mv out wanted
	run ./counted
	same "$cc $p $*: status, errors" "$rc $(cat err)" "0 "
	diff wanted out >differ || fail "$cc $p $*: other results than without -p:
$(cat differ)"
	decode counted mon.out || return 0
	for f in ints floats vectors quads structs memory huges longs complexes foreign; do
		same "$cc $p $*: calls of $f" "$(calls $f)" 2
	done
	same "$cc $p $*: calls of several" "$(calls several)" 6
}

for p in "-p" "-pg -mfentry"; do
	pair gcc "$p" -O1
	pair gcc "$p" -O3 -march=native
	pair gcc "$p" -O2 -mavx2 -mno-avx512f -fno-plt
	pair gcc "$p" -O3 -march=native -fno-pie -no-pie
done
# errno is kept where system calls fail, too
plain_cc "$HERE/as.c" -o as || exit 1
run ./as timers=0 ./counted
diff wanted out >differ || fail "without timers: other results: $(cat differ)"
pair clang -pg -O1
pair clang -pg -O3 -march=native
finish
