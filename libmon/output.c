/* SPDX-License-Identifier: BSD-2-Clause */
/* output.c -- the profile's file: its name, settled when the profile starts, and writing it in one piece at the end.
 *
 * PROFDIR unset: mon.out in the directory the program was in, mon.out.PID for a forked child.  Set: PROFDIR/pid.progname.
 * The file appears under its name only when it is whole.
 */
#include "mon_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAME_SIZE 200  /* of progname: leaves room for pid and suffix in a file name */
#define TRIES	  1000 /* suffixes .1, .2 ... when the name is taken */

static char dir[MON_PATH];
static char progname[NAME_SIZE];
static bool in_profdir;
static long starter; /* the process that may write mon.out */

/* System calls by number: open, link and write are names that a program may well have given to functions of its own. */
#define SYS(name, ...) syscall(SYS_##name, __VA_ARGS__)

/* Text built without stdio. */
struct text {
	char *at, *end; /* end: the place of the final NUL */
	bool cut;
};

static void put(struct text *t, const char *s)
{
	for (; *s && t->at < t->end; s++)
		*t->at++ = *s;
	t->cut |= *s != 0;
	*t->at = 0;
}

static void put_number(struct text *t, unsigned long n)
{
	char digits[24], *p = digits + sizeof digits;
	*--p = 0;
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	put(t, p);
}

/* Writing can raise a signal that would end the program.  It is blocked here, and taken back when it was raised here. */
struct trap {
	int sig, error; /* the signal comes with this errno */
	bool was_pending;
};

static bool is_pending(int sig)
{
	sigset_t set;
	return sigpending(&set) == 0 && sigismember(&set, sig) == 1;
}

static struct trap set_trap(int sig, int error)
{
	return (struct trap){ sig, error, is_pending(sig) };
}

static void clear_trap(const struct trap *t, int error)
{
	const struct timespec now = { 0, 0 };
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, t->sig);
	if (error == t->error && !t->was_pending)
		sigtimedwait(&set, NULL, &now);
}

/* Write everything; 0 or an errno. */
static int write_all(int fd, const void *data, size_t size)
{
	const struct trap traps[] = { set_trap(SIGXFSZ, EFBIG), set_trap(SIGPIPE, EPIPE) };
	const char *p = data;
	int error = 0;
	while (size > 0 && !error) {
		long n = SYS(write, fd, p, size);
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			error = n == 0 ? EIO : errno;
		}
	}
	for (size_t i = 0; i < sizeof traps / sizeof traps[0]; i++)
		clear_trap(&traps[i], error);
	return error;
}

/* Bytes that could be commands to a terminal show as ?. */
static void say(const char *what, const char *name, const char *why)
{
	char line[MON_PATH + 512];
	struct text t = { line, line + sizeof line - 2, false };
	put(&t, "libmon: ");
	put(&t, name);
	put(&t, ": ");
	put(&t, why);
	put(&t, what);
	for (char *p = line; p < t.at; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	*t.at++ = '\n';
	write_all(STDERR_FILENO, line, (size_t)(t.at - line));
}

static const char *reason(int error)
{
#ifdef __GLIBC__
	return strerrordesc_np(error); /* strerror may allocate */
#else
	return strerror(error);
#endif
}

void mon_output_lost(const char *why)
{
	say(": its profile is lost", progname, why);
}

bool mon_output_open(void)
{
	const char *given = getenv("PROFDIR"), *name = program_invocation_short_name;
	struct text p = { progname, progname + sizeof progname - 1, false }, d = { dir, dir + sizeof dir - 1, false };
	if (given && !*given)
		return false;
	put(&p, name && *name ? name : MON_OUT);
	in_profdir = given != NULL;
	starter = syscall(SYS_getpid);
	if (!given || *given != '/') {
		if (SYS(getcwd, dir, sizeof dir) < 0)
			strcpy(dir, ".");
		d.at = dir + strlen(dir);
	}
	if (given) {
		put(&d, *given == '/' ? "" : "/");
		put(&d, given);
	}
	if (d.cut)
		say(": no profile is kept", "PROFDIR", "name too long");
	return !d.cut;
}

/* The file's own name; try > 0 adds a suffix. */
static void put_name(struct text *t, unsigned try)
{
	long pid = syscall(SYS_getpid);
	if (in_profdir) {
		put_number(t, (unsigned long)pid);
		put(t, ".");
		put(t, progname);
	} else {
		put(t, MON_OUT);
		if (pid != starter) {
			put(t, ".");
			put_number(t, (unsigned long)pid);
		}
	}
	if (try) {
		put(t, ".");
		put_number(t, try);
	}
}

static int remove_file(const char *path)
{
	return SYS(unlinkat, AT_FDCWD, path, 0) < 0 ? -1 : 0;
}

/* A file that is nobody else's: the number of try grows until the name in path, which ends at at, is free. */
static int create_temporary(const char *path, struct text at)
{
	const struct text start = at;
	for (unsigned long try = 0; try < TRIES; try++) {
		at = start;
		put_number(&at, (unsigned long)syscall(SYS_getpid));
		put(&at, ".");
		put_number(&at, try);
		put(&at, ".tmp");
		int fd = (int)SYS(openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Fill and close fd; 0 or an errno. */
static int fill(int fd, const struct mon_part *part, size_t npart)
{
	int error = 0;
	for (size_t i = 0; i < npart && !error; i++)
		error = write_all(fd, part[i].data, part[i].size);
	if (SYS(close, fd) < 0 && !error)
		error = errno;
	return error;
}

/* mon.out is replaced, as ever; any other name is never taken from an existing file. */
static int give_name(const char *temporary, char *path, struct text at)
{
	const struct text start = at;
	for (unsigned try = 0; try < TRIES; try++) {
		at = start;
		put_name(&at, try);
		if (!in_profdir && syscall(SYS_getpid) == starter)
			return SYS(renameat2, AT_FDCWD, temporary, AT_FDCWD, path, 0) < 0 ? -1 : 0;
		if (SYS(renameat2, AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
			return 0;
		if (errno == EINVAL || errno == ENOSYS) { /* the file system cannot */
			if (SYS(linkat, AT_FDCWD, temporary, AT_FDCWD, path, 0) == 0)
				return remove_file(temporary);
		}
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Write the file under a temporary name, then give it its own; 0 or an errno. */
static int write_file(const char *temporary, struct text t, char *path, struct text p, const struct mon_part *part,
		      size_t npart)
{
	int fd = create_temporary(temporary, t);
	if (fd < 0)
		return errno;
	int error = fill(fd, part, npart);
	if (!error && give_name(temporary, path, p) < 0)
		error = errno;
	if (error)
		remove_file(temporary);
	return error;
}

bool mon_output_write(const struct mon_part *part, size_t npart)
{
	static char path[MON_PATH + 256], temporary[MON_PATH + 256];
	struct text t = { temporary, temporary + sizeof temporary - 1, false };
	struct text p = { path, path + sizeof path - 1, false };

	put(&t, dir);
	put(&t, "/.mon.");
	put(&p, dir);
	put(&p, "/");
	int error = write_file(temporary, t, path, p, part, npart);
	if (error) {
		put_name(&p, 0);
		say(": the profile is lost", path, reason(error));
	} else if (mon_count_incomplete) {
		say(": later calls are missing from the counts", path, "out of memory");
	} else if (mon_tick_refused) {
		say(": ticks of some threads are missing", path, "the system refused a timer");
	}
	return error == 0;
}
