#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# split.sh -- a program of known split: true shares, exact calls, and all of its CPU time, with 1, 2 and 8 threads.
# timeout: 120
# serial
. "$SRC/tests/collect/lib.sh"

# shares PROGRAM THREADS: one run; the calls and files must be right at once, the shares may fail by chance.
shares() {
	rm -f mon.out
	run "./$1" "$2"
	same "$1, $2 threads: status, errors" "$rc $(cat err)" "0 "
	same "$1, $2 threads: files" "$(profiles .)" mon.out
	decode "$1" mon.out || return 0
	same "$1, $2 threads: calls" "$(calls tenth) $(calls third) $(calls rest)" "1 1000 1000000"
	n=$(($(ticks tenth) + $(ticks third) + $(ticks rest)))
	all=$(said all)
	wrong=
	for f in tenth third rest; do
		fair "$(ticks $f)" "$n" "$(said $f) / $all" ||
			wrong="$wrong $f has $(ticks $f) of $n ticks for $(said $f) of $all s;"
	done
	n=$(field bins 3)
	true_that "($n / 100 / $all - 1) ^ 2 <= 0.05 ^ 2" || wrong="$wrong $n ticks for $all s"
	[ -z "$wrong" ] || {
		echo "$1, $2 threads:$wrong"
		return 1
	}
}

for cc in "gcc -p" "clang -pg"; do
	have "${cc% *}" || continue
	PCC=$cc
	name=split-${cc% *}
	profiled "$name" "$HERE/split.c"
	for threads in 1 2 8; do
		twice shares "$name" $threads
	done
done
finish
