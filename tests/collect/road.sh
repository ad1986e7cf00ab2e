#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# road.sh -- cc -p, run, prof: the report says what the file holds, in all three spellings, for every way of linking.
# timeout: 90
# serial
. "$SRC/tests/collect/lib.sh"
[ -x "$BUILD/prof" ] || skip "prof is not built"

# report PROGRAM FILE: prof's table and the file decoded apart from it have the same calls and seconds.
report() {
	decode "$1" "$2" || return 0
	run "$BUILD/prof" "./$1" "$2"
	same "prof $1: status" $rc 0
	same "prof $1: heading" "$(head -n 1 out)" " %Time Seconds Cumsecs  #Calls   msec/call  Name"
	for f in tenth third rest; do
		# percent seconds cumulative calls msec name
		row=$(awk -v f=$f '$NF == f { print $2, $4 }' out)
		same "prof $1: $f" "$row" "$(awk -v t="$(ticks $f)" 'BEGIN { printf "%.2f", t / 100 }') $(calls $f)"
	done
	awk 'NR > 1 { percent += $1; seconds += $2; if ($3 + 0.001 < last) bad = 1; last = $3 }
		END { printf "%.2f %.2f %d\n", percent, seconds, bad }' out >sums
	read -r percent seconds backwards <sums
	true_that "($percent - 100) ^ 2 <= 0.3 ^ 2" || fail "prof $1: shares add to $percent"
	true_that "($seconds - $(field bins 3) / 100) ^ 2 <= 0.05 ^ 2" ||
		fail "prof $1: $seconds s of $(field bins 3) ticks"
	same "prof $1: cumulative seconds go backwards" "$backwards" 0
}

for how in "gcc -p -fPIE -pie" "gcc -p -fno-pie -no-pie" "gcc -p -static" "clang -pg -fPIE -pie" \
	"clang -pg -fno-pie -no-pie"; do
	have "${how%% *}" || continue
	rm -f a.out a.out.nm mon.out
	$how -O1 -falign-functions=32 -w -I"$HERE" "$HERE/split.c" -o a.out $A -pthread || exit 1
	run ./a.out 2 30
	same "$how: status, errors" "$rc $(cat err)" "0 "
	report a.out mon.out
done

# ---- the three spellings ----
run "$BUILD/prof" ./a.out mon.out
mv out one
run "$BUILD/prof"
mv out two
run "$BUILD/prof" -m mon.out ./a.out
cmp one two && cmp one out || fail "the three spellings print different reports"
[ -s one ] || fail "they print nothing"

# ---- PROFDIR: the files of a forking program, one by one ----
echo 'int (*const many[1])(int); const int nmany = 1;' >functions.c
profiled fork "$HERE/fork.c" functions.c
mkdir dir
PROFDIR=dir run ./fork one
for who in parent child; do
	file=dir/$(said $who).fork
	[ -f "$file" ] || fail "no $file"
	"$BUILD/prof" ./fork "$file" >table 2>/dev/null || fail "prof of the $who's file: status $?"
	case $who in parent) due=11 ;; child) due=7 ;; esac
	same "$who: calls of f" "$(awk '$NF == "f" { print $4 }' table)" $due
done
"$BUILD/prof" ./fork dir/*.fork >table 2>/dev/null || fail "prof of both files: status $?"
same "both files: calls of f" "$(awk '$NF == "f" { print $4 }' table)" 18
"$BUILD/monmerge" -o both.out dir/*.fork 2>/dev/null || fail "monmerge: status $?"
decode fork both.out && same "monmerge: calls of f" "$(calls f)" 18
finish
