# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# lib-link.sh -- one way of linking after the other: each must see f called 11 times and leave one mon.out.
. "$SRC/tests/collect/lib.sh"

tried=0
# row TITLE SOURCE "before" "libs" COMPILER flag ...: skipped when the compiler cannot do it without us either.
# before is what stands before the source, libs what stands after it.
row() {
	title=$1 source=$2 before=$3 libs=$4
	shift 4
	rm -rf row && mkdir row
	have "$1" || return 0
	if [ -z "${needs_us-}" ] && ! "$@" -O1 -w -I"$HERE" "$source" -o row/alone -pthread >row/log 2>&1; then
		echo "not tried, $title: $(tail -n 1 row/log)"
		return 0
	fi
	tried=$((tried + 1))
	# shellcheck disable=SC2086
	if ! "$@" -O1 -w -I"$HERE" -I"$SRC/libmon" $before "$source" -o row/prog $libs -pthread >row/log 2>&1; then
		fail "$title: $(tail -n 3 row/log)"
		return 0
	fi
	eleven "$title" row/prog
}

# eleven TITLE PROGRAM: run it in its folder; it prints 11 and ends with 3, and its profile has 11 calls of f.
eleven() {
	dir=${2%/*}
	rm -f "$dir"/mon.out* "$dir"/gmon.out*
	run_in "$dir" "./${2##*/}"
	same "$1: status" "$rc" 3
	same "$1: output" "$(cat out err)" 11
	same "$1: files" "$(profiles "$dir")" mon.out
	decode "$2" "$dir/mon.out" || return 0
	same "$1: calls of f" "$(calls f)" "${want_calls-11}"
	[ "$(ticks burn)" -gt 0 ] || fail "$1: no tick in burn"
}

done_linking() {
	[ $tried -gt 0 ] || skip "no compiler here can do any of it"
	finish
}
