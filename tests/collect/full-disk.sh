#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# full-disk.sh -- a file system without room: one line, no half file, the older profile stays.  Needs root.
. "$SRC/tests/collect/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "only root can mount"
have unshare || skip "no unshare"
profiled place "$HERE/place.c"
mkdir disk
# shellcheck disable=SC2016
unshare -m sh -c '
	mount -t tmpfs -o size=64k prof-test disk || exit 77
	cd disk && echo older >mon.out
	head -c 1000000 /dev/zero >zeros 2>/dev/null
	../place >../out 2>../err
	echo "rc $?" >../facts
	echo "files" $(ls -A) >>../facts
	echo "older $(cat mon.out)" >>../facts
	rm zeros
	../place >/dev/null 2>../err2
	cp mon.out ../later.out
' 2>log || skip "cannot mount a file system here: $(tail -n 1 log)"
same "status, output" "$(sed -n 's/^rc //p' facts) $(cat out)" "3 11"
same "lines on standard error" "$(wc -l <err)" 1
grep -q "space" err || fail "no reason: $(cat err)"
same "files" "$(sed -n 's/^files //p' facts)" "mon.out zeros"
same "older profile" "$(sed -n 's/^older //p' facts)" older
same "with room again: errors" "$(cat err2)" ""
decode place later.out && same "with room again: calls" "$(calls f)" 11
finish
