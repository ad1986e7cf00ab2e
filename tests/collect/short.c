/* SPDX-License-Identifier: BSD-2-Clause */
/* short.c -- work in pieces much shorter than a tick: short MODE.  Prints the CPU seconds of all and of wanted().
 *
 * suspend  wanted() between moncontrol(1) and moncontrol(0), other() between the others
 * threads  a new thread for each piece, one after the other
 * pool     eight at a time
 * profil   profil() on and off around wanted(); prints the ticks, too
 */
#include "prog.h"

#include <mon.h>

PLAIN void wanted(unsigned long turns)
{
	WORK(turns);
}

PLAIN void other(unsigned long turns)
{
	WORK(turns);
}

static double spent;

/* From a to b thousandths of a millisecond, in no rhythm. */
static unsigned long piece(unsigned long a, unsigned long b)
{
	static unsigned long x = 12345;
	x = x * 6364136223846793005UL + 1442695040888963407UL;
	return (a + (x >> 33) % (b - a)) * (MS / 1000);
}

static void timed(unsigned long turns)
{
	double t = THREAD_CPU();
	wanted(turns);
	spent += THREAD_CPU() - t;
}

static void suspend(void)
{
	moncontrol(0);
	for (int i = 0; i < 350; i++) {
		other(piece(500, 3000));
		moncontrol(1);
		timed(piece(1000, 5000));
		moncontrol(0);
	}
}

static void *one(void *arg)
{
	double t = THREAD_CPU();
	wanted((unsigned long)arg);
	*(double *)&arg = THREAD_CPU() - t;
	return arg;
}

static void run(int nthread, int width)
{
	pthread_t t[8];
	for (int i = 0; i < nthread; i += width) {
		for (int j = 0; j < width; j++)
			if (pthread_create(&t[j], NULL, one, (void *)piece(1000, 5000)))
				exit(1);
		for (int j = 0; j < width; j++) {
			void *p;
			pthread_join(t[j], &p);
			spent += *(double *)&p;
		}
	}
}

static void threads(void)
{
	run(280, 1);
}

static void pool(void)
{
	run(280, 8);
}

static void by_profil(void)
{
	static unsigned short counters[4];
	extern char _init[];
	for (int i = 0; i < 280; i++) {
		other(piece(500, 3000));
		profil(counters, sizeof counters, (size_t)_init, 2);
		timed(piece(1000, 5000));
		profil(counters, 0, 0, 0);
	}
	printf("counted %d\n", counters[0] + counters[1]);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = { { "suspend", suspend }, { "threads", threads }, { "pool", pool }, { "profil", by_profil } };

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			printf("wanted %f\nall %f\n", spent, PROCESS_CPU());
			return 0;
		}
	return 2;
}
