/* SPDX-License-Identifier: BSD-2-Clause */
/* native-many.c -- much at once: native-many THREADS STACK WORK.
 *
 * So many threads with stacks of so many bytes, all alive at the same time; each calls f and all functions of many[], works
 * for WORK microseconds, and calls many[0] once more when all have come so far.  Prints "live BYTES", the size of the live
 * file then, and "done" with the sum of what the functions returned.
 */
#include "prog.h"

#include <sys/stat.h>

extern int (*const many[])(int);
extern const int nmany;

static pthread_barrier_t all;
static unsigned long turns;
static long sum;

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

PLAIN void work(unsigned long n)
{
	WORK(n);
}

static void *run(void *arg)
{
	long n = f(0);
	for (int i = 0; i < nmany; i++)
		n += many[i](0);
	work(turns);
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	n += many[0](0);
	__atomic_add_fetch(&sum, n, __ATOMIC_RELAXED);
	return arg;
}

UNSEEN void say_size(void)
{
	char name[40];
	struct stat st;
	snprintf(name, sizeof name, "mon.out.%d", (int)getpid());
	printf("live %ld\n", stat(name, &st) ? -1L : (long)st.st_size);
}

int main(int argc, char **argv)
{
	static pthread_t t[2000];
	int n = argc > 3 ? atoi(argv[1]) : 0;
	pthread_attr_t attr;
	turns = n ? strtoul(argv[3], NULL, 10) * (MS / 1000) : 0;
	pthread_attr_init(&attr);
	if (n > 2000 || pthread_barrier_init(&all, NULL, (unsigned)n + 1) ||
	    (n && pthread_attr_setstacksize(&attr, strtoul(argv[2], NULL, 10))))
		return 1;
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], &attr, run, NULL))
			return 2;
	pthread_barrier_wait(&all);
	say_size();
	pthread_barrier_wait(&all);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("done %ld\n", sum);
	return 3;
}
