/* SPDX-License-Identifier: BSD-2-Clause */
/* split.c -- work of a known split: split THREADS [PERCENT].  Prints CPU seconds: tenth, third, rest and all.
 *
 * tenth is called once in all, third 1 000 times, rest 1 000 000 times; each thread takes its part of the calls.
 * PERCENT makes the work less.
 */
#include "prog.h"

#define TURNS	    (25 * MS * percent)
#define MAX_THREADS 8

PLAIN void tenth(unsigned long turns)
{
	WORK(turns);
}

PLAIN void third(unsigned long turns)
{
	WORK(turns);
}

PLAIN void rest(unsigned long turns)
{
	WORK(turns);
}

static long nthread;
static unsigned long percent = 100;
static double spent[MAX_THREADS][3];

static void *work(void *arg)
{
	long me = (long)arg;
	double t0 = THREAD_CPU(), t1, t2;
	if (me == 0)
		tenth(TURNS / 10);
	t1 = THREAD_CPU();
	for (long i = 0; i < 1000 / nthread; i++)
		third(TURNS * 3 / 10 / 1000);
	t2 = THREAD_CPU();
	for (long i = 0; i < 1000000 / nthread; i++)
		rest(TURNS * 6 / 10 / 1000000);
	spent[me][0] = t1 - t0;
	spent[me][1] = t2 - t1;
	spent[me][2] = THREAD_CPU() - t2;
	return NULL;
}

int main(int argc, char **argv)
{
	static const char *const name[] = { "tenth", "third", "rest" };
	pthread_t t[MAX_THREADS];
	nthread = argc > 1 ? atol(argv[1]) : 1;
	if (argc > 2)
		percent = strtoul(argv[2], NULL, 10);
	for (long i = 1; i < nthread; i++)
		if (pthread_create(&t[i], NULL, work, (void *)i))
			return 1;
	work(NULL);
	for (long i = 1; i < nthread; i++)
		pthread_join(t[i], NULL);
	double all = 0;
	for (int j = 0; j < 3; j++) {
		double sum = 0;
		for (long i = 0; i < nthread; i++)
			sum += spent[i][j];
		printf("%s %.6f\n", name[j], sum);
		all += sum;
	}
	printf("all %.6f\n", all);
	return 0;
}
