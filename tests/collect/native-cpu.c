/* SPDX-License-Identifier: BSD-2-Clause */
/* native-cpu.c -- run a command with a library preloaded: native-cpu FILE LIBRARY COMMAND ...
 *
 * Ends as it ends, with "user SECONDS" and "system SECONDS" of it in FILE.  LIBRARY "" is none.
 */
#include "prog.h"

#include <sys/resource.h>

int main(int argc, char **argv)
{
	struct rusage u;
	int status;
	pid_t pid = argc > 3 ? fork() : -1;
	if (pid == 0) {
		if (*argv[2])
			setenv("LD_PRELOAD", argv[2], 1);
		execvp(argv[3], argv + 3);
		_exit(126);
	}
	FILE *out = pid > 0 ? fopen(argv[1], "w") : NULL;
	if (!out || wait4(pid, &status, 0, &u) != pid)
		return 127;
	fprintf(out, "user %ld.%06ld\nsystem %ld.%06ld\n", (long)u.ru_utime.tv_sec, (long)u.ru_utime.tv_usec,
		(long)u.ru_stime.tv_sec, (long)u.ru_stime.tv_usec);
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
