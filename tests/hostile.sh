#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hostile.sh -- damaged and strange inputs: one clear message, the right status, in time, nothing on standard output.
# timeout: 120
set -u
bad=0
complain() {
	echo "$*"
	bad=1
}

# ask STATUS PATTERN ARGS ...: prof must end so, with a message that matches, and print no table.
ask() {
	want=$1 pattern=$2
	shift 2
	timeout 10 "$BUILD/prof" "$@" >out 2>err </dev/null
	got=$?
	case " $want " in *" $got "*) ;; *) complain "prof $*: status $got, not $want: $(cat -v err)" ;; esac
	grep -Eq -e "$pattern" err || complain "prof $*: nothing matches '$pattern': $(cat -v err)"
	[ ! -s out ] || complain "prof $*: prints on standard output"
	[ "$(wc -l <err)" -le 8 ] || complain "prof $*: more than 8 lines of message"
	grep -Eq '(AddressSanitizer|runtime error|Sanitizer:)' err && complain "prof $*: $(cat err)"
	LC_ALL=C tr -d '\n' <err | LC_ALL=C grep -q '[[:cntrl:]]' && complain "prof $*: a control character is printed"
}

"$BUILD/mkelf" "$SRC/testdata/elf/64-le.mkelf" program || exit 1

# ---- damaged profiles -----------------------------------------------------------------------------------------------
n=0
for f in "$SRC"/testdata/bad/*.mkmon; do
	n=$((n + 1))
	# shellcheck disable=SC2046
	ask 2 "$(sed -n 's/^# error: //p' "$f")" $(sed -n 's/^# args: //p' "$f") -m "${f%.mkmon}.mon" program
done
[ $n -gt 20 ] || complain "only $n damaged profiles"

# ---- damaged programs: refused, or read as far as they are whole ----------------------------------------------------
"$BUILD/mkmon" "$SRC/testdata/a64-le/typical.mkmon" >profile || exit 1
n=0
for f in "$SRC"/testdata/bad/*.mkelf; do
	n=$((n + 1))
	"$BUILD/mkelf" "$f" bad.elf || complain "cannot make $f"
	ask '2 3' . -m profile bad.elf
done
[ $n -gt 10 ] || complain "only $n damaged programs"
head -c 100 program >short.elf
ask 3 . -m profile short.elf

# ---- files that are no files, and files of other kinds --------------------------------------------------------------
mkfifo fifo
ask 1\ 2 'named pipe|not a (regular )?file' -m fifo program
ask 1\ 2 'device|not a (regular )?file' -m /dev/zero program
ask 1\ 2 'device|not a (regular )?file' -m /dev/null program
mkdir directory
ask 1 'directory' -m directory program
ask 1 'directory' directory program
ln -s loop loop
ask 1\ 2 '.' -m loop program
: >empty
ask 2 '.' -m empty program
ask 3\ 2\ 1 '.' -m profile fifo
ask 3\ 1 '.' -m profile directory
ask 2 '(program|ELF)' -m program program
printf 'some text that is no profile\n%s\n' "$(seq 1 2000)" >text
ask 2 '.' -m text program
ask 2\ 3 '.' text program
truncate -s 1T sparse 2>/dev/null && ask 2\ 1 '.' -m sparse program
truncate -s 1T sparse 2>/dev/null && ask 3\ 2\ 1 '.' -m profile sparse

# gzip: damaged, cut, and with much more inside than there is memory for it
gzip -c profile >whole.gz
head -c 40 whole.gz >cut.gz
ask 2 'compressed|gzip' -m cut.gz program
{ head -c 20 whole.gz && printf '\377\377\377\377' && tail -c +25 whole.gz; } >broken.gz
ask 2 '.' -m broken.gz program

# ---- the fuzz targets on all samples --------------------------------------------------------------------------------
mkdir seeds
for f in "$SRC"/testdata/*/*.mkelf; do
	"$BUILD/mkelf" "$f" "seeds/$(basename "$f" .mkelf)" || complain "cannot make $f"
done
replay() { # target files ...
	target=$1
	shift
	"$BUILD/replay/$target" "$@" >replay.log 2>&1 || complain "replay of $target: $(tail -n 20 replay.log)"
}
replay object seeds/* program "$SRC"/testdata/bad/*.mon
replay profile seeds/* "$SRC"/testdata/*/*.mon
exit $bad
