#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-sanitizers.sh -- programs built with -p and a sanitizer run clean, with exact calls: threads, forks, shared objects.
# timeout: 120
. "$SRC/tests/collect/lib-native.sh"
have gcc || skip "no gcc"
ASAN_OPTIONS=exitcode=99 TSAN_OPTIONS=exitcode=99
export ASAN_OPTIONS TSAN_OPTIONS

# built KIND OUT SOURCE: with that sanitizer; false when there is none here.
built() {
	gcc -O1 -fsanitize=$1 -w -I"$HERE" "$HERE/place.c" -o alone -pthread 2>log && run ./alone && [ $rc -eq 3 ] || return
	gcc -p -O1 -g -fsanitize=$1 -w -I"$HERE" -I"$SRC/libmon" "$HERE/$3" -o "$2" $A -pthread -ldl 2>log && return
	fail "$1, $3: $(tail -n 1 log)"
}
clean() { # TITLE STATUS
	same "$1: status, errors" "$rc $(head -n 20 err)" "$2 "
}
tried=0
for kind in address thread; do
	built $kind threads threads.c || {
		echo "not tried: $kind: $(tail -n 1 log)"
		continue
	}
	tried=$((tried + 1))
	for mode in at-once one-by-one; do
		rm -f mon.out*
		run ./threads $mode
		clean "$kind, $mode" 0
		native mon.out && same "$kind, $mode: calls" "$(state) $(calls f) $(calls main)" "finished $(said due) 1"
	done
	built $kind exact native-exact.c
	rm -f mon.out*
	run ./exact fork
	clean "$kind, fork" 3
	native mon.out && same "$kind, fork: calls in the parent" "$(calls f)" 11
	native "mon.out.$(said child)" && same "$kind, fork: calls in the child" "$(calls f)" 7
	built $kind control native-control.c
	rm -f mon.out* snap*
	run ./control snapshots
	clean "$kind, snapshots" 3
	native mon.out && same "$kind, snapshots: calls" "$(calls f) $(calls cold)" "$(said hammered) 20"

	# Objects that come and go, in one another's place, are not looked at when they are gone.
	for name in apple berry; do
		printf '#include "prog.h"\nWHOLE int %s(int ms) { KEEP; WORK(ms * MS); return ms + 1; }\n' $name >$name.c
		gcc -p -O1 -fsanitize=$kind -w -I"$HERE" -fPIC -shared $name.c -o lib$name.so || exit 1
	done
	built $kind dl native-dl.c
	# shellcheck disable=SC2046
	run ./dl 0 $(awk -v d="$PWD" 'BEGIN { for (i = 0; i < 100; i++) print d "/libapple.so apple 2", d "/libberry.so berry 3" }')
	clean "$kind, shared objects" 3
	native mon.out && same "$kind, shared objects: calls" "$(calls apple) $(calls berry)" "300 400"
done
[ $tried -gt 0 ] || skip "no sanitizer here"
finish
