/* SPDX-License-Identifier: BSD-2-Clause */
/* monitor.c -- monitor() by hand, one mode per promise of its manual page.  Prints words and numbers. */
#include "hand.h"

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

PLAIN int g(int x)
{
	KEEP;
	return x + 2;
}

PLAIN void hot(unsigned long turns)
{
	WORK(turns);
}

PLAIN void cold(unsigned long turns)
{
	WORK(turns);
}

extern int (*const many[])(int);

static void call_f(int n)
{
	for (int i = 0; i < n; i++)
		f(i);
}

static void facts(const WORD *b, size_t n)
{
	printf("words %zu\nguarded %d\nsize %zu\nlow %#lx\nhigh %#lx\nmain %#lx\n", n, guarded(b, n),
	       (size_t)(high - low), (unsigned long)low, (unsigned long)high, (unsigned long)(uintptr_t)&hot);
}

/* The whole text, as in the manual's example; argument: cells. */
static void whole(size_t nfunc)
{
	size_t n = formula(nfunc);
	WORD *b = area(n);
	start(b, n, nfunc);
	double t = THREAD_CPU();
	call_f(11);
	for (int i = 0; i < 1000; i++)
		g(i);
	hot(300 * MS);
	printf("cpu %f\n", THREAD_CPU() - t);
	stop();
	save("buffer", b, n * sizeof(WORD));
	facts(b, n);
}

/* Only the bytes of hot; argument: how many. */
static void range(size_t bytes)
{
	low = (char *)(uintptr_t)&hot;
	high = low + bytes;
	size_t n = formula(600);
	WORD *b = area(n);
	start(b, n, 600);
	call_f(7);
	cold(200 * MS);
	double t = THREAD_CPU();
	hot(200 * MS);
	printf("cpu %f\n", THREAD_CPU() - t);
	stop();
	save("buffer", b, n * sizeof(WORD));
	facts(b, n);
}

/* Room for nfunc functions, 50 are called: the Ith I + 1 times. */
static void few(size_t nfunc)
{
	size_t n = formula(nfunc);
	WORD *b = area(n);
	start(b, n, nfunc);
	for (int i = 0; i < 50; i++)
		for (int j = 0; j <= i; j++)
			many[i](j);
	hot(50 * MS);
	stop();
	save("buffer", b, n * sizeof(WORD));
	facts(b, n);
}

/* A second monitor() while the first runs; argument: its cells. */
static void again(size_t nfunc)
{
	size_t n = formula(600), n2 = formula(nfunc);
	WORD *b = area(n), *b2 = area(n2);
	start(b, n, 600);
	call_f(100);
	cold(200 * MS);
	start(b2, n2, nfunc);
	call_f(11);
	hot(200 * MS);
	stop();
	save("buffer", b2, n2 * sizeof(WORD));
	facts(b2, n2);
	printf("first_guarded %d\n", guarded(b, n));
}

/* A buffer of so many WORDs that has no room for 600 cells and a bin. */
static void small(size_t n)
{
	WORD *b = area(n);
	errno = 4321;
	start(b, n, 600);
	call_f(1000);
	hot(50 * MS);
	printf("errno %d\n", errno);
	stop();
	facts(b, n);
	printf("untouched %d\n", filled(b, n * sizeof(WORD)));
}

/* 0: lowpc above highpc; 1: equal; 2: no buffer; 3: more cells than there is memory; 4: more WORDs than can be. */
static void wrong(size_t which)
{
	size_t n = formula(600);
	WORD *b = area(n);
	int (*lo)() = (int (*)())(uintptr_t)low, (*hi)() = (int (*)())(uintptr_t)high;
	errno = 4321;
	switch (which) {
	case 0:
		monitor(hi, lo, b, n, 600);
		break;
	case 1:
		monitor(lo, lo, b, n, 600);
		break;
	case 2:
		monitor(lo, hi, NULL, n, 600);
		break;
	case 3:
		monitor(lo, hi, b, n, (size_t)1 << 36);
		break;
	default:
		monitor(lo, hi, b, 0, 600);
	}
	call_f(1000);
	hot(50 * MS);
	printf("errno %d\n", errno);
	stop();
	facts(b, n);
	printf("untouched %d\n", filled(b, n * sizeof(WORD)));
}

/* A profile that runs is not ended by a call that is refused. */
static void refused(size_t unused)
{
	size_t n = formula(600);
	WORD *b = area(n), *b2 = area(20);
	(void)unused;
	start(b, n, 600);
	call_f(5);
	start(b2, 20, 600);
	monitor((int (*)())(uintptr_t)high, (int (*)())(uintptr_t)low, b2, 20, 0);
	call_f(6);
	hot(100 * MS);
	stop();
	facts(b, n);
	printf("untouched %d\n", filled(b2, 40));
}

/* monitor(0) twice, and a new profile after that; argument: calls in the new one. */
static void twice(size_t calls)
{
	size_t n = formula(600);
	WORD *b = area(n);
	start(b, n, 600);
	call_f(5);
	cold(100 * MS);
	stop();
	if (rename("mon.out", "first.out"))
		exit(1);
	stop();
	printf("second_stop_wrote %d\n", access("mon.out", F_OK) == 0);
	call_f(1000);
	cold(50 * MS);
	if (calls) {
		start(b, n, 600);
		call_f((int)calls);
		hot(100 * MS);
		stop();
		call_f(1000);
	}
	facts(b, n);
}

/* More room than one WORD for two bytes of text: the rest is left alone. */
static void roomy(size_t extra)
{
	size_t bins = (size_t)(high - low + 1) / 2,
	       n = sizeof(struct hdr) / 2 + 10 * sizeof(struct cnt) / 2 + bins + extra;
	WORD *b = area(n);
	start(b, n, 10);
	call_f(11);
	hot(100 * MS);
	stop();
	facts(b, n);
	printf("bins %zu\nrest %d\n", bins, filled(b + n - extra, extra * sizeof(WORD)));
}

/* Every bin close to the end of its range. */
static void full(size_t value)
{
	size_t n = formula(600), bins = (size_t)(high - low) / BARSIZE;
	WORD *b = area(n), *bin = b + sizeof(struct hdr) / 2 + 600 * sizeof(struct cnt) / 2;
	size_t changed = 0, top = 0;
	start(b, n, 600);
	for (size_t i = 0; i < bins; i++)
		bin[i] = (WORD)value;
	hot(300 * MS);
	stop();
	for (size_t i = 0; i < bins; i++) {
		changed += bin[i] < value;
		top += bin[i] == 65535;
	}
	facts(b, n);
	printf("lower %zu\ntop %zu\n", changed, top);
}

/* Nothing is stored any more when monitor(0) has returned, whatever other threads do. */
static volatile int end;

static void *busy(void *arg)
{
	while (!end) {
		call_f(100);
		hot(MS / 10);
	}
	return arg;
}

static void after(size_t rounds)
{
	size_t n = formula(600), late = 0, seen = 0, first_bin = sizeof(struct hdr) / 2 + 600 * sizeof(struct cnt) / 2;
	pthread_t t[4];
	WORD *b = area(n);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, busy, NULL))
			exit(1);
	for (size_t i = 0; i < rounds; i++) {
		start(b, n, 600);
		usleep(15000);
		stop();
		for (size_t j = first_bin; j < n; j++)
			seen += b[j];
		memset(b, FILL, n * sizeof(WORD));
		usleep(15000);
		late += !filled(b, n * sizeof(WORD));
	}
	end = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	facts(b, n);
	printf("late %zu\nseen %zu\n", late, seen);
}

/* Ten threads start and stop at once. */
static void *start_and_stop(void *arg)
{
	size_t n = formula(600);
	WORD *b = area(n);
	for (long i = 0; i < (long)arg; i++) {
		start(b, n, 600);
		call_f(10);
		hot(MS);
		stop();
	}
	printf("guarded %d\n", guarded(b, n));
	return NULL; /* b stays: another thread's profile may go on in it */
}

static void ten(size_t rounds)
{
	pthread_t t[10];
	for (int i = 0; i < 10; i++)
		if (pthread_create(&t[i], NULL, start_and_stop, (void *)rounds))
			exit(1);
	for (int i = 0; i < 10; i++)
		pthread_join(t[i], NULL);
	stop();
}

/* monitor(0) in a program that started by itself; what follows is not in the file. */
static void automatic(size_t unused)
{
	(void)unused;
	call_f(11);
	hot(100 * MS);
	stop();
	call_f(1000);
}

static void suspend(size_t unused)
{
	(void)unused;
	call_f(5);
	hot(100 * MS);
	moncontrol(0);
	call_f(1000);
	cold(200 * MS);
	moncontrol(0);
	many[0](0);
	moncontrol(1);
	moncontrol(1);
	call_f(6);
	many[1](0);
	hot(100 * MS);
}

/* monstartup() replaces the profile that runs; the program's end writes it. */
static void startup(size_t times)
{
	call_f(1000);
	cold(100 * MS);
	for (size_t i = 0; i < times; i++) {
		call_f(50);
		monstartup(low, high);
	}
	call_f(11);
	hot(100 * MS);
}

static const struct {
	const char *name;
	void (*run)(size_t);
} modes[] = {
	{ "whole", whole },	{ "range", range },	    { "few", few },	    { "again", again },
	{ "small", small },	{ "wrong", wrong },	    { "refused", refused }, { "twice", twice },
	{ "roomy", roomy },	{ "full", full },	    { "after", after },	    { "ten", ten },
	{ "suspend", suspend }, { "automatic", automatic }, { "startup", startup },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run(argc > 2 ? strtoul(argv[2], NULL, 0) : 0);
			return 0;
		}
	return 2;
}
