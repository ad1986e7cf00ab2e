/* SPDX-License-Identifier: BSD-2-Clause */
/* sigprof.c -- programs that use SIGPROF themselves: sigprof MODE.  Prints words and numbers. */
#include "hand.h"

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

PLAIN void hot(unsigned long turns)
{
	WORK(turns);
}

static volatile int raised, timed, strange;

static void on_info(int sig, siginfo_t *info, void *context)
{
	if (info->si_code == SI_TKILL || info->si_code == SI_USER)
		raised++;
	else if (info->si_code == SI_KERNEL)
		timed++;
	else
		strange++;
	strange += sig != SIGPROF || !context;
}

static void on_plain(int sig)
{
	raised += sig == SIGPROF;
}

static WORD *b;
static size_t n;

static void begin(void)
{
	n = formula(600);
	b = area(n);
	start(b, n, 600);
}

static void burn(void)
{
	double t = THREAD_CPU();
	f(0);
	hot(150 * MS);
	printf("cpu %f\n", THREAD_CPU() - t);
}

static void facts(void)
{
	printf("raised %d\ntimed %d\nstrange %d\n", raised, timed, strange);
}

/* A handler that is there before the profile begins still gets what is meant for it. */
static void handler(void)
{
	struct sigaction act = { .sa_sigaction = on_info, .sa_flags = SA_SIGINFO | SA_RESTART };
	stop();
	sigaction(SIGPROF, &act, NULL);
	begin();
	for (int i = 0; i < 5; i++)
		raise(SIGPROF);
	burn();
	kill(getpid(), SIGPROF);
	stop();
	raise(SIGPROF);
	facts();
}

static void plain_handler(void)
{
	stop();
	signal(SIGPROF, on_plain);
	begin();
	for (int i = 0; i < 7; i++)
		raise(SIGPROF);
	burn();
	stop();
	facts();
}

/* The program's own profiling timer goes on. */
static void timer(void)
{
	struct sigaction act = { .sa_sigaction = on_info, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval every = { { 0, 20000 }, { 0, 20000 } }, off = { { 0, 0 }, { 0, 0 } };
	stop();
	sigaction(SIGPROF, &act, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	begin();
	burn();
	setitimer(ITIMER_PROF, &off, NULL);
	stop();
	facts();
}

static void ignored(void)
{
	struct sigaction act = { .sa_handler = SIG_IGN, .sa_flags = SA_SIGINFO };
	stop();
	sigaction(SIGPROF, &act, NULL);
	begin();
	for (int i = 0; i < 5; i++)
		raise(SIGPROF);
	burn();
	stop();
}

/* SIGPROF from outside ends a program that has no handler, with and without us. */
static void killed(void)
{
	burn();
	raise(SIGPROF);
}

/* The signal was given back its default action between two profiles: the second has its ticks, and nobody dies. */
static void taken_back(void)
{
	begin();
	hot(30 * MS);
	stop();
	signal(SIGPROF, SIG_DFL);
	begin();
	burn();
	stop();
	signal(SIGPROF, SIG_IGN);
	begin();
	burn();
	stop();
}

/* What passes while the signal is held up is counted when it comes. */
static void blocked(void)
{
	sigset_t set;
	stop();
	begin();
	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	sigprocmask(SIG_BLOCK, &set, NULL);
	burn();
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	stop();
}

/* A thread that holds the signal up to its end; what it did must not be charged to the next thread. */
PLAIN void held(unsigned long turns)
{
	WORK(turns);
}

static void *hold(void *arg)
{
	sigset_t set;
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	held(200 * MS);
	return arg;
}

static void *inherit(void *arg)
{
	burn();
	return arg;
}

static void heir(void)
{
	pthread_t t;
	for (int i = 0; i < 2; i++) {
		if (pthread_create(&t, NULL, i ? inherit : hold, NULL))
			exit(1);
		pthread_join(t, NULL);
	}
}

/* On and off very often in a busy program; signals are under way all the time. */
static volatile int end;

static void *busy(void *arg)
{
	while (!end) {
		f(0);
		hot(MS / 2);
	}
	return arg;
}

static void often(void)
{
	pthread_t t[4];
	unsigned short counters[100];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, busy, NULL))
			exit(1);
	begin();
	for (int i = 0; i < 2000; i++) {
		start(b, n, 600);
		if (i % 4 == 0)
			hot(MS / 10);
		stop();
	}
	for (int i = 0; i < 5000; i++) {
		profil(counters, sizeof counters, (size_t)low, 2);
		profil(counters, 0, 0, 0);
	}
	for (int i = 0; i < 5000; i++)
		moncontrol(i % 2);
	start(b, n, 600);
	burn();
	end = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	stop();
	printf("guarded %d\n", guarded(b, n));
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = { { "handler", handler }, { "plain", plain_handler }, { "timer", timer },
	      { "ignored", ignored }, { "killed", killed },	  { "taken-back", taken_back },
	      { "blocked", blocked }, { "heir", heir },		  { "often", often } };

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
	return 2;
}
