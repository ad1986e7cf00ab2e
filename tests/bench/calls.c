/* SPDX-License-Identifier: BSD-2-Clause */
/* calls.c -- ns of CPU time per call: one callee from one place, recursion, 4096 callees at random from one place. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NI	__attribute__((noinline))
#define BODY(x) __asm__ volatile("" : "+r"(x))

NI static int one(int x)
{
	BODY(x);
	return x + 1;
}

NI static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

#define CALLEE(n)                                                                                                      \
	NI static int callee##n(int x)                                                                                 \
	{                                                                                                              \
		BODY(x);                                                                                               \
		return x + 1##n - 10000;                                                                               \
	}
#define ADDRESS(n) callee##n,
/* clang-format off */
#define TIMES8(m, p) m(p##0) m(p##1) m(p##2) m(p##3) m(p##4) m(p##5) m(p##6) m(p##7)
#define TIMES64(m, p) \
	TIMES8(m, p##0) TIMES8(m, p##1) TIMES8(m, p##2) TIMES8(m, p##3) \
	TIMES8(m, p##4) TIMES8(m, p##5) TIMES8(m, p##6) TIMES8(m, p##7)
#define TIMES512(m, p) \
	TIMES64(m, p##0) TIMES64(m, p##1) TIMES64(m, p##2) TIMES64(m, p##3) \
	TIMES64(m, p##4) TIMES64(m, p##5) TIMES64(m, p##6) TIMES64(m, p##7)
#define TIMES4096(m) \
	TIMES512(m, 0) TIMES512(m, 1) TIMES512(m, 2) TIMES512(m, 3) \
	TIMES512(m, 4) TIMES512(m, 5) TIMES512(m, 6) TIMES512(m, 7)
/* clang-format on */

TIMES4096(CALLEE)
static int (*const callee[4096])(int) = { TIMES4096(ADDRESS) };
static volatile int sink;

static void run_one(long n)
{
	int x = 0;
	for (long i = 0; i < n; i++)
		x = one(x);
	sink = x;
}

static void run_fib(long n)
{
	for (long i = 0; i < n; i += 242785) /* calls made by fib(25) */
		sink = fib(25);
}

static void run_many(long n)
{
	unsigned random = 1;
	int x = 0;
	for (long i = 0; i < n; i++) {
		random = random * 1664525 + 1013904223;
		x = callee[random >> 20](x);
	}
	sink = x;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double per_call(void (*run)(long), long n)
{
	double best = 1e18;
	run(n / 4);
	for (int i = 0; i < 3; i++) {
		double start = now();
		run(n);
		double ns = (now() - start) / (double)n;
		best = ns < best ? ns : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	long many = argc > 1 ? atol(argv[1]) : 2000000;
	printf("%.3f %.3f %.3f\n", per_call(run_one, 10000000), per_call(run_fib, 2427850), per_call(run_many, many));
	return 0;
}
