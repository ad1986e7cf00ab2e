#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# native-objects.sh -- calls and ticks of shared objects go to their own one: linked, opened, closed, another in its place.
. "$SRC/tests/collect/lib-native.sh"
. "$SRC/tests/collect/lib-many.sh"

# Three libraries of the same size and layout; NAME(ms) works for so long.
for name in apple berry cherry; do
	printf '#include "prog.h"\nWHOLE int %s(int ms) { KEEP; WORK(ms * MS); return ms + 1; }\n' $name >$name.c
	$PCC -O1 -w -I"$HERE" -fPIC -shared $name.c -o lib$name.so || exit 1
done

# ---- linked ----
cat >linked.c <<'END'
#include "prog.h"
int apple(int), berry(int);
PLAIN int f(int x) { KEEP; return x + 1; }
int main(void)
{
	for (int i = 0; i < 11; i++) { f(0); apple(0); berry(0); berry(0); }
	apple(100);
	return 3;
}
END
for lib in "$A" "$SO"; do
	$PCC -O1 -w -I"$HERE" linked.c -o linked -L. -lapple -lberry -Wl,-rpath,"$PWD" $lib -pthread || exit 1
	rm -f mon.out
	run ./linked
	same "linked, ${lib##* -l}: status, errors, files" "$rc $(cat err) $(profiles .)" "3  mon.out"
	native mon.out || continue
	same "linked, ${lib##* -l}: calls" "$(calls f) $(calls apple) $(calls berry) $(calls main)" "11 12 22 1"
	[ "$(ticks apple)" -ge 10 ] || fail "linked, ${lib##* -l}: $(ticks apple) ticks in apple"
	same "linked, ${lib##* -l}: ticks in berry" "$(ticks berry)" 0
done

# ---- opened and closed: the next one comes where the last was ----
profiled dl "$HERE/native-dl.c" -ldl
opened() { # TITLE
	same "$1: status, errors, files" "$rc $(cat err) $(profiles .)" "3  mon.out"
	native mon.out && same "$1: calls" "$(calls f) $(calls apple) $(calls berry) $(calls cherry)" "$2"
}
rm -f mon.out
run ./dl 0 "$PWD/libapple.so" apple 5
opened "opened" "1 6 0 0"
rm -f mon.out
run ./dl 100 "$PWD/libapple.so" apple 5 "$PWD/libberry.so" berry 7 "$PWD/libcherry.so" cherry 9 \
	"$PWD/libapple.so" apple 100
same "how many places" "$(sed 's/.* //' out | sort -u | wc -l)" 1
opened "one after the other in one place" "1 107 8 10"
for f in apple berry cherry; do
	[ "$(ticks $f)" -ge 10 ] || fail "one after the other in one place: $(ticks $f) ticks in $f"
done

# By a relative name, from a directory that is left at once: the path in the file is good all the same.
rm -f mon.out
run ./dl 0 ./libapple.so apple 5
opened "by a relative name" "1 6 0 0"
same "by a relative name: path" "$(awk '$1 == "object" && /apple/ { print $3 }' decoded)" "$PWD/libapple.so"

# 6000 times: as many as there may be, and more; the file does not fill with what is gone.
often=$(awk -v d="$PWD" 'BEGIN { for (i = 0; i < 2000; i++)
	print d "/libapple.so apple 1", d "/libberry.so berry 2", d "/libcherry.so cherry 3" }')
rm -f mon.out
# shellcheck disable=SC2086
run ./dl 0 $often
opened "6000 times" "1 4000 6000 8000"
[ "$(wc -c <mon.out)" -le 1000000 ] || fail "6000 times: a file of $(wc -c <mon.out) bytes"
many_functions 300 >large.c
echo 'int date(int x) { for (int i = 0; i < nmany; i++) x = many[i](x); return x; }' >>large.c
$PCC -O1 -w -fPIC -shared large.c -o libdate.so || exit 1
often=$(awk -v d="$PWD" 'BEGIN { for (i = 0; i < 1000; i++) print d "/libdate.so date 1" }')
rm -f mon.out
# shellcheck disable=SC2086
run ./dl 0 $often
opened "300 functions 1000 times" "1 0 0 0"
same "300 functions 1000 times: calls" "$(calls date) $(calls g0) $(calls g299)" "2000 2000 2000"
[ "$(wc -c <mon.out)" -le 100000 ] || fail "300 functions 1000 times: a file of $(wc -c <mon.out) bytes"
finish
