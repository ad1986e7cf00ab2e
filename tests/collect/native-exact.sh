#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-exact.sh -- call counts are equal to the truth: threads, ways of linking, processes, and however they end.
# timeout: 120
. "$SRC/tests/collect/lib-native.sh"

ending() { # MODE STATUS STATE
	rm -f mon.out*
	run ./prog "$1"
	[ "$1" = exit ] && file=mon.out || file=mon.out.$(said pid)
	same "$title, $1: status, errors, files" "$rc $(grep libmon err) $(profiles .)" "$2  $file"
	native "$file" && same "$title, $1: state, calls" "$(state) $(calls f) $(calls main)" "$3 18 1"
}
family() { # MODE CALLS-OF-PARENT FILE-OF-CHILD
	rm -f mon.out*
	run ./prog "$1"
	child=mon.out.$(said child)
	same "$title, $1: status, errors" "$rc $(cat err)" "3 "
	same "$title, $1: files" "$(profiles .)" "mon.out${3:+ $child}"
	native mon.out && same "$title, $1: calls in the parent" "$(calls f) $(calls main)" "$2 1"
	[ -n "${3-}" ] && native "$child" && same "$title, $1: calls, threads in the child" \
		"$(calls f) $(grep -c ^thread decoded)" "$3 1"
}

tried=0
for how in "gcc -p -fPIE -pie" "gcc -p -fno-pie -no-pie" "gcc -p -static" "gcc -p -static-pie" "gcc -p -Wl,-z,noseparate-code" \
	"clang -pg" "shared"; do
	title=$how lib=$A
	[ "$how" != shared ] || { how=$PCC lib=$SO; }
	have "${how%% *}" || continue
	# shellcheck disable=SC2086
	$how -O1 -w -I"$HERE" "$HERE/native-exact.c" -o prog $lib -pthread 2>log || {
		echo "not tried: $how: $(tail -n 1 log)"
		continue
	}
	tried=$((tried + 1))
	for n in 1 8 1000; do
		rm -f mon.out*
		run ./prog threads $n
		same "$title, $n threads: status, errors, files" "$rc $(cat err) $(profiles .)" "3  mon.out"
		native mon.out && same "$title, $n threads: calls" "$(calls f) $(calls main)" "$(said due) 1"
		same "$title, $n threads: entries" "$(grep -c ^thread decoded)" $((n + 1))
	done
	ending exit 3 finished
	ending _exit 3 live
	ending abort 134 live
	ending kill 137 live
	family fork 11 7
	family clone 11 7
	family vfork 18
done
[ $tried -gt 0 ] || fail "no way of linking worked"
finish
