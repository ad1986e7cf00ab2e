#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limits.sh -- files, memory, timers, disk and standard error at their end: nothing changes, and one line says why.
. "$SRC/tests/collect/lib.sh"
profiled place "$HERE/place.c"
plain_cc "$HERE/as.c" -o as || exit 1

settled() { # TITLE LINES FILES
	same "$1: status, output" "$rc $(cat out)" "3 11"
	same "$1: lines on standard error" "$(wc -l <err)" "$2"
	same "$1: files" "$(profiles .)" "$3"
}

# ---- file size: no death by SIGXFSZ, no half file, the older one stays ----
for bytes in 512 4096 9000; do
	run ./as files=$bytes ./place && settled "files of $bytes bytes" 1 ""
	grep -q "too large" err || fail "files of $bytes bytes: $(cat err)"
done
echo older >mon.out
run ./as files=1000 ./place && settled "files of 1000 bytes, an older profile there" 1 mon.out
same "the older profile" "$(cat mon.out)" older
rm mon.out
# Standard output is a pipe here, standard error a file that cannot take the line.
mkfifo pipe
for bytes in 0 24; do
	cat pipe >out &
	rc=0
	./as files=$bytes ./place >pipe 2>err || rc=$?
	wait
	same "$bytes bytes for files, standard error too: status, output, files" "$rc $(cat out) $(profiles .)" "3 11 "
done

# ---- standard error is a pipe that nobody reads ----
PROFDIR=missing run ./as pipe ./place
same "broken pipe on standard error: status, output" "$rc $(cat out)" "3 11"
# ... or closed
rc=0
PROFDIR=missing ./place >out 2>&- || rc=$?
same "standard error closed: status, output" "$rc $(cat out)" "3 11"
rc=0
./place >out 2>&- <&- || rc=$?
same "standard error and input closed: status, output, files" "$rc $(cat out) $(profiles .)" "3 11 mon.out"
decode place mon.out && same "standard error and input closed: calls" "$(calls f)" 11
rm mon.out

# ---- memory: 64 MiB of text want as much again for the counting; with little memory it is refused, and said once ----
echo '.text; .skip 64 << 20; .section .note.GNU-stack,"",@progbits' >large.s
profiled large "$HERE/place.c" large.s
refused=0
for mb in 72 80 100 130 160 300; do
	rm -f mon.out
	run ./as memory=$((mb << 20)) ./large
	[ $rc -ne 127 ] && [ $rc -lt 128 ] || continue # the loader itself has too little
	case $(profiles .) in
	"") settled "$mb MiB of memory" 1 "" && refused=1 ;;
	*)
		settled "$mb MiB of memory" 0 mon.out
		decode large mon.out && same "$mb MiB of memory: calls" "$(calls f)" 11
		;;
	esac
done
[ -f mon.out ] || fail "300 MiB of memory: no profile"
[ $refused -eq 1 ] || fail "there was always enough memory: nothing tried"

# ---- no timer to be had: the counts are there all the same ----
rm -f mon.out
run ./as timers=0 ./place && settled "no timers" 1 mon.out
decode place mon.out && same "no timers: calls" "$(calls f)" 11
rm -f mon.out
finish
