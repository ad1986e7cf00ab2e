#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-control.sh -- suspended and resumed, by call, variable and signal; snapshots; stopped; help; the classic layout.
# serial
. "$SRC/tests/collect/lib-native.sh"
profiled control "$HERE/native-control.c"

mode() { # MODE TITLE: true in any case
	rm -f mon.out* snap*
	run ./control "$1"
	same "$2: status, errors, files" "$rc $(cat err) $(profiles .)" "3  mon.out"
}
steered() { # TITLE CALLS-OF-COLD
	native mon.out || return
	same "$1: calls" "$(state) $(calls f) $(calls cold)" "finished 11 $2"
	same "$1: ticks while nothing was to be recorded" "$(ticks cold)" 0
	[ "$(ticks hot)" -ge 10 ] || fail "$1: $(ticks hot) ticks in hot"
}
for clock in perf perf-signal timer itimer; do
	MONCLOCK=$clock
	export MONCLOCK
	mode suspend "$clock, moncontrol"
	steered "$clock, moncontrol" 0
	MONHZ=1000 mode pieces "$clock, pieces" && native mon.out || continue
	same "$clock, pieces: calls" "$(calls f) $(calls cold) $(calls hot)" "11 0 300"
	same "$clock, pieces: ticks while nothing was to be recorded" "$(ticks cold)" 0
	clocked $clock && case $clock in
	perf*) # one that is bound to the tick may see more or less of them
		due=$(awk '$1 == "thread" { print int(($6 + $7) / 2e6) }' decoded) # half of the time at 1000 Hz
		true_that "$(ticks hot) >= 0.6 * $due && $(ticks hot) <= 1.4 * $due + 6" ||
			fail "$clock, pieces: $(ticks hot) ticks of $due"
		;;
	esac
done
unset MONCLOCK
MONSTART=off mode resume "MONSTART=off" && steered "MONSTART=off" 0
MONSTART=on mode suspend "MONSTART=on" && steered "MONSTART=on" 0
for name in USR2 SIGUSR2 "$(kill -l USR2 2>/dev/null || echo 12)"; do
	[ "$name" != 12 ] && [ "$(uname -m)" != x86_64 ] && continue
	MONSIGNAL=$name mode toggle "MONSIGNAL=$name" && steered "MONSIGNAL=$name" 0
done
mode stop "monitor(0)" && steered "monitor(0)" 0
mode reset "all signals reset" && steered "all signals reset" 0

# ---- snapshots ----
mode handler "snapshot in a handler" && steered "snapshot in a handler" 0
native snap && same "snapshot in a handler: state, calls" "$(state) $(calls f)" "finished 7"
MONHZ=4000 mode snapshots "snapshots"
same "snapshots: how many, and nothing else" "$(ls -d snap* | wc -l)" 20
last=0
for i in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 1; do
	native snap.$i || continue
	[ $i -eq 1 ] && least=20 || least=$i
	same "snapshot $i: state, calls of cold" "$(state) $(calls cold)" "finished $least"
	[ "$(calls f)" -ge $last ] || fail "snapshot $i: $(calls f) calls, $last before"
	last=$(calls f)
done
native mon.out && same "after the snapshots: calls" "$(calls f) $(calls cold)" "$(said hammered) 20"

# ---- the classic layout: by hand, and asked for ----
mode by-hand "monitor() by hand"
decode control mon.out && {
	same "monitor() by hand: calls" "$(calls f)" 11
	[ "$(ticks hot)" -ge 4 ] || fail "monitor() by hand: $(ticks hot) ticks"
}
MONFORMAT=classic mode stop "MONFORMAT=classic"
decode control mon.out && same "MONFORMAT=classic: calls" "$(calls f)" 11

# ---- help ----
rm -f mon.out
MON=help run ./control stop
same "MON=help: status, output, files" "$rc $(cat out) $(profiles .)" "3  mon.out"
for name in PROFDIR MONHZ MONCLOCK MONFORMAT MONSTART MONSIGNAL MON; do
	grep -q "^$name " err || fail "MON=help: no $name"
	grep -q "Ev $name\$" "$SRC/libmon/monitor.3" || fail "monitor.3: no $name"
done
finish
