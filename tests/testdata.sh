#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# testdata.sh -- every sample is what its text says, and is in the table of testdata/README.md.
set -u
cd "$SRC/testdata" || exit 1
bad=0
for f in */*.mkmon */*.mkelf; do
	name=${f%.*}
	grep -q "^| $name |" README.md || { echo "README.md does not list $name" && bad=1; }
done
for f in */*.mkmon; do
	"$BUILD/mkmon" "$f" | cmp -s - "${f%.mkmon}.mon" || { echo "${f%.mkmon}.mon is not what $f says" && bad=1; }
done
for f in */*.mon; do
	[ -f "${f%.mon}.mkmon" ] || { echo "$f has no text" && bad=1; }
done
sed -n 's/^| \([a-z0-9-]*\/[^ ]*\) |.*/\1/p' README.md >"$TMP/listed"
while read -r name; do
	[ -f "$name.mkmon" ] || [ -f "$name.mkelf" ] || { echo "README.md lists $name, which is not there" && bad=1; }
done <"$TMP/listed"
[ -s "$TMP/listed" ] && [ $bad -eq 0 ]
