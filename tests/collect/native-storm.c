/* SPDX-License-Identifier: BSD-2-Clause */
/* native-storm.c -- everything at once, for a while: native-storm SECONDS LIBRARY FUNCTION LIBRARY FUNCTION.
 *
 * New functions, short threads, forks, libraries that come and go, signals and snapshots (to the file snap), each from a
 * thread of its own.  Prints "due", how often f was called, "due-children", how often in children, and the "status" of a
 * child that did not end well.
 */
#include "prog.h"

#include <dlfcn.h>
#include <mon.h>

static int end;
static long due, due_children;
static char **libraries;

extern int (*const many[])(int);
extern const int nmany;

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

UNSEEN void call_f(void)
{
	f(0);
	__atomic_add_fetch(&due, 1, __ATOMIC_RELAXED);
}

UNSEEN int go_on(void)
{
	return !__atomic_load_n(&end, __ATOMIC_RELAXED);
}

static void handler(int sig)
{
	(void)sig;
	call_f();
}

static void *once(void *arg)
{
	call_f();
	return arg;
}

static void *new_functions(void *arg)
{
	for (unsigned i = 0; go_on(); i++) {
		many[i / 1000 % (unsigned)nmany](0);
		call_f();
	}
	return arg;
}

static void *short_threads(void *arg)
{
	pthread_t t;
	while (go_on())
		if (pthread_create(&t, NULL, once, NULL) || pthread_join(t, NULL))
			exit(1);
	return arg;
}

static void *opening(void *arg)
{
	for (unsigned i = 0; go_on(); i++) {
		char **l = libraries + i % 2 * 2;
		int (*function)(int);
		void *library = dlopen(l[0], RTLD_NOW);
		if (!library)
			exit(1);
		*(void **)&function = dlsym(library, l[1]);
		for (int n = 0; n < 1000; n++)
			function(0);
		dlclose(library);
	}
	return arg;
}

static void *forking(void *arg)
{
	for (int n = 0; go_on(); n++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			if (n % 2)
				f(0);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			printf("status %#x\n", status);
		due_children += n % 2;
		usleep(3000);
	}
	return arg;
}

static void *signalling(void *arg)
{
	while (go_on()) {
		kill(getpid(), SIGUSR1);
		WORK(MS / 20);
	}
	return arg;
}

int main(int argc, char **argv)
{
	static void *(*const all[])(void *) = { new_functions, short_threads, opening, forking, signalling };
	pthread_t t[5];
	if (argc < 6)
		return 1;
	libraries = argv + 2;
	signal(SIGUSR1, handler);
	for (int i = 0; i < 5; i++)
		if (pthread_create(&t[i], NULL, all[i], NULL))
			return 1;
	for (double until = WALL() + atof(argv[1]); WALL() < until; usleep(2000))
		if (mon_snapshot("snap"))
			printf("snapshot: %s\n", strerror(errno));
	__atomic_store_n(&end, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
	printf("due %ld\ndue-children %ld\n", due, due_children);
	return 3;
}
