# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# lib.sh -- what the collection tests share: compile a program with libmon, run it, read its file without libmonread.
#
# A test sources this, checks with fail, same and friends, and ends with finish.
set -u
case $BUILD in /*) ;; *) BUILD=$SRC/$BUILD ;; esac
HERE=$SRC/tests/collect
A="-L$BUILD -l:libmon.a"
SO="-L$BUILD -lmon"
LD_LIBRARY_PATH=$BUILD
export LD_LIBRARY_PATH
unset PROFDIR LD_PRELOAD MONHZ MONCLOCK MONSTART MONSIGNAL MON
export MONFORMAT=classic # lib-native.sh unsets it
umask 022
cd "$TMP" || exit 1

bad=0
fail() {
	echo "$*"
	bad=1
}
skip() {
	echo "$*"
	exit 77
}
finish() {
	exit $bad
}
have() {
	command -v "$1" >/dev/null 2>&1
}
# same TITLE GOT WANTED
same() {
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}

# The compiler that profiles: gcc -p where there is one.  gcc's -p and -pg are the same; clang knows -pg only.
if have gcc; then
	PCC="gcc -p"
else
	PCC="clang -pg"
fi
# profiled OUT SOURCE [flag ...]: compile with libmon.a, or end the test.  Aligned functions share no bin.
profiled() {
	out=$1 source=$2
	shift 2
	set -- -O1 -falign-functions=32 -w -I"$HERE" -I"$SRC/libmon" "$@" "$source" -o "$out"
	$PCC "$@" $A -pthread >"$out.log" 2>&1 && return
	cat "$out.log"
	exit 1
}
# plain_cc ARGUMENT ...: compile without profiling.
plain_cc() {
	${PCC%% *} -O1 -w -I"$HERE" -I"$SRC/libmon" "$@"
}

# run COMMAND ...: what it wrote is in out and err, its status in $rc.
run() {
	rc=0
	"$@" >out 2>err </dev/null || rc=$?
}
# run_in FOLDER COMMAND ...
run_in() {
	folder=$1
	shift
	rc=0
	(cd "$folder" && "$@") >out 2>err </dev/null || rc=$?
}
# said NAME: the number that the program printed after this word.
said() {
	awk -v n="$1" '$1 == n { print $2 }' out
}
# profiles FOLDER: the names of the profiles in it, other files of profilers too, in one line.
profiles() {
	found=
	for f in "$1"/mon.out* "$1"/.mon* "$1"/[0-9]* "$1"/.[0-9]* "$1"/gmon.out*; do
		[ -e "$f" ] || [ -L "$f" ] || continue
		found="$found ${f##*/}"
	done
	echo "${found# }"
}

# decode PROGRAM FILE: fill decoded, which calls and ticks ask.
decode() {
	[ -x decoder ] || ${PCC%% *} -O1 -std=c11 -D_GNU_SOURCE "$HERE/decode.c" -o decoder || exit 1
	[ "$1.nm" -nt "$1" ] || nm -S "$1" >"$1.nm"
	: >decoded
	[ -f "$2" ] || {
		fail "no $2"
		return 1
	}
	./decoder "$2" "$1.nm" >decoded || {
		fail "$2: $(cat decoded)"
		return 1
	}
}
calls() {
	awk -v n="$1" '$1 == "calls" && $2 == n { k = $3 } END { print k + 0 }' decoded
}
ticks() {
	awk -v n="$1" '$1 == "ticks" && $2 == n { k = $3 } END { print k + 0 }' decoded
}
# field WORD N: the Nth field of the line that begins so.
field() {
	awk -v w="$1" -v n="$2" '$1 == w { print $n }' decoded
}
# true_that EXPRESSION: awk's arithmetic.
true_that() {
	awk "BEGIN { exit !($1) }"
}
# fair K N P: K of N ticks fit a true share P, 999 times in 1000 (normal bound, and half a tick).
fair() {
	true_that "$2 > 0 && ($1 / $2 - $3) ^ 2 <= (3.29 * sqrt($3 * (1 - $3) / $2) + 0.5 / $2) ^ 2"
}
# twice FUNCTION ...: a check that rests on chance gets a second chance.
twice() {
	"$@" && return
	echo "once more"
	"$@" || fail "twice"
}
