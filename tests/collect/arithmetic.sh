#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# arithmetic.sh -- libmon's bin arithmetic is the classical one for all addresses, offsets, scales and sizes.
. "$SRC/tests/collect/lib.sh"

for flags in -O2 "-O1 -fsanitize=undefined -fno-sanitize-recover"; do
	plain_cc -std=gnu11 $flags "$HERE/arithmetic.c" -o arithmetic 2>log || {
		echo "not tried, $flags: $(tail -n 1 log)"
		continue
	}
	run ./arithmetic
	same "$flags: status" $rc 0
	[ $rc -eq 0 ] || cat out err
done
finish
