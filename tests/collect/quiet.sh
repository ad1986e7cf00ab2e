#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# quiet.sh -- a thread that waits is not disturbed: no EINTR, no short sleep, while it and others are being sampled.
. "$SRC/tests/collect/lib.sh"
profiled quiet "$HERE/quiet.c"
run ./quiet
same "status, disturbed waits" "$rc $(cat out err)" "0 "
decode quiet mon.out && {
	[ "$(ticks work)" -ge 10 ] || fail "only $(ticks work) ticks: nothing was sampled"
}
finish
