/* SPDX-License-Identifier: BSD-2-Clause */
/* native-control.c -- a program that steers its own profile: native-control MODE.
 *
 * f is to be counted 11 times, and hot to have the ticks; cold runs while nothing is recorded.
 */
#include "prog.h"

#include <mon.h>

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

PLAIN int cold(unsigned long turns)
{
	WORK(turns);
	return 0;
}

PLAIN int hot(unsigned long turns)
{
	WORK(turns);
	return 0;
}

UNSEEN void call_f(int n)
{
	for (int i = 0; i < n; i++)
		f(i);
}

static void suspend(void)
{
	call_f(5);
	moncontrol(0);
	cold(60 * MS);
	call_f(100);
	moncontrol(1);
	call_f(6);
	hot(120 * MS);
}

/* Started with MONSTART=off. */
static void resume(void)
{
	cold(60 * MS);
	call_f(100);
	moncontrol(1);
	call_f(11);
	hot(120 * MS);
}

/* Started with MONSIGNAL=USR2. */
static void toggle(void)
{
	call_f(5);
	raise(SIGUSR2);
	cold(60 * MS);
	call_f(100);
	raise(SIGUSR2);
	call_f(6);
	hot(120 * MS);
}

/* 300 times, for pieces that are shorter than a tick. */
static void pieces(void)
{
	for (int i = 0; i < 300; i++) {
		moncontrol(0);
		cold(MS / 2);
		moncontrol(1);
		hot(MS / 2);
	}
	call_f(11);
}

static void stop(void)
{
	call_f(11);
	hot(120 * MS);
	monitor(0, 0, 0, 0, 0);
	cold(60 * MS);
	call_f(100);
}

static void by_hand(void)
{
	extern char _init[], etext[];
	static WORD buffer[1000000];
	call_f(100);
	monitor((int (*)())(uintptr_t)_init, (int (*)())(uintptr_t)etext, buffer, sizeof buffer / sizeof *buffer, 600);
	call_f(11);
	hot(120 * MS);
	monitor(0, 0, 0, 0, 0);
}

/* ---- snapshots ---- */

static int end;
static long hammered;

static void *hammer(void *arg)
{
	long n = 0;
	for (; !__atomic_load_n(&end, __ATOMIC_RELAXED); n++)
		f(0);
	__atomic_add_fetch(&hammered, n, __ATOMIC_RELAXED);
	return arg;
}

/* While four threads call f as fast as they can; prints how often main had called cold before each. */
static void snapshots(void)
{
	pthread_t t[4];
	char path[40];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, hammer, NULL))
			exit(1);
	for (int i = 1; i <= 20; i++) {
		cold(5 * MS);
		snprintf(path, sizeof path, "snap.%d", i);
		if (mon_snapshot(path))
			exit(1);
	}
	if (mon_snapshot("snap.1") || mon_snapshot("missing/snap") != -1 || errno != ENOENT)
		exit(1);
	__atomic_store_n(&end, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("hammered %ld\n", hammered);
}

static void in_handler(int sig)
{
	(void)sig;
	if (mon_snapshot("snap"))
		_exit(1);
}

static void handler(void)
{
	signal(SIGUSR1, in_handler);
	call_f(7);
	raise(SIGUSR1);
	call_f(4);
	hot(120 * MS);
}

/* As shells and daemons do before they start something. */
static void reset(void)
{
	for (int i = 1; i < 65; i++)
		signal(i, SIG_DFL);
	call_f(11);
	hot(120 * MS);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "suspend", suspend },	    { "resume", resume },   { "toggle", toggle },
	{ "pieces", pieces },	    { "stop", stop },	    { "by-hand", by_hand },
	{ "snapshots", snapshots }, { "handler", handler }, { "reset", reset },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 3;
		}
	return 2;
}
