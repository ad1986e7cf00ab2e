#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# counts-many.sh -- 5000 functions, far more than the 600 cells of the default profile: each is there with its count.
# timeout: 120
. "$SRC/tests/collect/lib.sh"
. "$SRC/tests/collect/lib-many.sh"

many_functions 5000 >functions.c
profiled many "$HERE/many.c" functions.c
run ./many
same "status, errors" "$rc $(cat err)" "0 "
decode many mon.out || finish
same "cells in use" "$(field cells 3)" 5002 # and main and part
[ "$(field cells 2)" -ge 5002 ] || fail "only $(field cells 2) cells reserved"
awk '$1 == "calls" && $2 ~ /^g[0-9]+$/ {
		seen++
		if ($3 != substr($2, 2) % 13 + 1) { print $2 " was called " $3 " times"; bad++ }
	}
	END { if (seen != 5000) print seen " functions of 5000"; exit bad || seen != 5000 }' decoded >wrong ||
	fail "$(head -n 5 wrong)"
finish
