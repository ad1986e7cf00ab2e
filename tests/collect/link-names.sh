#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link-names.sh -- the program's own functions called monitor, profil, open, write ... win, and do no harm.
# timeout: 120
. "$SRC/tests/collect/lib-link.sh"

needs_us=1 # glibc's archive has profil and others in one member: not linkable without libmon
for set in LIBMON SYSTEM SYSTEM_TOO WRITES; do
	for lib in "$A" "$SO"; do
		row "own names $set, ${lib##* -l}" "$HERE/names.c" "" "$lib" gcc -p -D$set
		row "own names $set, clang, ${lib##* -l}" "$HERE/names.c" "" "$lib" clang -pg -D$set
	done
done
row "own names LIBMON, static" "$HERE/names.c" "" "$A" gcc -p -static -DLIBMON
for name in monitor moncontrol monstartup profil sprofil; do
	row "own $name, static" "$HERE/names.c" "" "$A" gcc -p -static "-DONE=$name"
	row "own $name, libmon.a" "$HERE/names.c" "" "$A" gcc -p "-DONE=$name"
	row "own $name, libmon.so" "$HERE/names.c" "" "$SO" gcc -p "-DONE=$name"
done
done_linking
