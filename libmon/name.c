/* SPDX-License-Identifier: BSD-2-Clause */
/* name.c -- what a profile's file is called and where it lies: settled when the profile starts.
 *
 * PROFDIR unset: mon.out in the directory the program was in; while the process lives, and for a forked child for good,
 * mon.out.PID.  Set: PROFDIR/pid.progname.  Only mon.out replaces a file that was there before: any other name that is
 * taken gets a suffix .1, .2 and so on.
 */
#include "mon_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PROGNAME_SIZE 200 /* leaves room for pid and suffix in a file name */
#define TRIES	      1000

static char dir[MON_PATH];
static char progname[PROGNAME_SIZE];
static bool in_profdir;
static long starter;	 /* the process that may write mon.out */
static uint64_t settled; /* when: ns since 1970 */

const char *mon_progname(void)
{
	return progname;
}

bool mon_name_settle(void)
{
	const char *given = getenv("PROFDIR"), *name = program_invocation_short_name;
	struct mon_line p = MON_LINE(progname), d = MON_LINE(dir);
	if (given && !*given)
		return false;
	mon_put(&p, name && *name ? name : MON_OUT);
	in_profdir = given != NULL;
	starter = syscall(SYS_getpid);
	settled = mon_now();
	if (!given || *given != '/') {
		if (MON_SYS(getcwd, dir, sizeof dir) < 0)
			strcpy(dir, ".");
		d.at = dir + strlen(dir);
	}
	if (given) {
		mon_put(&d, *given == '/' ? "" : "/");
		mon_put(&d, given);
	}
	if (d.cut)
		mon_say("PROFDIR", "name too long", "no profile is kept");
	return !d.cut;
}

bool mon_name_is_starter(void)
{
	return syscall(SYS_getpid) == starter;
}

bool mon_name_is_plain(void)
{
	return !in_profdir && mon_name_is_starter();
}

/* The name of this process's file, with a suffix when number > 0. */
static void put_name(struct mon_name *n, unsigned number)
{
	uint64_t pid = (uint64_t)syscall(SYS_getpid);
	struct mon_line l = MON_LINE(n->path);
	mon_put(&l, dir);
	mon_put(&l, "/");
	if (in_profdir) {
		mon_put_number(&l, pid);
		mon_put(&l, ".");
		mon_put(&l, progname);
	} else {
		mon_put(&l, MON_OUT ".");
		mon_put_number(&l, pid);
	}
	if (number) {
		mon_put(&l, ".");
		mon_put_number(&l, number);
	}
}

static int create(const char *path)
{
	return (int)MON_SYS(openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int mon_name_create_temporary(struct mon_name *n)
{
	for (unsigned number = 0; number < TRIES; number++) {
		struct mon_line l = MON_LINE(n->path);
		mon_put(&l, dir);
		mon_put(&l, "/.mon.");
		mon_put_number(&l, (uint64_t)syscall(SYS_getpid));
		mon_put(&l, ".");
		mon_put_number(&l, number);
		mon_put(&l, ".tmp");
		int fd = create(n->path);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

void mon_name_remove(const struct mon_name *n)
{
	MON_SYS(unlinkat, AT_FDCWD, n->path, 0);
}

/* Without replacing; where the file system cannot do that in one step, by a second link. */
static int rename_new(const char *from, const char *to)
{
	if (MON_SYS(renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	if (MON_SYS(linkat, AT_FDCWD, from, AT_FDCWD, to, 0) < 0)
		return errno;
	MON_SYS(unlinkat, AT_FDCWD, from, 0);
	return 0;
}

void mon_name_put(struct mon_name *n)
{
	struct mon_line l = MON_LINE(n->path);
	if (mon_name_is_plain()) {
		mon_put(&l, dir);
		mon_put(&l, "/" MON_OUT);
	} else {
		put_name(n, 0);
	}
}

/* The mon.out that this process wrote, if it did. */
static dev_t own_dev;
static ino_t own_ino;

static bool read_at(int fd, void *data, size_t size, uint64_t offset)
{
	return MON_SYS(pread64, fd, data, size, offset) == (long)size;
}

/* When the process ended whose finished native profile fd is; 0: it is none. */
static uint64_t end_of(int fd)
{
	struct monfmt_header h;
	struct monfmt_table t;
	struct monfmt_section s;
	struct monfmt_process p;
	if (!read_at(fd, &h, sizeof h, 0) || memcmp(h.magic, MONFMT_MAGIC, sizeof h.magic) != 0 ||
	    h.order != MONFMT_ORDER || !read_at(fd, &t, sizeof t, h.table) || t.nsection == 0 ||
	    !read_at(fd, &s, sizeof s, h.table + sizeof t) || s.type != MONFMT_PROCESS ||
	    !read_at(fd, &p, sizeof p, s.offset))
		return 0;
	return p.end;
}

/* A mon.out written while this process ran is another one's result, and stays. */
static bool is_recent(const char *path)
{
	struct stat st;
	int fd = (int)MON_SYS(openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool own = fstat(fd, &st) < 0 || (st.st_dev == own_dev && st.st_ino == own_ino);
	uint64_t end = own || !S_ISREG(st.st_mode) ? 0 : end_of(fd);
	MON_SYS(close, fd);
	return end > settled && end <= mon_now(); /* one from the future says nothing */
}

int mon_name_replace(const struct mon_name *from, const struct mon_name *to)
{
	struct stat st;
	if (MON_SYS(renameat, AT_FDCWD, from->path, AT_FDCWD, to->path) < 0)
		return errno;
	if (stat(to->path, &st) == 0) {
		own_dev = st.st_dev;
		own_ino = st.st_ino;
	}
	return 0;
}

bool mon_name_may_be_plain(struct mon_name *n)
{
	mon_name_put(n);
	return mon_name_is_plain() && !is_recent(n->path);
}

void mon_name_own(struct mon_name *n)
{
	put_name(n, 0);
}

int mon_name_final(const struct mon_name *from, struct mon_name *to)
{
	mon_name_put(to);
	if (mon_name_is_plain())
		return mon_name_replace(from, to);
	return mon_name_take_own(from, to);
}

int mon_name_take_own(const struct mon_name *from, struct mon_name *to)
{
	int error = EEXIST;
	for (unsigned number = 0; number < TRIES && error == EEXIST; number++) {
		put_name(to, number);
		error = rename_new(from->path, to->path);
	}
	return error;
}
