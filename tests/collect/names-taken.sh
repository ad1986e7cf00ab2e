#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# names-taken.sh -- the name is taken, by a link, a pipe, a folder, a profile: no victim is written to, nothing hangs.
. "$SRC/tests/collect/lib.sh"
profiled place "$HERE/place.c"

settled() {
	same "$1: status, output" "$rc $(cat out)" "3 11"
	same "$1: lines on standard error" "$(wc -l <err)" "$2"
}
whole() { # TITLE FILE
	decode place "$2" && same "$1: calls" "$(calls f)" 11
}

# ---- mon.out is replaced, never written into ----
echo precious >victim
ln -s victim mon.out
run ./place && settled "symbolic link" 0
same "symbolic link: victim" "$(cat victim)" precious
[ ! -L mon.out ] || fail "symbolic link: still a link"
whole "symbolic link" mon.out

rm -f mon.out && ln -s nowhere/there mon.out
run ./place && settled "dangling link" 0
[ ! -L mon.out ] || fail "dangling link: still a link"
whole "dangling link" mon.out
[ ! -e nowhere ] || fail "dangling link: its target was made"

rm -f mon.out && ln victim mon.out
run ./place && settled "hard link" 0
same "hard link: victim" "$(cat victim)" precious
whole "hard link" mon.out

rm -f mon.out && mkfifo mon.out
run timeout 10 ./place && settled "named pipe" 0
whole "named pipe" mon.out

rm -f mon.out && echo old >mon.out && chmod 400 mon.out
run ./place && settled "older file, read only" 0
whole "older file, read only" mon.out

rm -f mon.out && mkdir mon.out
run ./place && settled "folder" 1
rmdir mon.out || fail "folder: something was put into it"
same "folder: files left" "$(profiles .)" ""

# ---- in PROFDIR an existing file keeps its name; exec keeps the pid, so the shell knows the name ----
mkdir dir
PROFDIR=dir
export PROFDIR
taken() { # TITLE COMMAND: the command makes $1, the name that will be wanted
	rm -rf dir && mkdir dir
	run sh -c 'set -- "dir/$$.place"; '"$2"'; exec ./place'
	settled "$1" 0
	found=$(profiles dir | tr ' ' '\n' | grep 'place\.1$')
	[ -n "$found" ] || fail "$1: no suffix: '$(profiles dir)'"
	[ -z "$found" ] || whole "$1" "dir/$found"
	same "$1: how many" "$(profiles dir | wc -w)" 2
}
taken "own name is a file" 'echo precious >"$1"'
same "own name is a file: the file" "$(cat dir/*.place)" precious
taken "own name is a link" 'ln -s ../victim "$1"'
same "own name is a link: victim" "$(cat victim)" precious
taken "own name is a dangling link" 'ln -s ../nowhere "$1"'
[ ! -e nowhere ] || fail "own name is a dangling link: its target was made"
taken "own name is a pipe" 'mkfifo "$1"'
taken "own name is a folder" 'mkdir "$1"'
taken "own name is a profile" './place >/dev/null; mv dir/*.place "$1"'

rm -rf dir && mkdir dir
run sh -c 'for s in "" .1 .2 .3; do echo precious >"dir/$$.place$s"; done; exec ./place'
settled "four names taken" 0
whole "four names taken" "$(echo dir/*.place.4)"

# ---- the file's mode is what umask leaves ----
unset PROFDIR
for mask in 022 077 027 000 0777; do
	rm -f mon.out
	run sh -c "umask $mask; exec ./place"
	settled "umask $mask" 0
	same "umask $mask" "$(stat -c %a mon.out)" "$(printf %o $((0666 & ~$mask)))"
done
finish
