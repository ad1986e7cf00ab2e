/* SPDX-License-Identifier: BSD-2-Clause */
/* fork.c -- processes that fork: fork MODE.  Prints "parent PID" and a "child PID" for each.
 *
 * The parent calls f 5 times before and 6 times after; a child that says something calls f 7 times, and child_work.
 */
#include "hand.h"

#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

PLAIN void parent_work(unsigned long turns)
{
	WORK(turns);
}

PLAIN void child_work(unsigned long turns)
{
	WORK(turns);
}

extern int (*const many[])(int);
extern const int nmany;

static void call_f(int n)
{
	for (int i = 0; i < n; i++)
		f(i);
}

static void child_says(void)
{
	call_f(7);
	child_work(120 * MS);
	exit(0);
}

static void ended(pid_t pid, int wanted)
{
	int status;
	if (waitpid(pid, &status, 0) != pid)
		exit(1);
	if (wanted >= 0 && status != wanted) {
		printf("child ended with %#x\n", status);
		exit(1);
	}
}

static pid_t new_child(pid_t pid)
{
	if (pid < 0)
		exit(1);
	if (pid > 0) {
		printf("child %d\n", (int)pid);
		fflush(stdout);
	}
	return pid;
}

static void one(void)
{
	pid_t pid = new_child(fork());
	if (pid == 0)
		child_says();
	ended(pid, 0);
}

static void five(void)
{
	pid_t pid[5];
	for (int i = 0; i < 5; i++)
		if ((pid[i] = new_child(fork())) == 0)
			child_says();
	for (int i = 0; i < 5; i++)
		ended(pid[i], 0);
}

/* A child and its child. */
static void tree(void)
{
	pid_t pid = new_child(fork());
	if (pid == 0) {
		call_f(3);
		pid = new_child(fork());
		if (pid == 0)
			child_says();
		ended(pid, 0);
		call_f(4);
		child_work(120 * MS);
		exit(0);
	}
	ended(pid, 0);
}

/* The same without the C library knowing. */
static void raw_clone(void)
{
	pid_t pid = new_child((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	if (pid == 0)
		child_says();
	ended(pid, 0);
}

/* Children that call nothing that is profiled. */
static void silent(void)
{
	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			if (i == 0)
				exit(0);
			if (i == 1)
				_exit(0);
			if (i == 2)
				execl("/bin/true", "true", (char *)NULL);
			execl("/bin/sh", "sh", "-c", ":", (char *)NULL);
			_exit(1);
		}
		ended(pid, 0);
	}
}

static void killed(void)
{
	static const int sigs[] = { SIGTERM, SIGKILL, SIGABRT };
	for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			call_f(7);
			child_work(20 * MS);
			if (sigs[i] == SIGABRT)
				abort();
			pause();
		}
		usleep(100000);
		kill(pid, sigs[i]);
		ended(pid, -1);
	}
}

extern char **environ;

static void others(void)
{
	static char *const argv[] = { "true", NULL };
	pid_t pid;
	if (system("true") || system("exit 0"))
		exit(1);
	FILE *p = popen("echo hello", "r");
	if (!p || getc(p) != 'h' || pclose(p))
		exit(1);
	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
		exit(1);
	ended(pid, 0);
	for (int i = 0; i < 20; i++) {
		pid = vfork();
		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		ended(pid, 0);
	}
}

/* The program that follows must not inherit a clock: sh is busy for a while, with the signal's default action. */
static const char busy_loop[] = "i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done; exit 9";

static void exec_child(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		call_f(1);
		child_work(15 * MS);
		execl("/bin/sh", "sh", "-c", busy_loop, (char *)NULL);
	}
	ended(pid, 9 << 8);
}

/* The signal is on its way, held up, when the next program begins. */
static void exec_self(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	sigprocmask(SIG_BLOCK, &set, NULL);
	parent_work(60 * MS);
	pid_t pid = fork();
	if (pid == 0) {
		call_f(1);
		child_work(60 * MS);
		execl("/bin/sh", "sh", "-c", busy_loop, (char *)NULL);
	}
	ended(pid, 9 << 8);
	fflush(stdout);
	execl("/bin/sh", "sh", "-c", busy_loop, (char *)NULL);
}

/* The profile was stopped; the child begins one by hand. */
static void by_hand(void)
{
	size_t n = formula(600);
	WORD *b = area(n);
	stop();
	start(b, n, 600);
	call_f(100);
	stop();
	pid_t pid = new_child(fork());
	if (pid == 0) {
		start(b, n, 600);
		call_f(7);
		child_work(120 * MS);
		stop();
		exit(0);
	}
	ended(pid, 0);
	start(b, n, 600);
	call_f(5);
	parent_work(60 * MS);
}

/* Suspended in the parent, resumed in the child. */
static void suspended(void)
{
	moncontrol(0);
	pid_t pid = new_child(fork());
	if (pid == 0) {
		call_f(1000);
		moncontrol(1);
		child_says();
	}
	ended(pid, 0);
	call_f(1000);
	moncontrol(1);
}

/* Other threads call new functions all the time. */
static volatile int end;
static volatile int next_new;

static void *hammer(void *arg)
{
	long n = 0;
	while (!end) {
		f(0);
		n++;
		int i = __atomic_fetch_add(&next_new, n % 16 == 0, __ATOMIC_RELAXED);
		if (i < nmany)
			many[i](0);
	}
	*(long *)arg = n;
	return NULL;
}

static void threads(void)
{
	pthread_t t[3];
	long n[3], sum = 0;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, hammer, &n[i]))
			exit(1);
	for (int i = 0; i < 30; i++) {
		pid_t pid = new_child(fork());
		if (pid == 0) {
			call_f(7);
			many[nmany - 1](0);
			exit(0);
		}
		ended(pid, 0);
	}
	end = 1;
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], NULL);
		sum += n[i];
	}
	printf("hammered %ld\n", sum);
}

/* Another thread starts and stops profiles all the time. */
static void *on_and_off(void *arg)
{
	size_t n = formula(600);
	WORD *b = area(n);
	while (!end) {
		start(b, n, 600);
		f(0);
		monstartup(low, high);
		f(0);
		moncontrol(0);
		moncontrol(1);
	}
	return arg;
}

static void storm(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, on_and_off, NULL))
		exit(1);
	for (int i = 0; i < 600; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			call_f(7);
			moncontrol(0);
			_exit(0);
		}
		ended(pid, 0);
	}
	end = 1;
	pthread_join(t, NULL);
	monstartup(low, high);
	call_f(5);
	parent_work(60 * MS);
}

/* As daemons begin. */
static void daemonised(void)
{
	pid_t pid = new_child(fork());
	if (pid == 0) {
		setsid();
		umask(077);
		if (chdir("/"))
			exit(1);
		for (int fd = 0; fd < 100; fd++)
			close(fd);
		child_says();
	}
	ended(pid, 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "one", one },		{ "five", five },	    { "tree", tree },
	{ "clone", raw_clone }, { "silent", silent },	    { "killed", killed },
	{ "others", others },	{ "exec", exec_child },	    { "exec-self", exec_self },
	{ "hand", by_hand },	{ "suspended", suspended }, { "threads", threads },
	{ "storm", storm },	{ "daemon", daemonised },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			printf("parent %d\n", (int)getpid());
			fflush(stdout);
			call_f(5);
			parent_work(60 * MS);
			modes[i].run();
			call_f(6);
			return 0;
		}
	return 2;
}
