#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# memory.sh -- big inputs stay within bounds, and too little memory is a message and status 4, never a signal.
set -u
[ -z "${SAN:-}" ] || { echo "a sanitizer takes more address space than any limit here" && exit 77; }
bad=0
complain() {
	echo "$*"
	bad=1
}
limited() { # KiB command ...
	(
		ulimit -v "$1" || exit 77
		shift
		exec "$@"
	)
}

# ---- every limit on a program and a profile of some size ------------------------------------------------------------
{
	echo "section .text 0x401000"
	i=0
	while [ $i -lt 12000 ]; do
		echo "func f$i 256"
		i=$((i + 1))
	done
} >big.mkelf
printf 'variant a64-le\nhist 0x401000 %u 384000\nbin 0 7 384000\n' $((0x401000 + 12000 * 256)) >big.mkmon
"$BUILD/mkelf" big.mkelf big && "$BUILD/mkmon" big.mkmon >big.mon || exit 1
seen=
kib=2048
while [ $kib -le 65536 ]; do
	limited $kib "$BUILD/prof" --hz=100 -m big.mon big >out 2>err
	status=$?
	case $status in
	0) [ "$(wc -l <out)" -eq 12001 ] || complain "$kib KiB: status 0, but $(wc -l <out) lines" ;;
	4) grep -q memory err || complain "$kib KiB: status 4 without a word of memory: $(cat err)" ;;
	126 | 127) ;; # the loader itself found no room
	*) complain "$kib KiB: status $status: $(cat err)" ;;
	esac
	seen="$seen $status"
	kib=$((kib + kib / 16))
done
case $seen in *" 4"*) ;; *) complain "no limit led to status 4:$seen" ;; esac
case $seen in *" 0"*) ;; *) complain "no limit was enough:$seen" ;; esac

# ---- twice the file and 16 MiB are enough, and 2 seconds ------------------------------------------------------------
printf 'section .text 0x401000\nfunc f 16000000\n' >wide.mkelf
printf 'variant a64-le\nhist 0x401000 %u 4000000\nbin 0 300 4000000\n' $((0x401000 + 16000000)) >wide.mkmon
"$BUILD/mkelf" wide.mkelf wide && "$BUILD/mkmon" wide.mkmon >wide.mon || exit 1
kib=$((2 * $(wc -c <wide.mon) / 1024 + 16384))
limited $kib timeout 2 "$BUILD/prof" --hz=100 -h wide wide.mon >out 2>err ||
	complain "$kib KiB and 2 s are not enough for a profile of $(wc -c <wide.mon) bytes: status $?: $(cat err)"
# 4 000 000 x 300 ticks of 100 Hz are 12 000 000 s
[ "$(awk '{ print $2 }' out)" = 12000000.00 ] || complain "a big profile adds up wrong: $(cat out)"
limited $kib timeout 2 "$BUILD/monmerge" -o sum wide.mon wide.mon >out 2>err ||
	complain "$kib KiB and 2 s are not enough to sum profiles of $(wc -c <wide.mon) bytes: status $?: $(cat err)"

# the same of native profiles: 2 000 000 bins of 8 bytes with 300 ticks of 250 Hz are 2 400 000 s
for state in finished live; do
	{
		echo "variant native-64-le"
		[ $state = finished ] || echo live
		printf 'process 1\nclock 1\nobject 0x401000 %u\npath wide\nbin 0 300 2000000\ncell 0x401005 7\n' $((0x401000 + 16000000))
	} >native.mkmon
	"$BUILD/mkmon" native.mkmon >native.mon || exit 1
	kib=$((2 * $(wc -c <native.mon) / 1024 + 16384))
	limited $kib timeout 2 "$BUILD/prof" -h wide native.mon >out 2>err ||
		complain "$kib KiB and 2 s are not enough for a $state profile of $(wc -c <native.mon) bytes: status $?: $(cat err)"
	[ "$(awk '{ print $2 }' out)" = 2400000.00 ] || complain "a big $state profile adds up wrong: $(cat out)"
	limited $((2 * kib)) timeout 3 "$BUILD/monmerge" -o sum native.mon native.mon >out 2>err ||
		complain "$kib KiB and 3 s are not enough to sum $state profiles of $(wc -c <native.mon) bytes: status $?: $(cat err)"
done

# ---- much more inside a compressed file than there is memory --------------------------------------------------------
head -c 300000000 /dev/zero | gzip -1 >bomb.gz
limited 100000 timeout 10 "$BUILD/prof" -m bomb.gz big >out 2>err
status=$?
case $status in
2 | 4) [ -s err ] || complain "a compressed giant: status $status without a word" ;;
*) complain "a compressed giant: status $status: $(cat err)" ;;
esac
exit $bad
