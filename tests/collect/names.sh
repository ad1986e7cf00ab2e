#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# names.sh -- where the file goes: PROFDIR in all its states, and the folder the program was in when it started.
. "$SRC/tests/collect/lib.sh"
profiled place "$HERE/place.c"
mkdir dir here && cp place here/place
touch file

# settled TITLE LINES: the program says 11 and ends with 3, whatever became of its profile; LINES on standard error.
settled() {
	same "$1: status, output" "$rc $(cat out)" "3 11"
	same "$1: lines on standard error" "$(wc -l <err)" "$2"
	! LC_ALL=C tr -d '\n -~' <err | grep -q . || fail "$1: control bytes on standard error"
}
# in_dir TITLE FOLDER NAME: just one profile there, pid.NAME, in which f was called 11 times.
in_dir() {
	found=$(profiles "$2")
	pid=${found%%.*}
	case $pid in "" | *[!0-9]*) fail "$1: found '$found'" && return ;; esac
	same "$1: name" "${found#*.}" "$3"
	decode place "$2/$found" && same "$1: calls" "$(calls f)" 11
	rm -f "$2"/[0-9]*
}

# ---- not set: mon.out where the program started ----
run_in here ./place / && settled "unset, chdir / before the end" 0
same "unset: files" "$(profiles here)" mon.out
decode place here/mon.out && same "unset: calls" "$(calls f)" 11
rm here/mon.out

# ---- set: PROFDIR/pid.name; relative to where the program started ----
PROFDIR=$TMP/dir run_in here ./place && settled "absolute" 0
in_dir "absolute" dir place
PROFDIR=../dir run_in here ./place / && settled "relative, chdir / before the end" 0
in_dir "relative, chdir / before the end" dir place
PROFDIR=. run_in here ./place / && settled "dot" 0
in_dir "dot" here place
PROFDIR=$TMP/dir/ run_in here "$TMP/here/place" && settled "trailing slash, path in argv[0]" 0
in_dir "trailing slash, path in argv[0]" dir place

# ---- set and empty: nothing, and not a word ----
PROFDIR='' run_in here ./place && settled "empty" 0

# ---- cannot be: one line, and nothing else changes ----
lost() { # TITLE: one line that names the place
	settled "$1" 1
	grep -q "^libmon: .*lost\|^libmon: .*no profile" err || fail "$1: it says '$(cat err)'"
}
PROFDIR=$TMP/missing run_in here ./place && lost "missing"
PROFDIR=$TMP/file run_in here ./place && lost "not a folder"
PROFDIR=/dev/null run_in here ./place && lost "/dev/null"
PROFDIR=$(printf 'no\033[31m\007\n\233where') run_in here ./place && lost "control bytes"
for length in 200 4000 4050 4080 4090 4095 4096 4200 5000; do
	long=$(printf "%0${length}d" 0)
	PROFDIR=$long run_in here ./place && lost "$length bytes long"
	# as a path that could exist: many times the same folder
	PROFDIR=$TMP/$(printf "%0$((length / 2))d" 0 | sed 's|0|./|g')/dir run_in here ./place
	if [ -s err ]; then
		lost "$length bytes of path"
	else
		settled "$length bytes of path" 0
		in_dir "$length bytes of path" dir place
	fi
done
[ ! -e missing ] || fail "the missing folder was made"
[ ! -s file ] || fail "the file was written to"
same "files left" "$(profiles .)$(profiles here)$(profiles dir)" ""

# ---- started without a name, an empty one, a long one, an odd one ----
plain_cc "$HERE/as.c" -o as || exit 1
PROFDIR=dir run ./as null ./place && settled "no argv[0]" 0
in_dir "no argv[0]" dir mon.out
PROFDIR=dir run ./as "name=" ./place && settled "empty argv[0]" 0
in_dir "empty argv[0]" dir mon.out
PROFDIR=dir run ./as "name=../x y" ./place && settled "argv[0] ../x y" 0
in_dir "argv[0] ../x y" dir "x y"
PROFDIR=dir run ./as "name=/a/b/prog" ./place && settled "argv[0] /a/b/prog" 0
in_dir "argv[0] /a/b/prog" dir prog
PROFDIR=dir run ./as "name=$(printf '%0300d' 7)" ./place && settled "argv[0] of 300 bytes" 0
found=$(profiles dir)
case ${found#*.} in 0000000000*) ;; *) fail "argv[0] of 300 bytes: found '$found'" ;; esac
rm -f dir/*
PROFDIR=dir run ./as "name=$(printf 'a\033]52;c\007b')" ./place && settled "argv[0] with control bytes" 0
in_dir "argv[0] with control bytes" dir "$(printf 'a\033]52;c\007b')"
PROFDIR=missing run ./as "name=$(printf 'a\033]52;c\007b')" ./place && lost "argv[0] with control bytes, lost"
finish
