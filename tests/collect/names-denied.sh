#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# names-denied.sh -- without permission to write, or set-user-ID: no file, the program is undisturbed.  Needs root.
. "$SRC/tests/collect/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "only root can become somebody else"
have setpriv || skip "no setpriv"
nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# A folder that everybody can get to, which the test's own is not.
open=$(mktemp -d "${TMPDIR:-/tmp}/prof-open.XXXXXX") || exit 1
trap 'rm -rf "$open"' EXIT
chmod 755 "$open"
mkdir "$open/ours" "$open/theirs" "$open/all"
chmod 755 "$open/ours"
chmod 1777 "$open/all"
chown 65534:65534 "$open/theirs"
profiled place "$HERE/place.c"
cp place "$open/place"
nobody "$open/place" >/dev/null 2>&1
[ $? -eq 3 ] || skip "cannot run a program as somebody else"

settled() {
	same "$1: status, output" "$rc $(cat out)" "3 11"
	same "$1: lines on standard error" "$(wc -l <err)" "$2"
	same "$1: files" "$(profiles "$open/ours")$(profiles "$open/theirs")$(profiles "$open/all")" "${3-}"
}

# ---- no permission ----
run_in "$open/ours" nobody ../place && settled "mon.out in a folder of root's" 1
grep -q "Permission denied" err || fail "no reason given: $(cat err)"
PROFDIR=$open/ours run_in "$open/theirs" nobody ../place && settled "PROFDIR of root's" 1
echo theirs >"$open/all/mon.out" && chmod 644 "$open/all/mon.out" # sticky: only its owner may replace it
run_in "$open/all" nobody ../place && settled "somebody else's mon.out in a sticky folder" 1 mon.out
same "it is unchanged" "$(cat "$open/all/mon.out")" theirs
rm "$open/all/mon.out"
run_in "$open/theirs" nobody ../place && settled "own folder" 0 mon.out
rm "$open/theirs/mon.out"

# ---- set-user-ID, set-group-ID, and monitor() by hand in such a program ----
profiled hand "$HERE/monitor.c" -xc - <<'END' 
int (*const many[50])(int);
END
cp hand "$open/hand"
options=$(awk -v d="$open/" '{ if (index(d, $2) == 1) o = $4 } END { print o }' /proc/mounts)
case $options in *nosuid*) skip "set-user-ID has no effect in $open" ;; esac
run_in "$open/all" nobody ../hand refused
same "monitor() by hand, ordinary: files" "$(profiles "$open/all")" mon.out
rm -f "$open/all/mon.out"
for mode in 4755 2755 6755; do
	cp place "$open/setid" && chmod $mode "$open/setid"
	for dir in theirs all; do
		run_in "$open/$dir" nobody ../setid && settled "mode $mode in $dir" 0
		PROFDIR=$open/$dir run_in "$open/$dir" nobody ../setid && settled "mode $mode, PROFDIR $dir" 0
	done
	chmod $mode "$open/hand"
	run_in "$open/all" nobody ../hand refused
	same "monitor() by hand, mode $mode: files" "$(profiles "$open/all")" ""
done
finish
