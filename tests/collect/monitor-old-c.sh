#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# monitor-old-c.sh -- extern etext(); monitor((int)2, etext, buf, bufsize, nfunc); monitor(0), as in old manuals.
. "$SRC/tests/collect/lib.sh"

for cc in "gcc -p" "clang -pg"; do
	have "${cc% *}" || continue
	for flags in "-fPIE -pie" "-fno-pie -no-pie" "-static"; do
		for level in -O0 -O2; do
			title="$cc $flags $level"
			rm -f mon.out
			$cc $level -fno-inline -std=gnu89 -w $flags "$HERE/old.c" -o old $A -pthread >log 2>&1 || {
				fail "$title: $(tail -n 1 log)"
				continue
			}
			run ./old
			same "$title: status, output, files" "$rc $(cat out err) $(profiles .)" "3  mon.out"
			rm -f old.nm
			decode old mon.out || continue
			same "$title: calls" "$(calls f) $(calls hot)" "11 1"
			true_that "$(ticks hot) >= 5" || fail "$title: $(ticks hot) ticks in hot"
			most=$((($(field range 3) - $(field range 2) + 1) / 2))
			same "$title: bins, as many as make sense" "$(field bins 2)" $most
		done
	done
done
finish
