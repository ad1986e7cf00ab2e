#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# copies.sh -- 20 copies at once in one folder leave one whole mon.out; 200 short processes in a PROFDIR 200 files.
. "$SRC/tests/collect/lib.sh"
. "$SRC/tests/collect/lib-many.sh"

# Many functions make the file larger, and writing it longer.
many_functions 3000 >functions.c
profiled many "$HERE/many.c" functions.c
round=1
while [ $round -le 10 ]; do
	rm -f mon.out
	i=0
	while [ $i -lt 20 ]; do
		./many >>said 2>&1 || echo "status $?" >>said
		i=$((i + 1))
	done &
	other=$!
	i=0
	pids=
	while [ $i -lt 20 ]; do
		{ ./many || echo "status $?"; } >>said 2>&1 &
		pids="$pids $!"
		i=$((i + 1))
	done
	# shellcheck disable=SC2086
	wait $pids $other
	same "round $round: files" "$(profiles .)" mon.out
	decode many mon.out && same "round $round: functions" "$(grep -c '^calls g' decoded)" 3000
	round=$((round + 1))
done
same "what the copies said" "$(sort -u said)" ""

profiled place "$HERE/place.c"
mkdir dir
PROFDIR=dir
export PROFDIR
: >said
round=0
while [ $round -lt 4 ]; do
	pids=
	i=0
	while [ $i -lt 50 ]; do
		{ ./place || echo "status $?"; } >>said 2>&1 &
		pids="$pids $!"
		i=$((i + 1))
	done
	# shellcheck disable=SC2086
	wait $pids
	round=$((round + 1))
done
same "what the 200 said" "$(sort -u said | tr '\n' ' ')" "11 status 3 "
same "profiles" "$(profiles dir | wc -w)" 200
for f in dir/*; do
	decode place "$f" && same "$f: calls" "$(calls f)" 11
done
finish
