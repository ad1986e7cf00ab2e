/* SPDX-License-Identifier: BSD-2-Clause */
/* as.c -- start a program in an odd way: as HOW PROGRAM [ARGUMENT ...].
 *
 * name=TEXT   under another name: argv[0] is TEXT
 * null        without any argument, not even a name
 * pipe        with standard error a pipe that nobody reads
 * files=N     with files of at most N bytes (RLIMIT_FSIZE)
 * memory=N    with at most N bytes of memory (RLIMIT_AS)
 * timers=N    with at most N pending signals and timers (RLIMIT_SIGPENDING)
 * blocked     with SIGPROF blocked
 */
#include "prog.h"

#include <sys/resource.h>

static int limit(__rlimit_resource_t resource, const char *how)
{
	struct rlimit r = { strtoul(how, NULL, 0), strtoul(how, NULL, 0) };
	return setrlimit(resource, &r);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int ends[2];
	sigset_t set;
	if (argc < 3)
		return 2;
	char *program = argv[2];
	if (!strncmp(how, "name=", 5)) {
		argv[2] = argv[1] + 5;
	} else if (!strcmp(how, "null")) {
		argv[2] = NULL;
	} else if (!strcmp(how, "pipe")) {
		if (pipe(ends) || close(ends[0]) || dup2(ends[1], STDERR_FILENO) < 0 || close(ends[1]))
			return 2;
		signal(SIGPIPE, SIG_DFL);
	} else if (!strncmp(how, "files=", 6)) {
		signal(SIGXFSZ, SIG_DFL);
		if (limit(RLIMIT_FSIZE, how + 6))
			return 2;
	} else if (!strncmp(how, "memory=", 7)) {
		if (limit(RLIMIT_AS, how + 7))
			return 2;
	} else if (!strncmp(how, "timers=", 7)) {
		if (limit(RLIMIT_SIGPENDING, how + 7))
			return 2;
	} else if (!strcmp(how, "blocked")) {
		sigemptyset(&set);
		sigaddset(&set, SIGPROF);
		sigprocmask(SIG_BLOCK, &set, NULL);
	} else {
		return 2;
	}
	execv(program, argv + 2);
	return 2;
}
