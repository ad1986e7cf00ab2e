/* SPDX-License-Identifier: BSD-2-Clause */
/* native-exact.c -- calls of f, in every kind of thread and process: native-exact MODE [N].
 *
 * threads N      N threads, 50 at a time, the k-th calling f 100 + k times; prints "due" and the sum
 * exit, _exit, abort, kill     f 11 times in main and 7 in a thread that lives on, then the end in that way
 * fork, clone, vfork           the parent calls f 5 times before and 6 after, the child 7 times; prints "child PID"
 */
#include "prog.h"

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

UNSEEN void call_f(long n)
{
	for (long i = 0; i < n; i++)
		f(0);
}

static void *calling(void *arg)
{
	call_f((long)arg);
	return NULL;
}

static int threads(int n)
{
	pthread_t t[50];
	long due = 0;
	for (int k = 0; k < n; k += 50) {
		int width = n - k < 50 ? n - k : 50;
		for (int i = 0; i < width; i++) {
			if (pthread_create(&t[i], NULL, calling, (void *)(100L + k + i)))
				return 1;
			due += 100 + k + i;
		}
		for (int i = 0; i < width; i++)
			pthread_join(t[i], NULL);
	}
	printf("due %ld\n", due);
	return 3;
}

static int ready[2];

static void *staying(void *arg)
{
	call_f((long)arg);
	if (write(ready[1], "x", 1) == 1)
		pause();
	return NULL;
}

static int end(const char *how)
{
	pthread_t t;
	char c;
	if (pipe(ready) || pthread_create(&t, NULL, staying, (void *)7L) || read(ready[0], &c, 1) != 1)
		return 1;
	call_f(11);
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	if (!strcmp(how, "_exit"))
		_exit(3);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	return 3;
}

/* The C library need not know of a child. */
static pid_t new_process(const char *how)
{
	return !strcmp(how, "clone") ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
}

static int family(const char *how)
{
	int status;
	call_f(5);
	pid_t pid = strcmp(how, "vfork") ? new_process(how) : vfork();
	if (pid == 0) {
		call_f(7);
		if (!strcmp(how, "vfork"))
			_exit(4);
		exit(4);
	}
	printf("child %d\n", (int)pid);
	if (waitpid(pid, &status, 0) != pid || status != 4 << 8)
		return 1;
	call_f(6);
	return 3;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	if (!strcmp(mode, "threads"))
		return threads(atoi(argv[2]));
	if (strstr("fork clone vfork", mode))
		return family(mode);
	return end(mode);
}
