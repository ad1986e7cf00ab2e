#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-short.sh -- 2000 threads of 2 ms each, one after the other: shorter than a tick, and yet they get theirs.
# serial
# timeout: 90
. "$SRC/tests/collect/lib-native.sh"
profiled clock "$HERE/native-clock.c"

right() {
	rm -f mon.out*
	MONCLOCK=$clock run ./clock short 2000 2
	same "$clock: status, errors" "$rc $(cat err)" "3 "
	native mon.out && clocked $clock || return
	hz=$(field clock 3)
	user_only && cpu=$(said user) || cpu=$(awk '{ s += /^(user|system)/ ? $2 : 0 } END { print s }' out)
	for what in "$(all_ticks) $cpu" "$(ticks first) $(said first)" "$(ticks second) $(said second)"; do
		# shellcheck disable=SC2086
		set -- $what
		in_time "$1" "$hz" "$2" 0.1 3 && continue
		echo "$clock: $1 ticks in $2 s"
		return 1
	done
}
for clock in perf timer; do
	MONCLOCK=$clock run ./clock busy 1 0
	native mon.out && clocked $clock && twice right
done
finish
