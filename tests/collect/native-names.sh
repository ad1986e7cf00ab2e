#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-names.sh -- nobody's file is destroyed: programs at once, programs in turn, names that are taken, odd folders.
. "$SRC/tests/collect/lib-native.sh"
. "$SRC/tests/collect/lib-many.sh"

# prog N [FIFO]: calls f N times, then waits until nobody has FIFO open for writing, and calls f once more.
cat >prog.c <<'END'
#include "prog.h"
PLAIN int f(int x) { KEEP; return x + 1; }
int main(int argc, char **argv)
{
	char c;
	for (int i = atoi(argv[1]); i > 0; i--) f(i);
	if (argc > 2) {
		int fd = open(argv[2], O_RDONLY);
		while (read(fd, &c, 1) > 0) ;
		f(0);
	}
	puts("done");
	return 3;
}
END
profiled prog prog.c
profiled static prog.c -static
mkfifo door door2

settled() { # TITLE LINES FILES
	same "$1: status, output" "$rc $(cat out)" "3 done"
	same "$1: lines on standard error" "$(wc -l <err)" "$2"
	same "$1: files" "$(profiles .)" "$3"
}
counted() { # TITLE FILE CALLS
	native "$2" && same "$1: state, calls" "$(state) $(calls f)" "finished $3"
}
clean() {
	rm -rf dir mon.out* .mon* && mkdir dir
}

# ---- two at once: the one that ends first has mon.out, the other one does not take it away ----
clean
./prog 10 door >/dev/null 2>&1 &
first=$!
exec 8>door
./prog 20 door2 >/dev/null 2>&1 8>&- &
second=$!
exec 9>door2
same "at once: files while they run" "$(profiles . | wc -w) $(ls -d mon.out 2>/dev/null)" "2 "
run ./prog 30
counted "at once, the shortest" mon.out 30
exec 8>&-
wait $first
exec 9>&-
wait $second
same "at once: files" "$(profiles . | wc -w)" 3
counted "at once, the shortest, later" mon.out 30
counted "at once, the first" mon.out.$first 11
counted "at once, the second" mon.out.$second 21
run ./prog 40
settled "another one later" 0 "$(profiles .)"
same "another one later: files" "$(profiles . | wc -w)" 3
counted "another one later" mon.out 40

# ---- in turn: the newest is mon.out, and the only one, however soon they follow on each other ----
clean
run sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5 6 7 8 9 10; do ./prog $i$j; done; done'
same "100 in turn: files, errors" "$(profiles .) $(cat err)" "mon.out "
counted "100 in turn" mon.out 1010
touch -d '+2 days' mon.out
run ./prog 5
settled "mon.out from the future" 0 mon.out
counted "mon.out from the future" mon.out 5

# ---- the live name is taken ----
taken() { # TITLE COMMAND: it makes "$1", which must be there afterwards as it was
	clean
	run sh -c 'set -- mon.out.$$; '"$2"'; exec ./prog 7'
	same "$1: status, output, errors" "$rc $(cat out err)" "3 done"
	same "$1: how many files" "$(profiles . | wc -w)" 2
	counted "$1" mon.out 7
	clean
	PROFDIR=dir run sh -c 'set -- dir/$$.prog; '"$2"'; exec ./prog 7'
	same "$1, PROFDIR: status, output, errors" "$rc $(cat out err)" "3 done"
	same "$1, PROFDIR: how many files" "$(profiles dir | wc -w)" 2
	counted "$1, PROFDIR" "$(ls -d dir/*.prog.1)" 7
}
echo precious >victim
taken "a file" 'echo precious >"$1"'
same "a file: its text" "$(cat dir/*.prog)" precious
taken "a link" 'ln -s ../victim "$1"'
taken "a dangling link" 'ln -s nowhere "$1"'
taken "a pipe" 'mkfifo "$1"'
taken "a folder" 'mkdir "$1"'
same "victim" "$(cat victim) $(ls nowhere 2>/dev/null)" "precious "

# ... or one that is only used for a while
clean
run sh -c 'ln -s victim .mon.$$.0.tmp; ln victim .mon.$$.1.tmp; exec ./prog 7'
same "temporary names: status, output, errors, victim" "$rc $(cat out err) $(cat victim)" "3 done precious"
counted "temporary names" mon.out 7

# ... and no file can be opened at all: what is there is not removed in place of ours.
clean
run sh -c 'echo precious >mon.out.$$; ulimit -n 3; exec ./static 7'
settled "no descriptors" 1 "$(ls -d mon.out.*)"
same "no descriptors: the file that was there" "$(cat mon.out.*)" precious

# ---- mon.out is something else ----
for what in 'ln -s victim' 'ln -s nowhere' 'mkfifo'; do
	clean
	$what mon.out
	run timeout 10 ./prog 7
	settled "mon.out made by $what" 0 mon.out
	counted "mon.out made by $what" mon.out 7
done
same "victim" "$(cat victim) $(ls nowhere 2>/dev/null)" "precious "
clean
mkdir mon.out
run ./prog 7
same "mon.out is a folder: status, files" "$rc $(profiles . | wc -w) $(ls mon.out)" "3 2 "
lines_at_most 1 || fail "mon.out is a folder: $(cat err)"
counted "mon.out is a folder" "$(ls -d mon.out.*)" 7
rm -rf mon.out*

# ---- PROFDIR is no folder, or too long; the folder cannot be written to ----
: >file
for dir in missing file /dev/null /proc "$(printf %05000d 0)" "$(printf %05000d 0 | sed 's|0|./|g')"; do
	PROFDIR=$dir run ./prog 7
	settled "PROFDIR of $(echo "$dir" | cut -c 1-10)" 1 ""
done
PROFDIR="" run ./prog 7
settled "PROFDIR empty" 0 ""
if [ "$(id -u)" -ne 0 ]; then
	chmod 555 dir
	PROFDIR=../dir run_in dir ../prog 7
	settled "PROFDIR read-only" 1 ""
	run_in dir ../prog 7
	settled "folder read-only" 1 ""
fi

# ---- a set-user-ID program leaves nothing and says nothing ----
[ "$(id -u)" -eq 0 ] && have setpriv || {
	echo "set-user-ID: not tried"
	finish
}
open=$(mktemp -d "${TMPDIR:-/tmp}/prof-open.XXXXXX") || exit 1
trap 'rm -rf "$open"' EXIT
chmod 1777 "$open"
cp prog "$open/prog"
for mode in 755 4755 2755; do
	chmod $mode "$open/prog"
	for profdir in no yes; do
		[ $profdir = no ] && set -- env || set -- env "PROFDIR=$open"
		MON=help run_in "$open" setpriv --reuid 65534 --regid 65534 --clear-groups "$@" ./prog 7
		[ $mode = 755 ] && wanted=1 || wanted=0
		same "mode $mode: status, output" "$rc $(cat out)" "3 done"
		same "mode $mode: files" "$(profiles "$open" | wc -w)" $wanted
		[ $mode = 755 ] || same "mode $mode: errors" "$(cat err)" ""
		rm -f "$open"/mon.out* "$open"/[0-9]*
	done
done
finish
