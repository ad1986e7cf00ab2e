#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fork.sh -- every process that forks or is forked keeps its own profile, exact and from zero; silent ones none.
. "$SRC/tests/collect/lib.sh"
. "$SRC/tests/collect/lib-many.sh"
many_functions 1500 >functions.c
profiled fork "$HERE/fork.c" functions.c

# forks MODE: in a PROFDIR of its own, given as a relative path.
forks() {
	rm -rf dir && mkdir dir
	PROFDIR=dir run timeout 30 ./fork "$1"
	same "$1: status, errors" "$rc $(cat err)" "0 "
	same "$1: files" "$(profiles dir | tr ' ' '\n' | sort | tr '\n' ' ')" \
		"$(awk '{ if ($1 == "parent" || $1 == "child") print $2 ".fork" }' out | sort | tr '\n' ' ')"
}
parent() { # MODE CALLS-OF-F
	decode fork "dir/$(said parent).fork" || return 0
	same "$1, parent: calls" "$(calls f) $(calls child_work)" "$2 0"
	same "$1, parent: ticks of the child" "$(ticks child_work)" 0
}
# Each child has its own calls only, and its own ticks only.
children() { # MODE
	for pid in $(said child); do
		decode fork "dir/$pid.fork" || continue
		same "$1, child: calls" "$(calls f) $(calls child_work) $(calls parent_work)" "7 1 0"
		same "$1, child: ticks of the parent" "$(ticks parent_work)" 0
		[ "$(ticks child_work)" -ge 3 ] || fail "$1, child: $(ticks child_work) ticks in child_work"
	done
}

for mode in one five tree clone suspended daemon; do
	forks $mode
	parent $mode 11
	[ "$(ticks parent_work)" -gt 0 ] || fail "$mode, parent: no tick"
	children $mode
done
for mode in silent killed others exec; do
	forks $mode
	parent $mode 11
done

forks threads
parent threads $((11 + $(said hammered)))
for pid in $(said child); do
	decode fork "dir/$pid.fork" || continue
	same "threads, child: calls" "$(calls f) $(calls g1499)" "7 1"
done

# A clock that is pending must not end the program that comes next; the profile of the first goes with it.
rm -rf dir && mkdir dir
PROFDIR=dir run ./fork exec-self
same "exec with the signal pending: status, errors, files" "$rc $(cat err) $(profiles dir)" "9  "

# ---- by hand, and without PROFDIR: the parent's is mon.out, a child's mon.out.PID, whoever ends first ----
rm -f mon.out*
run ./fork one
same "no PROFDIR: status, errors" "$rc $(cat err)" "0 "
same "no PROFDIR: files" "$(profiles .)" "mon.out mon.out.$(said child)"
decode fork mon.out && same "no PROFDIR, parent: calls" "$(calls f) $(calls child_work)" "11 0"
decode fork "mon.out.$(said child)" && same "no PROFDIR, child: calls" "$(calls f) $(calls parent_work)" "7 0"
rm -f mon.out*
for mode in silent killed others; do
	run ./fork $mode
	same "no PROFDIR, $mode: status, errors, files" "$rc $(cat err) $(profiles .)" "0  mon.out"
	decode fork mon.out && same "no PROFDIR, $mode: calls" "$(calls f)" 11
done

rm -rf dir && mkdir dir
PROFDIR=dir run timeout 30 ./fork hand
same "by hand in the child: status, errors" "$rc $(cat err)" "0 "
decode fork "dir/$(said child).fork" && {
	same "by hand in the child: calls" "$(calls f)" 7
	[ "$(ticks child_work)" -ge 3 ] || fail "by hand in the child: $(ticks child_work) ticks"
}
decode fork "dir/$(said parent).fork.2" && {
	same "by hand again in the parent: calls" "$(calls f)" 11
	[ "$(ticks parent_work)" -gt 0 ] || fail "by hand again in the parent: no tick"
}

rm -f mon.out*
run timeout 50 ./fork storm
same "fork while another thread starts and stops: status, output, errors" "$rc $(grep -v parent out) $(cat err)" "0  "
decode fork mon.out && same "the same, at the end: calls" "$(calls f)" 11
finish
