#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# output.sh -- output that cannot be written is an error with a message; a reader that goes away is none.
set -u
bad=0
complain() {
	echo "$*"
	bad=1
}
printf 'section .text 0x1000\nfunc f 0x40\nfunc g 0x40\n' >a.mkelf
printf 'variant a64-le\nhist 0x1000 0x1080 16\nbin 1 30\nbin 9 70\ncells 9\n' >mon.mkmon
"$BUILD/mkelf" a.mkelf a.out && "$BUILD/mkmon" mon.mkmon >mon.out || exit 1

# command ...: standard output goes to a full disk
full() {
	"$@" >/dev/full 2>err
	status=$?
	[ $status -eq 1 ] || complain "$* to a full disk: status $status"
	grep -q 'standard output' err || complain "$* to a full disk: $(cat err)"
}
if [ -c /dev/full ]; then
	full "$BUILD/prof" --hz=100
	full "$BUILD/prof" --help
	full "$BUILD/monmerge" --version
	# a table of many kilobytes fails before its end
	i=0
	while [ $i -lt 5000 ]; do
		echo "func f$i 16"
		i=$((i + 1))
	done | sed '1i section .text 0x1000' >big.mkelf
	printf 'variant a64-le\nhist 0x1000 %u 10000\nbin 0 1 10000\n' $((0x1000 + 80000)) >big.mkmon
	"$BUILD/mkelf" big.mkelf big && "$BUILD/mkmon" big.mkmon >big.mon || exit 1
	full "$BUILD/prof" --hz=100 big big.mon
fi

# closed descriptors: messages never end up in a file that was opened meanwhile
"$BUILD/prof" --hz=100 >&- 2>err
status=$?
[ $status -eq 1 ] && [ -s err ] || complain "closed standard output: status $status: $(cat err)"
"$BUILD/prof" --hz=100 2>&- >out
status=$?
[ $status -eq 0 ] && [ "$(wc -l <out)" -eq 3 ] || complain "closed standard error: status $status"
"$BUILD/monmerge" -o sum mon.out mon.out 2>&- >&- <&-
status=$?
"$BUILD/mkmon" mon.mkmon | cmp -n 24 - sum >diff 2>&1 || complain "all closed: the sum is damaged: $(cat diff)"
"$BUILD/prof" --hz=100 a.out - <&- >out 2>err
status=$?
[ $status -eq 1 ] || [ $status -eq 2 ] || complain "closed standard input: status $status"
[ -s err ] && [ ! -s out ] || complain "closed standard input: $(cat out err)"

# a reader that stops early
("$BUILD/prof" --hz=100 big big.mon 2>err || true) | head -n 1 >out
[ ! -s err ] || complain "a reader that goes away: $(cat err)"
exit $bad
