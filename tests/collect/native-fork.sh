#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-fork.sh -- every process that has something to say leaves a file of its own, exact; the others leave none.
# timeout: 120
. "$SRC/tests/collect/lib-native.sh"
. "$SRC/tests/collect/lib-many.sh"
many_functions 600 >functions.c
profiled fork "$HERE/native-fork.c" functions.c

clean() {
	rm -rf dir mon.out* && mkdir dir
}
# wanted: the names that there should be, from what the program said: its own and those of children that call f.
wanted() {
	awk -v dir="${1-}" '$1 == "pid" { print (dir ? $2 ".fork" : "mon.out") }
		$1 == "child" && $3 { print (dir ? "" : "mon.out.") $2 (dir ? ".fork" : "") }' out | sort | tr '\n' ' '
}
made() {
	profiles "${1:-.}" | tr ' ' '\n' | sort | tr '\n' ' '
}
went_well() { # TITLE
	same "$1: status, errors" "$rc $(cat err)" "3 "
}

# ---- many children ----
clean
PROFDIR=dir run ./fork children 300
went_well "300 children"
same "300 children: files" "$(made dir)" "$(wanted dir)"
same "300 children: how many" "$(profiles dir | wc -w)" 301
native dir/* && {
	same "300 children: finished" "$(grep -c '^state finished' decoded)" 301
	awk '$1 == "file" { f = $2; sub(".*/", "", f); sub("[.]fork", "", f) } $1 == "calls" && $2 == "f" { print f, $3 }' \
		decoded | sort >counted
	awk '$1 == "pid" { print $2, 11 } $1 == "child" { print $2, $3 }' out | sort >due
	cmp counted due || fail "300 children: wrong counts: $(diff due counted | head -n 5)"
}
clean
run ./fork children 20
went_well "20 children, no PROFDIR"
same "20 children, no PROFDIR: files" "$(made)" "$(wanted)"
native mon.out && same "20 children, no PROFDIR: calls in the parent" "$(calls f) $(calls main)" "11 1"
for pid in $(said child); do
	native "mon.out.$pid" && same "20 children, no PROFDIR: calls" "$(calls f)" \
		"$(awk -v p="$pid" '$2 == p { print $3 }' out)"
done

# ---- those that leave nothing ----
for mode in silent others; do
	clean
	PROFDIR=dir run ./fork $mode
	went_well $mode
	same "$mode: files" "$(made dir)" "$(said pid).fork "
	clean
	run ./fork $mode
	went_well "$mode, no PROFDIR"
	same "$mode, no PROFDIR: files" "$(made)" "mon.out "
	native mon.out && same "$mode, no PROFDIR: calls" "$(calls f)" 11
done

# ---- a daemon ----
for dir in dir ""; do
	clean
	if [ -n "$dir" ]; then PROFDIR=dir run ./fork daemon; else run ./fork daemon; fi
	went_well "daemon"
	same "daemon: files" "$(made $dir)" "$(wanted $dir)"
	[ -n "$dir" ] && file=dir/$(said child).fork || file=mon.out.$(said child)
	native "$file" || continue
	same "daemon: state, calls" "$(state) $(calls f) $(calls g0) $(calls g599)" "finished 7 3 3"
	same "daemon: calls" "$(field sum 2)" $((7 + 3 * 600 + 3 + 1))
	[ "$(ticks work)" -ge 5 ] || fail "daemon: $(ticks work) ticks in work"
done

# ---- descriptors that are somebody else's now ----
clean
head -c 100000 /dev/urandom >theirs
cp theirs before
run ./fork reopen theirs
same "reopened descriptors: status, output" "$rc $(grep -v pid out)" "3 "
cmp theirs before || fail "reopened descriptors: the program's own file was written to"
native mon.out && {
	same "reopened descriptors: state, calls" "$(state) $(calls f) $(calls g0) $(calls g599)" "finished 32 41 41"
	[ "$(ticks work)" -ge 20 ] || fail "reopened descriptors: $(ticks work) ticks in work"
}

# ---- a child that can open nothing adds nothing to its parent's file ----
clean
run ./fork alone
same "child without descriptors: status, files" "$rc $(made)" "3 mon.out "
lines_at_most 1 || fail "child without descriptors: $(cat err)"
native mon.out && same "child without descriptors: the parent's calls, ticks" "$(calls f) $(ticks work)" "11 0"

# ---- exec: the file of the program before stays as it was ----
clean
PROFDIR=dir run ./fork exec ./fork none
went_well "exec of itself"
pid=$(said pid | head -n 1)
same "exec of itself: files" "$(made dir)" "$pid.fork $pid.fork.1 "
native "dir/$pid.fork" && same "exec of itself: state, calls before" "$(state) $(calls f)" "live 5"
native "dir/$pid.fork.1" && same "exec of itself: state, calls after" "$(state) $(calls f)" "finished 11"
clean
run ./fork exec /bin/sh -c 'exit 3'
went_well "exec of sh"
same "exec of sh: files" "$(made)" "mon.out.$(said pid) "
native "mon.out.$(said pid)" && same "exec of sh: state, calls before" "$(state) $(calls f)" "live 5"
# It inherits no descriptor of ours.
for dir in "" dir; do
	PROFDIR=$dir run ./fork exec /bin/sh -c 'ls /proc/$$/fd; exit 3'
	fds=$(grep -v pid out | tr '\n' ' ')
	[ -z "$dir" ] && plain=$fds
done
same "exec of sh: descriptors" "$fds" "$plain"
# No clock is left running, whichever it was.
for clock in perf perf-signal timer itimer; do
	MONCLOCK=$clock MONHZ=1000 run ./fork exec /bin/sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exit 3'
	went_well "exec of sh, $clock"
done

# ---- another root, another user ----
[ "$(id -u)" -eq 0 ] || {
	echo "chroot and setuid: not tried, not root"
	finish
}
clean
mkdir dir/jail
run ./fork jail dir/jail
same "chroot and setuid: status" $rc 3
lines_at_most 1 || fail "chroot and setuid: $(cat err)"
same "chroot and setuid: files" "$(made)" "mon.out.$(said pid) "
native "mon.out.$(said pid)" && {
	same "chroot and setuid: state, calls" "$(state) $(calls f)" "finished 25"
	[ "$(ticks work)" -ge 10 ] || fail "chroot and setuid: $(ticks work) ticks in work"
}
finish
