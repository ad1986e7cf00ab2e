#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-preload.sh -- LD_PRELOAD=libmon.so on programs as they are: the same output, all their time, in its objects.
# serial
# timeout: 120
. "$SRC/tests/collect/lib-native.sh"
plain_cc "$HERE/native-cpu.c" -o cpu || exit 1

# preloaded COMMAND ...: without and with it; output and status must be the same.
preloaded() {
	rm -rf dir && mkdir dir
	./cpu times "" "$@" >plain 2>plain.err <input
	plain=$?
	PROFDIR=$PWD/dir ./cpu times "$BUILD/libmon.so" "$@" >out 2>err <input
	same "$1: status" $? $plain
	cmp out plain || fail "$1: another output"
	cmp err plain.err || fail "$1: other errors: $(cat err)"
	same "$1: files" "$(profiles dir | wc -w)" 1
}
# complete NAME: the file that is there has all the time, but what the loader takes before libmon.
complete() {
	native dir/* || return
	hz=$(field clock 3)
	cpu=$(awk -v only="$(user_only && echo 1)" '$1 == "user" || !only { s += $2 } END { print s }' times)
	in_time "$(all_ticks)" "$hz" "$cpu" 0.02 3 || {
		echo "$1: $(all_ticks) ticks in $cpu s"
		return 1
	}
}
objects() { # NAME PATTERN ...: each must fit the path of one
	for pattern in "$@"; do
		grep -Eq "^object [0-9]+ .*$pattern" decoded || fail "$command: no $pattern among $(grep ^object decoded)"
	done
}
tried=0
attempt() { preloaded "$@" && complete "$1"; }

: >input
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
if [ -x "$python" ]; then
	cat >work.py <<'END'
import hashlib, json, sys
n = 0
for i in range(300000):
    n += len(json.dumps([i, str(i)]))
h = hashlib.sha256(b'x' * 80000000).hexdigest()
print(n, h)
sys.exit(5)
END
	tried=$((tried + 1)) command=python3
	twice attempt "$python" work.py
	objects 'libpython|bin/python' 'libcrypto|hash'
fi
if have gzip; then
	awk 'BEGIN { for (i = 0; i < 1500000; i++) print i * 7919 % 1000003 }' >input
	tried=$((tried + 1)) command=gzip
	twice attempt "$(command -v gzip)" -9 -c
	objects gzip
	: >input
fi
if have sqlite3; then
	tried=$((tried + 1)) command=sqlite3
	twice attempt "$(command -v sqlite3)" :memory: 'create table t(n integer primary key, s text);
		with recursive c(n) as (select 1 union all select n + 1 from c where n < 400000)
		insert into t select n, hex(n * 7919 % 10007) from c;
		select count(*), sum(length(s)), max(s) from t; select s, count(*) from t group by s order by 2, 1 limit 3;'
	objects 'libsqlite3|sqlite3' 'libc[.-]'
fi

# ---- threads of a program that knows nothing of profiles ----
cat >threads.c <<'END'
#include "prog.h"
#include <threads.h>
WHOLE void one(void) { WORK(200 * MS); }
WHOLE void two(void) { WORK(400 * MS); }
WHOLE void three(void) { WORK(200 * MS); }
static void *run_one(void *p) { pthread_setname_np(pthread_self(), "one"); one(); return p; }
static void *run_two(void *p) { pthread_setname_np(pthread_self(), "two"); two(); return p; }
static int run_three(void *p) { pthread_setname_np(pthread_self(), "three"); three(); return p != NULL; }
int main(void)
{
	pthread_t a, b;
	thrd_t c;
	if (pthread_create(&a, NULL, run_one, NULL) || pthread_create(&b, NULL, run_two, NULL) ||
	    thrd_create(&c, run_three, NULL))
		return 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	thrd_join(c, NULL);
	return 3;
}
END
plain_cc -falign-functions=32 threads.c -o threads -pthread || exit 1
sampled() {
	preloaded ./threads
	complete threads || return
	for name in one two three; do
		cpu=$(awk -v n=$name '$1 == "thread" && $9 == n { print ($6 + $7) / 1e9 }' decoded)
		got=$(awk -v n=$name '$1 == "thread" && $9 == n { print $5 }' decoded)
		in_time "${got:-0}" "$(field clock 3)" "${cpu:-9}" 0.05 3 && in_time "$(ticks $name)" "$(field clock 3)" "$cpu" 0.1 5 &&
			continue
		echo "thread $name: ${got:-none} ticks, $(ticks $name) in its function, ${cpu:-?} s"
		return 1
	done
}
twice sampled
[ $tried -gt 0 ] || echo "no python3, gzip, sqlite3: not tried"
finish
