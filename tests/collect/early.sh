#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# early.sh -- calls before the program is set up: IFUNC resolvers, .preinit_array, constructors; its own allocator.
. "$SRC/tests/collect/lib.sh"
have gcc || skip "no gcc"

cat >early.c <<'END'
#include "eleven.h"
typedef int function(int);
static int before;
PLAIN int chosen(int x) { KEEP; return x + 1; }
PLAIN function *resolver(void) { before++; return chosen; }
int indirect(int x) __attribute__((ifunc("resolver")));
PLAIN void preinit(void) { before++; }
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = preinit;
__attribute__((constructor(101))) PLAIN void early(void) { before++; }
__attribute__((constructor)) PLAIN void later(void) { f(0); }
__attribute__((destructor)) PLAIN void final(void) { before++; }
int main(void)
{
	int s = 0;
	for (int i = 0; i < 11; i++)
		s = indirect(s);
	for (int i = 0; i < 10; i++)
		f(i);
	burn();
	printf("%d\n", before >= 3 ? s : before);
	return 3;
}
END
for flags in "-fPIE -pie" "-fno-pie -no-pie" "-static" "-fPIE -static-pie" "-Wl,-z,now"; do
	for lib in "$A" "$SO"; do
		case $flags$lib in *static*-lmon) continue ;; esac
		title="$flags ${lib##* -l}"
		gcc $flags -O1 -w -I"$HERE" early.c -o early -pthread 2>log && run ./early && [ $rc -eq 3 ] || {
			echo "not tried, $title: $(tail -n 1 log)"
			continue
		}
		gcc -p $flags -O1 -w -I"$HERE" early.c -o early $lib -pthread 2>log || {
			fail "$title: $(tail -n 1 log)"
			continue
		}
		rm -f early.nm mon.out
		run ./early
		same "$title: status, output" "$rc $(cat out err)" "3 11"
		decode early mon.out && same "$title: calls" "$(calls chosen) $(calls f)" "11 11"
	done
done

# An allocator that the program brings itself is not used by us: as many calls with and without, before main and later.
cat >alloc.c <<'END'
#include "prog.h"
static char pool[1 << 24];
static size_t used;
static int calls, at_main;
#define QUIET __attribute__((no_instrument_function))
QUIET void *malloc(size_t n)
{
	n = (n + 31) / 16 * 16;
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	size_t at = __atomic_fetch_add(&used, n, __ATOMIC_RELAXED);
	return at + n > sizeof pool ? NULL : pool + at;
}
QUIET void free(void *p) { calls += p != NULL; }
QUIET void *calloc(size_t n, size_t m) { return malloc(n * m); }
QUIET void *realloc(void *p, size_t n) { void *q = malloc(n); if (p && q) memcpy(q, p, n); return q; }
PLAIN int f(int x) { KEEP; return x + 1; }
static void *work(void *arg) { for (int i = 0; i < 11; i++) f(i); WORK(15 * MS); return arg; }
QUIET static void tell(void)
{
	char line[60];
	write(1, line, snprintf(line, sizeof line, "before %d\nall %d\n", at_main, calls));
}
int main(void)
{
	pthread_t t;
	at_main = calls;
	atexit(tell);
	for (int i = 0; i < 3; i++) { pthread_create(&t, NULL, work, NULL); pthread_join(t, NULL); }
	return 3;
}
END
plain_cc alloc.c -o alloc -pthread && run ./alloc && [ $rc -eq 3 ] && {
	mv out wanted
	for lib in "$A" "$SO"; do
		$PCC -O1 -w -I"$HERE" alloc.c -o counted $lib -pthread || exit 1
		rm -f counted.nm mon.out
		run ./counted
		same "own allocator, ${lib##* -l}: status, calls of it" "$rc $(cat out err)" "3 $(cat wanted)"
		decode counted mon.out && same "own allocator, ${lib##* -l}: calls" "$(calls f)" 33
	done
}
finish
