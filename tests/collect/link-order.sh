#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link-order.sh -- -lmon before the source, link-time optimisation, other linkers, flags that change the call of mcount.
# timeout: 120
. "$SRC/tests/collect/lib-link.sh"

s=$HERE/eleven.c
for lib in "$A" "$SO"; do
	name=${lib##* -l}
	row "$name first" "$s" "$lib" "" gcc -p
	row "$name first, static" "$s" "-L$BUILD -l:libmon.a" "" gcc -p -static
	row "gcc -flto, $name" "$s" "" "$lib" gcc -p -flto
	row "gcc -flto, $name first" "$s" "$lib" "" gcc -p -flto
	row "gcc -flto -no-pie, $name" "$s" "" "$lib" gcc -p -flto -fno-pie -no-pie
	row "clang -flto, $name" "$s" "" "$lib" clang -pg -flto -fuse-ld=lld
	row "clang -flto=thin, $name" "$s" "" "$lib" clang -pg -flto=thin -fuse-ld=lld
	row "--as-needed, $name" "$s" "" "$lib" gcc -p -Wl,--as-needed
	row "--as-needed, clang, $name" "$s" "" "$lib" clang -pg -Wl,--as-needed
	for linker in gold lld bfd mold; do
		row "gcc -fuse-ld=$linker, $name" "$s" "" "$lib" gcc -p -fuse-ld=$linker
		row "clang -fuse-ld=$linker, $name" "$s" "" "$lib" clang -pg -fuse-ld=$linker
	done
	row "-fno-plt, $name" "$s" "" "$lib" gcc -p -fno-plt
	row "-z now -z relro, $name" "$s" "" "$lib" gcc -p -Wl,-z,now,-z,relro
	row "--gc-sections, $name" "$s" "" "$lib" gcc -p -ffunction-sections -Wl,--gc-sections
	row "-mfentry, $name" "$s" "" "$lib" gcc -pg -mfentry
	row "-mfentry -no-pie, $name" "$s" "" "$lib" gcc -pg -mfentry -fno-pie -no-pie
	row "-fcf-protection, $name" "$s" "" "$lib" gcc -p -fcf-protection=full
	row "-mcmodel=large, $name" "$s" "" "$lib" gcc -p -mcmodel=large -fno-pie -no-pie
	row "-rdynamic, $name" "$s" "" "$lib" gcc -p -rdynamic
done
row "libmon.a twice and both ways" "$s" "$A" "$A" gcc -p
row "archive and shared library" "$s" "" "$A $SO" gcc -p
done_linking
