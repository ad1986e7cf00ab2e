#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-kill.sh -- 40 times killed at a random moment: the file can be read, and holds every call that had returned.
. "$SRC/tests/collect/lib-native.sh"
. "$SRC/tests/collect/lib-many.sh"
many_functions 3000 >functions.c
profiled kill "$HERE/native-kill.c" functions.c

round=0
while [ $round -lt 40 ]; do
	round=$((round + 1))
	rm -f done mon.out*
	./kill done 2>err &
	pid=$!
	while [ ! -s done ] && kill -0 $pid; do :; done
	sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%03d", $1 % 150 }')"
	kill -KILL $pid
	wait $pid 2>/dev/null
	same "round $round: status, errors, files" "$? $(cat err) $(profiles .)" "137  mon.out.$pid"
	published=$(od -An -tu8 done | tr -d ' ')
	native mon.out.$pid || continue
	counted=$(field sum 2)
	counted=$((counted - $(calls main)))
	same "round $round: state" "$(state)" live
	if [ $counted -ne "$published" ] && [ $counted -ne $((published + 1)) ]; then
		fail "round $round: $counted calls counted, $published had returned"
	fi
done
finish
