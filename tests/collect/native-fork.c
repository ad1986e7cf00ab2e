/* SPDX-License-Identifier: BSD-2-Clause */
/* native-fork.c -- processes that make others, and change what is around them: native-fork MODE ...
 *
 * The program calls f 5 times before and 6 times after.  Prints "pid PID" and for each child "child PID CALLS-OF-F".
 *
 * children N    N children, 10 at a time, the k-th calling f 1 + k % 7 times
 * silent        children that do nothing that is profiled: exit, _exit, sleep, exec, reset signals and then exec
 * others        posix_spawn, system, popen
 * daemon        a child that leaves its session, folder and descriptors, then calls f 7 times, all of many[] in each of 3
 *               new threads, and works for 0.1 s
 * reopen FILE   closes all descriptors and has FILE open in their place, while new functions and threads come
 * jail FOLDER   chroot and setuid, then f in a new thread, too
 * alone         a child that can open nothing, with a thread that works
 * exec PROGRAM ...   becomes another program
 */
#include "prog.h"

#include <grp.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

PLAIN void work(unsigned long turns)
{
	WORK(turns);
}

extern int (*const many[])(int);
extern const int nmany;

UNSEEN void call_f(int n)
{
	for (int i = 0; i < n; i++)
		f(i);
}

static void *call_many(void *arg)
{
	for (int i = 0; i < nmany; i++)
		many[i](0);
	return arg;
}

static void *call_f_and_work(void *arg)
{
	call_f(7);
	work(60 * MS);
	return arg;
}

UNSEEN void in_threads(void *(*run)(void *), int n)
{
	pthread_t t[40];
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, run, NULL))
			_exit(9);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

UNSEEN pid_t child(int calls)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		exit(1);
	if (pid > 0)
		printf("child %d %d\n", (int)pid, calls);
	return pid;
}

UNSEEN void ended(int status_wanted)
{
	int status;
	if (wait(&status) < 0 || status != status_wanted << 8) {
		printf("a child ended with %#x\n", status);
		exit(1);
	}
}

UNSEEN void children(int n)
{
	for (int k = 0; k < n; k++) {
		if (child(1 + k % 7) == 0) {
			call_f(1 + k % 7);
			exit(4);
		}
		if (k >= 10)
			ended(4);
	}
	for (int k = 0; k < (n < 10 ? n : 10); k++)
		ended(4);
}

UNSEEN void silent(void)
{
	for (int i = 0; i < 5; i++) {
		if (child(0) == 0) {
			if (i == 1)
				_exit(4);
			if (i == 2)
				usleep(30000);
			for (int sig = 1; i == 4 && sig < 65; sig++)
				signal(sig, SIG_DFL);
			if (i >= 3)
				execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
			exit(4);
		}
		ended(4);
	}
}

extern char **environ;

UNSEEN void others(void)
{
	static char *const argv[] = { "sh", "-c", "exit 4", NULL };
	pid_t pid;
	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ))
		exit(1);
	ended(4);
	FILE *p = popen("echo hello", "r");
	if (system("exit 4") != 4 << 8 || !p || getc(p) != 'h' || pclose(p))
		exit(1);
}

UNSEEN void daemonise(void)
{
	if (child(7) == 0) {
		call_f(3);
		setsid();
		umask(0);
		if (chdir("/"))
			_exit(9);
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
		call_f(4);
		in_threads(call_many, 3);
		work(60 * MS);
		exit(4);
	}
	ended(4);
}

/* A thread that is sampled before, and ends after. */
static volatile int may_end;

static void *wait_for_end(void *arg)
{
	while (!may_end)
		work(MS);
	return arg;
}

UNSEEN void reopen(const char *path)
{
	int fd = open(path, O_RDWR);
	pthread_t t;
	call_many(NULL);
	if (pthread_create(&t, NULL, wait_for_end, NULL))
		exit(1);
	usleep(20000);
	for (int i = 0; i < 1024; i++) /* standard error, too: libmon has nothing to say here */
		if (i != fd && i != STDOUT_FILENO)
			close(i);
	for (int i = 0; i < 200; i++)
		if (i != fd && i != STDOUT_FILENO)
			dup2(fd, i);
	may_end = 1;
	pthread_join(t, NULL);
	in_threads(call_many, 40);
	in_threads(call_f_and_work, 3);
	for (int i = 0; i < 200; i++)
		if (fcntl(i, F_GETFD) < 0)
			printf("descriptor %d was closed\n", i);
}

UNSEEN void jail(const char *folder)
{
	if (chroot(folder) || chdir("/") || setgroups(0, NULL) || setgid(65534) || setuid(65534))
		exit(1);
	in_threads(call_f_and_work, 2);
}

UNSEEN void alone(void)
{
	const struct rlimit none = { 0, 0 };
	if (child(0) == 0) {
		setrlimit(RLIMIT_NOFILE, &none);
		call_f(3);
		in_threads(call_f_and_work, 2);
		_exit(4);
	}
	ended(4);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	printf("pid %d\n", (int)getpid());
	call_f(5);
	if (!strcmp(mode, "children"))
		children(atoi(argv[2]));
	else if (!strcmp(mode, "silent"))
		silent();
	else if (!strcmp(mode, "others"))
		others();
	else if (!strcmp(mode, "daemon"))
		daemonise();
	else if (!strcmp(mode, "reopen"))
		reopen(argv[2]);
	else if (!strcmp(mode, "jail"))
		jail(argv[2]);
	else if (!strcmp(mode, "alone"))
		alone();
	else if (!strcmp(mode, "exec") && !fflush(stdout))
		execv(argv[2], argv + 2);
	call_f(6);
	return 3;
}
