/* SPDX-License-Identifier: BSD-2-Clause */
/* profil.c -- profil() and sprofil() by hand: profil MODE SIZE-OF-HOT [SCALE].  Prints words and numbers.
 *
 * "inside" are the ticks in the counters that the classical arithmetic gives to hot, "all" those in any counter.
 */
#include "prog.h"

#include <sys/profil.h>

#define GUARD 512 /* counters */
#define FILL  0x5a5a

PLAIN void hot(unsigned long turns)
{
	WORK(turns);
}

PLAIN void cold(unsigned long turns)
{
	WORK(turns);
}

static uintptr_t hot_low, hot_high, text_low;
static double spent;
static unsigned short *volatile no_buffer;
static struct prof *volatile no_regions;

/* Counters between guards. */
static unsigned short *counters(size_t n)
{
	unsigned short *p = calloc(n + 2 * GUARD, sizeof *p);
	if (!p)
		exit(1);
	for (size_t i = 0; i < GUARD; i++)
		p[i] = p[GUARD + n + i] = FILL;
	return p + GUARD;
}

static int guarded(const unsigned short *p, size_t n)
{
	for (size_t i = 0; i < GUARD; i++)
		if (p[-1 - (long)i] != FILL || p[n + i] != FILL)
			return 0;
	return 1;
}

static size_t bin(uintptr_t pc, uintptr_t offset, unsigned scale, unsigned unit)
{
	__extension__ typedef unsigned __int128 u128;
	return (size_t)((u128)((pc - offset) / unit) * scale / 65536);
}

static void burn(void)
{
	double t = THREAD_CPU();
	hot(160 * MS);
	spent = THREAD_CPU() - t;
}

static void off(void)
{
	int r = profil(no_buffer, 0, 0, 0);
	printf("off %d\ncpu %f\n", r, spent);
}

static void scaled(unsigned scale)
{
	size_t n = bin(text_low + 0x8000, text_low, scale, 2) + 4;
	unsigned short *b = counters(n);
	unsigned long inside = 0, all = 0;
	errno = 77;
	printf("on %d\nerrno %d\n", profil(b, n * sizeof *b, text_low, scale), errno);
	burn();
	off();
	for (size_t i = 0; i < n; i++) {
		all += b[i];
		if (i >= bin(hot_low, text_low, scale, 2) && i <= bin(hot_high - 1, text_low, scale, 2))
			inside += b[i];
	}
	printf("inside %lu\nall %lu\nguarded %d\n", inside, all, guarded(b, n));
}

/* All that switch it off while it runs: 0 and 1 as scale, no buffer, no size. */
static void switched(unsigned how)
{
	size_t n = 0x10000;
	unsigned short *b = counters(n), *c = counters(n);
	unsigned long all = 0;
	profil(b, n * sizeof *b, text_low, 0x10000);
	int r = how == 2   ? profil(no_buffer, n * sizeof *c, text_low, 0x10000)
		: how == 3 ? profil(c, 0, text_low, 0x10000)
			   : profil(c, n * sizeof *c, text_low, how);
	memset(b, 0, n * sizeof *b);
	burn();
	for (size_t i = 0; i < n; i++)
		all += b[i] + c[i];
	printf("on %d\nall %lu\nguarded %d\n", r, all, guarded(b, n) && guarded(c, n));
}

/* Each counter stops at 65535. */
static void full(unsigned unused)
{
	size_t n = 4, low = 0, top = 0;
	unsigned short *b = counters(n);
	(void)unused;
	for (size_t i = 0; i < n; i++)
		b[i] = 65530;
	profil(b, n * sizeof *b, text_low, 2);
	burn();
	off();
	for (size_t i = 0; i < n; i++) {
		low += b[i] < 65530;
		top += b[i] == 65535;
	}
	printf("lower %zu\ntop %zu\nguarded %d\n", low, top, guarded(b, n));
}

/* A new call takes the place of the old; the old buffer is not touched any more. */
static void replaced(unsigned unused)
{
	size_t n = 0x10000;
	unsigned short *b = counters(n), *c = counters(n);
	unsigned long old = 0, all = 0;
	(void)unused;
	profil(b, n * sizeof *b, text_low, 0x10000);
	burn();
	profil(c, n * sizeof *c, text_low, 0x8000);
	memset(b, 0, n * sizeof *b);
	burn();
	off();
	for (size_t i = 0; i < n; i++) {
		old += b[i];
		all += c[i];
	}
	printf("old %lu\nall %lu\nguarded %d\n", old, all, guarded(b, n) && guarded(c, n));
}

/* The compiler does not know what becomes of it. */
#define KEEP_POINTER(p) __asm__ volatile("" : : "r"(p) : "memory")

/* hot in one region, cold in another, the rest in the overflow counter. */
static void regions(unsigned scale, unsigned flags)
{
	unsigned unit = flags & PROF_UINT ? sizeof(unsigned) : sizeof(unsigned short);
	size_t n = bin(hot_high - 1, hot_low, scale, unit) + 1, bytes = n * unit; /* hot and cold are alike */
	void *h = counters(2 * n), *c = counters(2 * n), *rest = counters(2 * n);
	unsigned long in_hot = 0, in_cold = 0, outside = 0;
	struct prof p[] = { { h, bytes, (size_t)&hot, scale },
			    { c, bytes, (size_t)&cold, scale },
			    { rest, bytes, 0, 2 } };
	struct timeval tick = { 9, 9 };
	printf("on %d\n", sprofil(p, 3, &tick, flags));
	memset(p, 0, sizeof p); /* it was copied */
	double t = THREAD_CPU();
	hot(100 * MS);
	cold(100 * MS);
	/* Not in this text, and without reading a clock: under load, who does that is hardly met by the scheduler's tick. */
	char *zeros = calloc(1, 1 << 20);
	for (unsigned i = 0; i < 12000; i++)
		KEEP_POINTER(memchr(zeros, 1, 1 << 20));
	spent = THREAD_CPU() - t;
	printf("off %d\ncpu %f\ntick %ld.%06ld\n", sprofil(no_regions, 0, NULL, 0), spent, tick.tv_sec, tick.tv_usec);
#define AT(b, i) (flags & PROF_UINT ? ((unsigned *)(b))[i] : ((unsigned short *)(b))[i])
	for (size_t i = 0; i < n; i++) {
		in_hot += AT(h, i);
		in_cold += AT(c, i);
	}
	for (size_t i = 1; i < n; i++)
		outside += AT(rest, i);
	printf("hot %lu\ncold %lu\nrest %u\nelsewhere %lu\nguarded %d\n", in_hot, in_cold, AT(rest, 0), outside,
	       guarded(h, 2 * n) && guarded(c, 2 * n) && guarded(rest, 2 * n));
}

static void shorts(unsigned scale)
{
	regions(scale, PROF_USHORT);
}

static void wide(unsigned scale)
{
	regions(scale, PROF_UINT);
}

/* Only the counter of everything. */
static void everything(unsigned unused)
{
	unsigned short *b = counters(4);
	struct prof p = { b, 4 * sizeof *b, 0, 2 };
	(void)unused;
	printf("on %d\n", sprofil(&p, 1, NULL, 0));
	burn();
	printf("off %d\ncpu %f\n", sprofil(no_regions, 0, NULL, 0), spent);
	printf("rest %u\nelsewhere %d\nguarded %d\n", b[0], b[1] + b[2] + b[3], guarded(b, 4));
}

static void negative(unsigned unused)
{
	struct prof p = { NULL, 0, 0, 2 };
	(void)unused;
	errno = 0;
	printf("on %d\n", sprofil(&p, -1, NULL, 0));
	printf("errno %d\nwanted %d\n", errno, EINVAL);
}

/* A child of fork starts its own; the parent's goes on undisturbed. */
static void forked(unsigned unused)
{
	size_t n = 0x10000;
	unsigned short *b = counters(n);
	unsigned long all = 0;
	(void)unused;
	profil(b, n * sizeof *b, text_low, 0x10000);
	pid_t pid = fork();
	if (pid == 0) {
		memset(b, 0, n * sizeof *b);
		profil(no_buffer, 0, 0, 0);
		profil(b, n * sizeof *b, text_low, 0x10000);
		burn();
		profil(no_buffer, 0, 0, 0);
		for (size_t i = 0; i < n; i++)
			all += b[i];
		printf("child %lu\nchild_cpu %f\n", all, spent);
		fflush(stdout);
		_exit(0);
	}
	burn();
	waitpid(pid, NULL, 0);
	off();
	for (size_t i = 0; i < n; i++)
		all += b[i];
	printf("all %lu\nguarded %d\n", all, guarded(b, n));
}

static const struct {
	const char *name;
	void (*run)(unsigned);
} modes[] = { { "scaled", scaled },	    { "switched", switched }, { "full", full },
	      { "replaced", replaced },	    { "shorts", shorts },     { "wide", wide },
	      { "everything", everything }, { "negative", negative }, { "forked", forked } };

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	hot_low = (uintptr_t)&hot;
	hot_high = hot_low + strtoul(argv[2], NULL, 0);
	text_low = (hot_low - 0x400) & ~(uintptr_t)0xf;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run((unsigned)strtoul(argv[3], NULL, 0));
			return 0;
		}
	return 2;
}
