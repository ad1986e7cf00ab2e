#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-storm.sh -- new functions, threads, forks, libraries, signals and snapshots at once: nothing hangs, no call is lost.
. "$SRC/tests/collect/lib-native.sh"
. "$SRC/tests/collect/lib-many.sh"
many_functions 3000 >functions.c
profiled storm "$HERE/native-storm.c" functions.c -ldl
for name in apple berry; do
	printf 'int %s(int x) { return x + 1; }\n' $name >$name.c
	$PCC -O1 -w -fPIC -shared $name.c -o lib$name.so || exit 1
done
for clock in perf perf-signal timer itimer; do
	rm -rf dir && mkdir dir
	PROFDIR=dir MONHZ=4000 MONCLOCK=$clock run timeout 20 ./storm 1 "$PWD/libapple.so" apple "$PWD/libberry.so" berry
	same "$clock: status, errors" "$rc $(cat err) $(grep -v due out)" "3  "
	native snap && same "$clock: state of the snapshot" "$(state)" finished
	native dir/* || continue
	same "$clock: files that finished" "$(grep -c '^state finished' decoded)" 1
	same "$clock: calls of f in all" "$(awk '$1 == "calls" && $2 == "f" { n += $3 } END { print n }' decoded)" \
		$(($(said due) + $(said due-children)))
	same "$clock: children" "$(grep -c '^state live' decoded)" "$(said due-children)"
done
finish
