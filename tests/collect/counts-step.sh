#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# counts-step.sh -- a signal handler that calls new functions after each single instruction of a counted call.
. "$SRC/tests/collect/lib.sh"
. "$SRC/tests/collect/lib-many.sh"
case $(uname -m) in x86_64) ;; *) skip "single steps are x86-64 here" ;; esac

many_functions 2200 >functions.c
profiled step "$HERE/step.c" functions.c -mno-red-zone
run ./step 0
steps=$(said steps)
[ "${steps:-0}" -gt 10 ] || fail "only ${steps:-0} steps"
i=1
while [ $i -le "${steps:-0}" ]; do
	rm -f mon.out
	run ./step $i
	same "step $i: status, errors" "$rc $(cat err)" "0 "
	if [ $rc -eq 0 ] && decode step mon.out; then
		same "step $i: calls of f" "$(calls f)" 2
		same "step $i: functions called once" "$(grep -c '^calls g[0-9]* 1$' decoded)" 2200
	fi
	i=$((i + 1))
done
finish
