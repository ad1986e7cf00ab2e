#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-limits.sh -- at every limit the program's result stays the same, it says one line at most, and keeps what it can.
# timeout: 120
. "$SRC/tests/collect/lib-native.sh"
. "$SRC/tests/collect/lib-many.sh"
many_functions 2000 >functions.c
profiled many "$HERE/native-many.c" functions.c
profiled static "$HERE/native-many.c" functions.c -static
plain_cc "$HERE/as.c" -o as || exit 1

undisturbed() { # TITLE THREADS
	same "$1: status, output" "$rc $(grep done out)" "3 done $((2002 * $2))"
	lines_at_most 1 || fail "$1: it says '$(cat err)'"
}
whole() { # TITLE THREADS: and nothing was lost
	undisturbed "$@"
	same "$1: errors, files" "$(cat err) $(profiles .)" " mon.out"
	native mon.out && same "$1: calls" "$(state) $(calls f) $(calls g0) $(calls g1) $(calls g1999)" \
		"finished $2 $((2 * $2)) $2 $2"
}
clean() {
	rm -f mon.out* .mon*
}

# ---- as it is: sizes ----
clean
run ./many 1000 65536 0
whole "1000 threads" 1000
[ "$(said live)" -gt 0 ] && [ "$(said live)" -lt 60000000 ] || fail "1000 threads: live file of $(said live) bytes"
[ "$(wc -c <mon.out)" -lt 2000000 ] || fail "1000 threads: finished file of $(wc -c <mon.out) bytes"
clean
run ./many 20 16384 20000
whole "stacks of 16 KiB" 20
[ "$(ticks work)" -ge 60 ] || fail "stacks of 16 KiB: $(ticks work) ticks in work"

# ---- file size: at the start, in the middle, at the end ----
for bytes in 512 4096 131072 200000 1000000; do
	clean
	run ./as files=$bytes ./many 20 65536 1000
	undisturbed "files of $bytes bytes" 20
	case $bytes in
	512 | 4096) same "files of $bytes bytes: files, lines" "$(profiles .) $(wc -l <err)" " 1" ;;
	*) whole "files of $bytes bytes" 20 ;;
	esac
done

# ---- descriptors: none at all (a static program needs none), one ----
clean
run sh -c 'ulimit -n 3; exec ./static 20 65536 1000'
undisturbed "no descriptors" 20
same "no descriptors: files" "$(profiles .)" ""
for n in 4 8 20; do
	clean
	run sh -c "ulimit -n $n; exec ./static 20 65536 1000"
	undisturbed "$((n - 3)) descriptors" 20
	native "$(ls -d mon.out*)" && same "$((n - 3)) descriptors: calls" "$(calls f) $(calls g1999)" "20 20"
done

# ---- timers and queued signals: none ----
clean
run ./as timers=0 ./many 20 65536 20000
undisturbed "no timers" 20
native mon.out && {
	same "no timers: calls" "$(calls f) $(calls g1999)" "20 20"
	clocked perf && [ "$(ticks work)" -lt 60 ] && fail "no timers: $(ticks work) ticks in work"
}

# ---- much text: what was not touched costs nothing ----
echo '.text; .skip 64 << 20; .section .note.GNU-stack,"",@progbits' >large.s
profiled large "$HERE/native-many.c" functions.c large.s
clean
run ./large 5 65536 20000
whole "64 MiB of text" 5
[ "$(said live)" -lt 8000000 ] || fail "64 MiB of text: live file of $(said live) bytes"
[ "$(wc -c <mon.out)" -lt 100000 ] || fail "64 MiB of text: finished file of $(wc -c <mon.out) bytes"

# ---- memory: that text wants as much again for the counting; the less there is, the less of a profile ----
kept=0 refused=0
for mb in 72 76 80 90 100 130 138 140 150 200 300; do
	clean
	run ./as memory=$((mb << 20)) ./large 3 65536 1000
	[ $rc -eq 3 ] || { # has it enough without us?
		PROFDIR="" run ./as memory=$((mb << 20)) ./large 3 65536 1000
		[ $rc -ne 3 ] && continue
		fail "$mb MiB of memory: enough for the program alone"
	}
	undisturbed "$mb MiB of memory" 3
	[ -s err ] && refused=1
	[ -f mon.out ] || continue
	kept=1
	native mon.out && [ ! -s err ] && same "$mb MiB of memory: calls" "$(calls f) $(calls g1999)" "3 3"
done
same "memory was enough, and was not" "$kept $refused" "1 1"

# ---- a disk that is full at the start, and in the middle ----
[ "$(id -u)" -eq 0 ] && have unshare || {
	echo "full disk: not tried, not root"
	finish
}
for kb in 16 64 140 400 1000; do
	rm -rf disk kept.out && mkdir disk
	# shellcheck disable=SC2016
	unshare -m sh -c '
		mount -t tmpfs -o size='$kb'k prof-test disk || exit 77
		cd disk
		../many 20 65536 1000 >../out 2>../err
		echo $? >../status
		[ ! -f mon.out ] || cp mon.out ../kept.out
		ls -A >../files
	' 2>log || {
		echo "full disk: not tried: $(tail -n 1 log)"
		break
	}
	rc=$(cat status)
	undisturbed "disk of $kb KiB" 20
	case $kb in
	16 | 64) same "disk of $kb KiB: files, lines" "$(cat files) $(wc -l <err)" " 1" ;;
	*)
		same "disk of $kb KiB: files, errors" "$(cat files err)" mon.out
		native kept.out && same "disk of $kb KiB: calls" "$(calls f) $(calls g0) $(calls g1999)" "20 40 20"
		;;
	esac
done
finish
