/* SPDX-License-Identifier: BSD-2-Clause */
/* odd.c -- calls made in odd ways: odd MODE.  Prints how often f must have been called ("due"), or "least" and "most".
 *
 * alarm     a handler calls f and a new function each time, while main calls f and new functions
 * jump      a handler leaves instrumented code with siglongjmp
 * threads   as alarm, but another thread sends the signals as fast as it can
 * exit      a handler ends the program in the middle of it
 * loader    a callback of the loader calls new functions while another thread calls monitor()
 * recursion depth 1000, 100 times
 * vfork     100 children of vfork call f 10 times each
 * contexts  f is called on the stacks of 20 coroutines, and by a handler on an alternate stack of 8 KiB
 */
#include "hand.h"

#include <link.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK 16384

extern int (*const many[])(int);
extern const int nmany;

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

static volatile long handled, from_main;
static volatile int next_new; /* the handler takes them from the front, main from the back */

static void on_signal(int sig)
{
	f(sig);
	if (next_new < nmany / 2)
		many[next_new++](0);
	handled++;
}

static void call_until(double seconds)
{
	int back = nmany;
	double end = THREAD_CPU() + seconds;
	while (THREAD_CPU() < end) {
		for (int i = 0; i < 1000; i++) {
			f(0);
			from_main++;
		}
		for (int i = 0; i < 5 && back > nmany / 2; i++)
			many[--back](0);
	}
	while (back > nmany / 2)
		many[--back](0);
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };
	if (sigaction(sig, &act, NULL))
		exit(1);
}

static void report(void)
{
	printf("due %ld\nhandled %ld\nnew %d\n", handled + from_main, handled, next_new + nmany - nmany / 2);
}

static void set_alarm(long usec)
{
	struct itimerval t = { { 0, usec }, { 0, usec } };
	setitimer(ITIMER_REAL, &t, NULL);
}

static void by_alarm(void)
{
	handle(SIGALRM, on_signal, SA_RESTART);
	set_alarm(200);
	call_until(0.4);
	set_alarm(0);
	report();
}

static pthread_t main_thread;
static volatile int enough;

static void *send(void *arg)
{
	while (!enough) {
		pthread_kill(main_thread, SIGUSR1);
		WORK(2000);
	}
	return arg;
}

static void by_thread(void)
{
	pthread_t t;
	main_thread = pthread_self();
	handle(SIGUSR1, on_signal, SA_RESTART);
	if (pthread_create(&t, NULL, send, NULL))
		exit(1);
	call_until(0.4);
	enough = 1;
	pthread_join(t, NULL);
	report();
}

static sigjmp_buf out;
static volatile long entered;

static void jump(int sig)
{
	(void)sig;
	siglongjmp(out, 1);
}

/* A jump out of f may come before or after its call was counted. */
static void by_jump(void)
{
	volatile long jumps = 0;
	handle(SIGALRM, jump, 0);
	while (jumps < 200) {
		if (sigsetjmp(out, 1)) {
			jumps++;
			continue;
		}
		set_alarm(300);
		for (;;) {
			f(0);
			entered++;
		}
	}
	set_alarm(0);
	printf("least %ld\nmost %ld\n", entered, entered + jumps);
}

static void leave(int sig)
{
	(void)sig;
	printf("least %ld\nmost %ld\n", entered, entered + 1);
	exit(0);
}

static void by_exit(void)
{
	handle(SIGALRM, leave, 0);
	set_alarm(20000);
	for (;;) {
		f(0);
		entered++;
	}
}

/* The loader holds its lock while it calls this; another thread wants both that one and libmon's. */
static volatile int in_callback;

static int callback(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info, (void)size, (void)arg;
	in_callback = 1;
	usleep(100000);
	many[0](0);
	return 1;
}

static void *ask_loader(void *arg)
{
	dl_iterate_phdr(callback, arg);
	return arg;
}

static void loader(void)
{
	pthread_t t;
	size_t n = formula(600);
	WORD *b = area(n);
	stop();
	start(b, n, 600);
	if (pthread_create(&t, NULL, ask_loader, NULL))
		exit(1);
	while (!in_callback)
		usleep(1000);
	start(area(n), n, 600);
	f(0);
	pthread_join(t, NULL);
	stop();
	printf("due 1\n");
}

PLAIN int down(int depth)
{
	f(depth);
	return depth ? down(depth - 1) + 1 : 0;
}

static void recursion(void)
{
	for (int i = 0; i < 100; i++)
		if (down(999) != 999)
			exit(1);
	printf("due 100000\n");
}

static void by_vfork(void)
{
	for (int i = 0; i < 100; i++) {
		pid_t pid = vfork();
		if (pid == 0) {
			for (int j = 0; j < 10; j++)
				f(j);
			if (i < nmany)
				many[i](0);
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			exit(1);
	}
	printf("due 1000\n");
}

static ucontext_t home, side[20];

static void coroutine(int i)
{
	for (int j = 0; j < 50; j++) {
		f(j);
		many[i * 50 + j](0);
		swapcontext(&side[i], &home);
	}
}

/* A stack with a page below it that nobody may touch. */
static char *stack(size_t size)
{
	char *p = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p, 4096, PROT_NONE))
		exit(1);
	return p + 4096;
}

static void contexts(void)
{
	for (int i = 0; i < 20; i++) {
		getcontext(&side[i]);
		side[i].uc_stack.ss_sp = stack(STACK);
		side[i].uc_stack.ss_size = STACK;
		side[i].uc_link = &home;
		makecontext(&side[i], (void (*)(void))coroutine, 1, i);
	}
	for (int j = 0; j < 50; j++)
		for (int i = 0; i < 20; i++)
			swapcontext(&home, &side[i]);
	stack_t alternate = { .ss_sp = stack(8192), .ss_size = 8192 };
	sigaltstack(&alternate, NULL);
	handle(SIGUSR1, on_signal, SA_ONSTACK);
	next_new = 1000;
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	printf("due %d\n", 20 * 50 + 10);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = { { "alarm", by_alarm }, { "threads", by_thread },	 { "jump", by_jump },	{ "exit", by_exit },
	      { "loader", loader },  { "recursion", recursion }, { "vfork", by_vfork }, { "contexts", contexts } };

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
	return 2;
}
