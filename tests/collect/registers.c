/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.c -- functions with every kind of argument; prints a line of bits for each call.
 *
 * Each function is called twice in a thread of its own: first the slow way, then the fast way.  The output must be the
 * same with and without call counting, with errno, the rounding mode and the signal mask as they were.
 */
#include "prog.h"

#include <complex.h>
#include <fenv.h>
#include <stdarg.h>

#ifdef __AVX512F__
typedef double wide __attribute__((vector_size(64)));
#elif defined __AVX__
typedef double wide __attribute__((vector_size(32)));
#else
typedef double wide __attribute__((vector_size(16)));
#endif
typedef float quad __attribute__((vector_size(16)));
__extension__ typedef __int128 huge;
struct mixed {
	double d;
	long l;
};
struct pair {
	float a, b, c, d;
};
struct big {
	long v[7];
};

static uint64_t bits; /* of everything that came in, in order */

__attribute__((no_instrument_function)) static void mix(const void *p, size_t size)
{
	const unsigned char *b = p;
	for (size_t i = 0; i < size; i++)
		bits = (bits ^ b[i]) * 1099511628211U;
}
#define MIX(x) mix(&(x), sizeof(x))

PLAIN long ints(long a, long b, long c, long d, long e, long f, long g, short h, char i)
{
	MIX(a), MIX(b), MIX(c), MIX(d), MIX(e), MIX(f), MIX(g), MIX(h), MIX(i);
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

PLAIN double floats(double a, float b, double c, float d, double e, float f, double g, double h, double i, float j)
{
	MIX(a), MIX(b), MIX(c), MIX(d), MIX(e), MIX(f), MIX(g), MIX(h), MIX(i), MIX(j);
	return a - b * c - d * e - f * g - h * i - j;
}

PLAIN wide vectors(wide a, wide b, wide c, wide d, wide e, wide f, wide g, wide h)
{
	MIX(a), MIX(b), MIX(c), MIX(d), MIX(e), MIX(f), MIX(g), MIX(h);
	return a + b * c + d * e + f * g + h;
}

PLAIN quad quads(quad a, long b, quad c, long d, quad e)
{
	MIX(a), MIX(b), MIX(c), MIX(d), MIX(e);
	return a * c + e + (float)(b - d);
}

PLAIN long several(int n, ...)
{
	va_list ap;
	long sum = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++) {
		double d = va_arg(ap, double);
		long l = va_arg(ap, long);
		MIX(d), MIX(l);
		sum += l + (long)d;
	}
	va_end(ap);
	return sum;
}

PLAIN struct mixed structs(struct mixed a, struct pair b, struct mixed c)
{
	MIX(a.d), MIX(a.l), MIX(b), MIX(c.d), MIX(c.l);
	return (struct mixed){ a.d + b.a + b.d + c.d, a.l - c.l };
}

PLAIN struct big memory(struct big a, long b)
{
	MIX(a), MIX(b);
	a.v[3] += b;
	return a;
}

PLAIN huge huges(huge a, long b, huge c)
{
	MIX(a), MIX(b), MIX(c);
	return a * c + b;
}

PLAIN long double longs(long double a, double b, long double c)
{
	double x = (double)a, y = (double)c;
	MIX(x), MIX(b), MIX(y);
	return a * c + b;
}

PLAIN double complex complexes(double complex a, float complex b)
{
	MIX(a), MIX(b);
	return a * b;
}

#ifdef __x86_64__
#define FOREIGN __attribute__((ms_abi))
#else
#define FOREIGN
#endif
PLAIN FOREIGN double foreign(long a, double b, long c, double d, long e)
{
	MIX(a), MIX(b), MIX(c), MIX(d), MIX(e);
	return (double)(a + c - e) * b / d;
}

static volatile double x = 1.0 / 3;
static volatile long n = 0x123456789abcdefL;

static void call_ints(void)
{
	long r = ints(n, n + 1, n ^ 3, n << 3, ~n, n / 7, -n, (short)n, (char)n);
	MIX(r);
}

static void call_floats(void)
{
	double r = floats(x, (float)x * 2, x / 3, (float)x, x * x, (float)-x, x + 1, x + 2, x + 3, (float)x / 5);
	MIX(r);
}

static void call_vectors(void)
{
	wide v, r;
	for (size_t i = 0; i < sizeof v / sizeof(double); i++)
		v[i] = x * (double)(i + 1);
	r = vectors(v, v * 2, v / 3, v - 4, v * v, -v, v + 7, v * 8);
	MIX(r);
}

static void call_quads(void)
{
	quad q = { (float)x, (float)x * 2, 3, (float)-x }, r = quads(q, n, q * 2, ~n, q - 3);
	MIX(r);
}

static void call_several(void)
{
	long r = several(6, x, n, x * 2, n + 1, x / 3, -n, x * 4e10, n / 3, -x, n * 2, x + 9, 7L) + several(0) +
		 several(1, x, n);
	MIX(r);
}

static void call_structs(void)
{
	struct mixed m = { x, n };
	struct pair p = { (float)x, 2, (float)-x, 4 };
	struct mixed r = structs(m, p, (struct mixed){ x * 9, -n });
	MIX(r.d), MIX(r.l);
}

static void call_memory(void)
{
	struct big b = { { n, 1, 2, 3, n * 2, 5, 6 } }, r = memory(b, ~n);
	MIX(r);
}

static void call_huges(void)
{
	huge r = huges((huge)n << 60, n, -(huge)n * n);
	MIX(r);
}

static void call_longs(void)
{
	double r = (double)longs(1.0L / 3 * n, x, 2.0L / 7 * n);
	MIX(r);
}

static void call_complexes(void)
{
	double complex r = complexes(x + 2 * x * I, (float)x - 3 * I);
	MIX(r);
}

static void call_foreign(void)
{
	double r = foreign(n, x, -n, x * 3, n / 5);
	MIX(r);
}

#ifndef __clang__
static void call_nested(void)
{
	long outer = n, sum = 0;
	__extension__ WHOLE long inner(long a, double b)
	{
		MIX(a), MIX(b);
		outer += a;
		return outer + (long)b;
	}
	long (*volatile through)(long, double) = inner;
	for (int i = 0; i < 3; i++)
		sum += inner(i, x) + through(sum, x * 2);
	MIX(sum), MIX(outer);
}
#endif

static const struct {
	const char *name;
	void (*call)(void);
} cases[] = {
	{ "ints", call_ints },		 { "floats", call_floats },   { "vectors", call_vectors },
	{ "quads", call_quads },	 { "several", call_several }, { "structs", call_structs },
	{ "memory", call_memory },	 { "huges", call_huges },     { "longs", call_longs },
	{ "complexes", call_complexes }, { "foreign", call_foreign },
#ifndef __clang__
	{ "nested", call_nested },
#endif
};

/* Not counted itself, so that the case's own calls are the thread's first. */
UNSEEN void *try_case(void *arg)
{
	long i = (long)arg;
	sigset_t mask, now;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	fesetround(i & 1 ? FE_UPWARD : FE_TOWARDZERO);
	errno = 4000 + (int)i;
	for (int round = 0; round < 2; round++) {
		bits = 14695981039346656037U;
		cases[i].call();
		int error = errno, mode = fegetround();
		pthread_sigmask(SIG_SETMASK, NULL, &now);
		printf("%s %016lx %d %d %d%d\n", cases[i].name, bits, error, mode, sigismember(&now, SIGUSR2),
		       sigismember(&now, SIGPROF));
		errno = error;
	}
	return NULL;
}

int main(void)
{
	for (long i = 0; i < (long)(sizeof cases / sizeof *cases); i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, try_case, (void *)i))
			return 1;
		pthread_join(t, NULL);
	}
	return 0;
}
