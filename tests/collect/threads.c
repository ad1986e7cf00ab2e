/* SPDX-License-Identifier: BSD-2-Clause */
/* threads.c -- calls from many threads: threads MODE.  Prints how often f must have been called, and the CPU seconds.
 *
 * one-by-one   1000 short threads, one after the other
 * at-once      64 threads hammer the same function
 * destructors  every thread calls f again in the destructors of its keys, up to the last round of them
 * keys         as one-by-one, but 64 keys exist before the first thread, and monitor() is called only then
 * detached     threads that nobody waits for, the last ones still busy when main returns
 * leader       main ends as a thread does; the last of the others ends the program
 */
#include "prog.h"

#include <mon.h>

#define EACH 40000

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

static void *hammer(void *arg)
{
	for (long i = 0; i < (long)arg; i++)
		f(0);
	return NULL;
}

/* So many threads, at most width at a time, each calling f n times. */
static void run(int nthread, int width, long n)
{
	pthread_t t[64];
	for (int i = 0; i < nthread; i += width) {
		for (int j = 0; j < width; j++)
			if (pthread_create(&t[j], NULL, hammer, (void *)n))
				exit(1);
		for (int j = 0; j < width; j++)
			pthread_join(t[j], NULL);
	}
	printf("due %ld\n", (long)nthread * n);
}

static pthread_key_t key[3];

/* Called up to PTHREAD_DESTRUCTOR_ITERATIONS times for a key, since it sets its value again. */
static void destroy(void *value)
{
	static __thread int rounds;
	f(0);
	if (++rounds < 100)
		pthread_setspecific(key[0], value);
	__atomic_fetch_add((long *)value, 1, __ATOMIC_RELAXED);
}

static long destroyed;

static void *with_keys(void *arg)
{
	for (int i = 0; i < 3; i++)
		pthread_setspecific(key[i], &destroyed);
	return arg;
}

static void destructors(void)
{
	pthread_t t;
	for (int i = 0; i < 3; i++)
		if (pthread_key_create(&key[i], destroy))
			exit(1);
	for (int i = 0; i < 200; i++) {
		if (pthread_create(&t, NULL, with_keys, NULL))
			exit(1);
		pthread_join(t, NULL);
	}
	printf("due %ld\n", destroyed);
}

static void keys(void)
{
	static WORD buffer[4000000];
	extern char _init[], etext[];
	pthread_key_t k;
	monitor(0, 0, 0, 0, 0);
	for (int i = 0; i < 64; i++)
		if (pthread_key_create(&k, NULL))
			exit(1);
	monitor((int (*)())(uintptr_t)_init, (int (*)())(uintptr_t)etext, buffer, sizeof buffer / sizeof *buffer, 600);
	run(1000, 1, 1000);
}

static void *busy(void *arg)
{
	for (;;)
		WORK(MS);
	return arg;
}

static void detached(void)
{
	pthread_t t;
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 20; i++)
		if (pthread_create(&t, &attr, i % 4 ? hammer : busy, (void *)0))
			exit(1);
	run(64, 8, 1000);
}

static void *last(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	hammer((void *)(60000000L));
	printf("due 60000000\ncpu %.6f\n", PROCESS_CPU());
	exit(0);
}

static void leader(void)
{
	static pthread_t me, t;
	me = pthread_self();
	if (pthread_create(&t, NULL, last, &me))
		exit(1);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	if (!strcmp(mode, "one-by-one"))
		run(1000, 1, 1000);
	else if (!strcmp(mode, "at-once"))
		run(64, 64, EACH);
	else if (!strcmp(mode, "destructors"))
		destructors();
	else if (!strcmp(mode, "keys"))
		keys();
	else if (!strcmp(mode, "detached"))
		detached();
	else if (!strcmp(mode, "leader"))
		leader();
	else
		return 1;
	printf("cpu %.6f\n", PROCESS_CPU());
	return 0;
}
