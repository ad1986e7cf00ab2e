/* SPDX-License-Identifier: BSD-2-Clause */
/* native-clock.c -- work of a known amount of CPU time: native-clock MODE ...
 *
 * busy N SECONDS    N threads work so long in all, in a function that is not counted, while main waits
 * short N MS        N threads one after the other, each for so many milliseconds: half in first, half in second
 * share SECONDS     every millisecond 0.3 ms in first and 0.7 in second
 * gaps SECONDS      only between two ticks of the scheduler, first and then as long second
 *
 * Prints user and system, the CPU seconds of the process, and first and second, those spent there.
 */
#include "prog.h"

#include <sys/resource.h>

static double spent[2]; /* by first and second */

/* Until the calling thread has used so much CPU time; looking at the clock costs a little of it. */
#define UNTIL(end)                                                                                                     \
	while (THREAD_CPU() < (end))                                                                                   \
	WORK(MS / 100)

PLAIN void first(double end)
{
	UNTIL(end);
}

PLAIN void second(double end)
{
	UNTIL(end);
}

static void (*const both[])(double) = { first, second };

UNSEEN void spend(int which, double seconds)
{
	double t = THREAD_CPU();
	both[which](t + seconds);
	spent[which] += THREAD_CPU() - t;
}

UNSEEN void *busy(void *arg)
{
	double seconds = *(double *)arg;
	UNTIL(seconds);
	return NULL;
}

UNSEEN void *brief(void *arg)
{
	spend(0, *(double *)arg / 2);
	spend(1, *(double *)arg / 2);
	return NULL;
}

UNSEEN void run(void *(*work)(void *), int n, int width, double seconds)
{
	pthread_t t[16];
	for (int k = 0; k < n; k += width) {
		for (int i = 0; i < width; i++)
			if (pthread_create(&t[i], NULL, work, &seconds))
				exit(1);
		for (int i = 0; i < width; i++)
			pthread_join(t[i], NULL);
	}
}

UNSEEN void share(double seconds)
{
	for (double end = THREAD_CPU() + seconds, t = THREAD_CPU(); t < end; t += 0.001)
		for (int i = 0; i < 2; i++) {
			double before = THREAD_CPU();
			both[i](i ? t + 0.001 : t + 0.0003);
			spent[i] += THREAD_CPU() - before;
		}
}

/* The coarse clock stands still between two ticks. */
UNSEEN double last_tick(void)
{
	return clock_seconds(CLOCK_MONOTONIC_COARSE);
}

UNSEEN void gaps(double seconds)
{
	struct timespec t;
	clock_getres(CLOCK_MONOTONIC_COARSE, &t);
	const double tick = (double)t.tv_nsec / 1e9;
	for (double began = THREAD_CPU(); THREAD_CPU() < began + seconds;) {
		double at = last_tick() + 1.15 * tick;
		t.tv_sec = (time_t)at;
		t.tv_nsec = (long)((at - (double)t.tv_sec) * 1e9);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		double left = last_tick() + 0.6 * tick - WALL();
		if (left > 0)
			spend(THREAD_CPU() > began + seconds / 2, left);
	}
}

UNSEEN double as_seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	struct rusage u;
	if (!strcmp(mode, "busy")) {
		int n = atoi(argv[2]);
		run(busy, n, n, atof(argv[3]) / n);
	} else if (!strcmp(mode, "short")) {
		run(brief, atoi(argv[2]), 1, atof(argv[3]) / 1e3);
	} else if (!strcmp(mode, "share")) {
		share(atof(argv[2]));
	} else if (!strcmp(mode, "gaps")) {
		gaps(atof(argv[2]));
	} else {
		return 1;
	}
	getrusage(RUSAGE_SELF, &u);
	printf("user %f\nsystem %f\nfirst %f\nsecond %f\n", as_seconds(u.ru_utime), as_seconds(u.ru_stime), spent[0],
	       spent[1]);
	return 3;
}
