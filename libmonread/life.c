/* SPDX-License-Identifier: BSD-2-Clause */
/* life.c -- what became of the process that wrote a profile, as the kernel of this host knows it. */
#include "native.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The fields of /proc/PID/stat behind the name, which may hold anything; NULL, and an errno or 0: it cannot be read. */
static const char *read_stat(uint64_t pid, char *text, size_t size, int *sys)
{
	struct mon_error err = { 0 };
	struct stat st;
	char path[64];
	size_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (ull)pid);
	if (mon_file_open(path, &fd, &st, &err)) {
		*sys = err.sys;
		return NULL;
	}
	if (mon_file_read(fd, text, size - 1, 0, &n, &err))
		n = 0;
	close(fd);
	text[n] = '\0';
	*sys = err.sys;
	return strrchr(text, ')');
}

/* The state is field 3, the time of the start field 22. */
static bool is_alive(const char *rest, uint64_t identity)
{
	unsigned long long start;
	char state;

	return sscanf(rest, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &state,
		      &start) == 2 &&
	       start == identity && state != 'Z' && state != 'X';
}

enum mon_life mon_life_find(uint64_t pid, uint64_t identity, const char *host)
{
	struct utsname here;
	char text[2048];
	const char *rest;
	int sys;

	if (pid == 0 || !host || uname(&here) || strcmp(host, here.nodename))
		return MON_LIFE_UNKNOWN;
	rest = read_stat(pid, text, sizeof(text), &sys);
	if (!rest)
		return sys == ENOENT || sys == ESRCH ? MON_LIFE_DIED : MON_LIFE_UNKNOWN;
	return is_alive(rest, identity) ? MON_LIFE_RUNNING : MON_LIFE_DIED;
}
