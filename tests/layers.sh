#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# layers.sh -- who may include whom, and which names each library shows.
set -u
cd "$SRC" || exit 1
bad=0
complain() {
	echo "$*"
	bad=1
}

# Headers that files include: all, and those between quotes.
includes() {
	sed -n 's/^[ 	]*#[ 	]*include[ 	]*[<"]\([^>"]*\)[>"].*/\1/p' "$@"
}
own() {
	sed -n 's/^[ 	]*#[ 	]*include[ 	]*"\([^"]*\)".*/\1/p' "$@"
}
sources=$(find cmd libmonread libmon -name '*.[chS]')
[ -n "$sources" ] || complain "no sources in $SRC"

# ---- headers of other libraries -------------------------------------------------------------------------------------
# only HEADER-ERE FILE-ERE: only files that match may include headers that match
only() {
	for f in $sources; do
		echo "$f" | grep -Eq "$2" && continue
		h=$(includes "$f" | grep -E "$1") && complain "$f includes $h"
	done
}
only '^(gelf|libelf)\.h$|/(gelf|libelf)\.h$' '^libmonread/(object|symtab)\.c$'
only '^zlib\.h$' '^libmonread/(input|write[a-z]*)\.c$'
only 'curses\.h$' '^cmd/montop/screen[a-z]*\.c$'
only 'demangle\.h$' '^cmd/common/[a-z]*\.c$'
only '_impl\.h$' '^(libmonread|libmon)/'

# ---- commands: monread.h, cmd/common, their own folder, libc --------------------------------------------------------
for f in $(find cmd -name '*.[ch]'); do
	dir=$(dirname "$f")
	for h in $(own "$f"); do
		[ "$h" = monread.h ] || [ -f "cmd/common/$h" ] || { [ -f "$dir/$h" ] && [ "$h" = "${h##*/}" ]; } ||
			complain "$f includes \"$h\", which is neither monread.h nor in cmd/common or $dir"
	done
done
for f in cmd/common/*.[ch]; do
	for h in $(own "$f"); do
		[ "$h" = monread.h ] || [ -f "cmd/common/$h" ] || complain "$f includes \"$h\" of a command"
	done
done

# ---- the two libraries share monfmt.h and nothing else --------------------------------------------------------------
for f in $sources; do
	lib=${f%%/*}
	[ "$lib" != cmd ] || continue
	for h in $(own "$f"); do
		base=${h##*/}
		[ "$base" != monfmt.h ] || continue
		[ -n "$(find "$lib" -name "$base")" ] || complain "$f includes \"$h\", which is not in $lib"
		case $h in *../libmon*) complain "$f includes \"$h\"" ;; esac
	done
done
h=$(includes libmonread/*.c | grep -E '^(stdio_ext|curses|pthread)\.h$') && complain "libmonread includes $h"

# ---- nothing in the libraries prints, exits or keeps state ----------------------------------------------------------
# A name that the archive needs from libc: those that print or end the process are none of a library's.
needs=$(nm -u "$BUILD/libmonread.a" | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u)
for n in printf fprintf vprintf puts putchar fputs perror err errx warn warnx stdout stderr exit _exit abort \
	__assert_fail; do
	echo "$needs" | grep -Fxq "$n" && complain "libmonread.a uses $n"
done
if [ -z "${SAN:-}" ]; then # writable data would be shared between threads; tables of addresses are fixed when loaded
	data=$(objdump -h "$BUILD/libmonread.a" |
		awk '$2 ~ /^\.(t?data|t?bss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ { print $2, "of", $3, "bytes" }')
	[ -z "$data" ] || complain "libmonread.a keeps state: $data"
fi

# ---- names that the shared libraries show ---------------------------------------------------------------------------
exported() {
	nm -D --defined-only "$1" | awk '$2 ~ /^[TWBDRViu]$/ { sub(/@.*/, "", $3); print $3 }' | sort -u
}
equal() { # what list what list
	diff "$TMP/$2" "$TMP/$4" >"$TMP/diff" || complain "$1 (<) and $3 (>) differ: $(cat "$TMP/diff")"
}
# The functions of monread.h: comments, macros and braces taken away, what stands before "(".
sed 's,//.*,,' libmonread/monread.h | tr '\n' ' ' | sed 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/,,g' |
	tr ';{}' '\n\n\n' | sed -n 's/.*[ *]\(mon_[a-z0-9_]*\) *(.*/\1/p' | sort -u >"$TMP/declared"
exported "$BUILD/libmonread.so" >"$TMP/shown"
[ "$(wc -l <"$TMP/declared")" -gt 20 ] || complain "monread.h seems to declare few functions: $(cat "$TMP/declared")"
equal monread.h declared libmonread.so shown
# The map: every name in it, when it lists names and not a pattern.
sed 's,/\*.*\*/,,; s/#.*//' libmonread/monread.map | tr -c 'a-z0-9_*' '\n' | grep '^mon_' | sort -u >"$TMP/map"
if ! grep -q '\*' "$TMP/map"; then
	equal monread.map map libmonread.so shown
fi

documented='monitor moncontrol monstartup mon_snapshot profil sprofil mcount _mcount __fentry__ _mcleanup
__monstartup __moncontrol __profil __sprofil pthread_create thrd_create sigaction signal dlclose'
known() { # library: lines of names
	while read -r n; do
		echo $documented | tr ' ' '\n' | grep -Fxq -e "$n" || complain "$1 shows $n"
	done
}
exported "$BUILD/libmon.so" >"$TMP/mon"
known libmon.so <"$TMP/mon"
for n in monitor moncontrol monstartup mon_snapshot profil sprofil mcount; do
	grep -Fxq $n "$TMP/mon" || complain "libmon.so does not show $n"
done
[ "$(ar t "$BUILD/libmon.a" | wc -l)" -eq 1 ] || complain "libmon.a has more than one member: $(ar t "$BUILD/libmon.a")"
nm -g --defined-only "$BUILD/libmon.a" | awk 'NF == 3 { print $3 }' | sort -u >"$TMP/archive"
known libmon.a <"$TMP/archive"
equal libmon.a archive libmon.so mon
exit $bad
