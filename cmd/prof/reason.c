/* SPDX-License-Identifier: BSD-2-Clause */
/* reason.c -- why a report is not there or is empty, and what to do next. */
#include "diag.h"
#include "prof.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- profiles near one that is missing ------------------------------------------------------------------------------ */

enum { MAX_NEAR = 5 };

/* The newest files of a directory that are named like profiles. */
struct near {
	size_t n;
	struct near_file {
		char *name; /* owned */
		struct timespec written;
	} file[MAX_NEAR];
};

/* mon.out, mon.out.PID, mon.sum, gmon.out, PID.program, anything.out */
static bool named_like_profile(const char *name)
{
	static const char *const start[] = { "mon.out", "mon.sum", "gmon.out", "gmon.sum" };
	size_t len = strlen(name), digits = strspn(name, "0123456789");

	for (size_t i = 0; i < sizeof start / sizeof start[0]; i++)
		if (strncmp(name, start[i], strlen(start[i])) == 0)
			return true;
	if (digits > 0 && name[digits] == '.')
		return true;
	return len > 4 && strcmp(name + len - 4, ".out") == 0;
}

static bool is_newer(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static void keep_near(struct near *near, const char *name, struct timespec written)
{
	size_t at = near->n;
	char *copy;

	while (at > 0 && is_newer(written, near->file[at - 1].written))
		at--;
	copy = at < MAX_NEAR ? strdup(name) : NULL;
	if (copy == NULL)
		return;
	if (near->n == MAX_NEAR)
		free(near->file[--near->n].name);
	memmove(&near->file[at + 1], &near->file[at], (near->n - at) * sizeof near->file[0]);
	near->file[at] = (struct near_file){ copy, written };
	near->n++;
}

static void find_near(const char *dir, struct near *near)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		struct stat st;

		if (named_like_profile(e->d_name) && fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_size > 0 && (st.st_mode & S_IXUSR) == 0)
			keep_near(near, e->d_name, st.st_mtim);
	}
	if (d != NULL)
		closedir(d);
}

/* "dir/a, dir/b" as a string to be freed; NULL if there are none. */
static char *list_near(const char *dir, const char *prefix)
{
	struct near near = { 0 };
	char *list = NULL;
	size_t size;
	FILE *out;

	find_near(dir, &near);
	out = near.n > 0 ? open_memstream(&list, &size) : NULL;
	for (size_t i = 0; i < near.n; i++) {
		if (out != NULL)
			fprintf(out, "%s%s%s", i > 0 ? ", " : "", prefix, near.file[i].name);
		free(near.file[i].name);
	}
	if (out != NULL)
		fclose(out);
	return list;
}

static void tell_near(const char *dir, const char *prefix)
{
	char *list = list_near(dir, prefix);

	if (list != NULL)
		diag(NULL, "profiles near it: %s", list);
	free(list);
}

/* Look beside the missing file. */
static void tell_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir;

	if (slash == NULL) {
		tell_near(".", "");
		return;
	}
	dir = strndup(path, (size_t)(slash - path) + 1);
	if (dir != NULL)
		tell_near(dir, dir);
	free(dir);
}

static void tell_profdir(void)
{
	const char *dir = getenv("PROFDIR");
	char *prefix;

	if (dir == NULL)
		return;
	if (dir[0] == '\0') {
		diag(NULL, "PROFDIR is set and empty, which switches profiling off");
		return;
	}
	diag(NULL, "PROFDIR is set: profiles are written as %s/PID.PROGRAM", dir);
	if (asprintf(&prefix, "%s/", dir) >= 0) {
		tell_near(dir, prefix);
		free(prefix);
	}
}

int reason_missing(const char *path, bool by_default)
{
	static const char *const cause[] = {
		"it was not linked for profiling: cc -p prog.c -lmon (clang: -pg), for compiling and for linking",
		"PROFDIR was set, and the profile is PROFDIR/PID.PROGRAM",
		"it was started in another directory, and the profile is there",
		"it still runs, or was killed: its profile is mon.out.PID",
	};

	if (!by_default) {
		diag(path, "no such profile");
		tell_beside(path);
		return DIAG_PROFILE;
	}
	diag(path, "no such profile in this directory; a program writes it when it ends, unless");
	for (size_t i = 0; i < sizeof cause / sizeof cause[0]; i++)
		diag(NULL, "- %s", cause[i]);
	tell_profdir();
	tell_beside(path);
	return DIAG_PROFILE;
}

/* ---- profiles that say nothing -------------------------------------------------------------------------------------- */

int reason_no_match(const char *path, const char *program, enum mon_match match, const char *figures)
{
	if (match == MON_MATCH_OUTSIDE)
		diag(path, "belongs to another program than %s: it covers none of its text", program);
	else
		diag(path, "belongs to another program than %s, or to another build of it", program);
	diag(path, "%s", figures);
	diag(NULL, "name the program that wrote the profile; if it was built anew since, run it again");
	return DIAG_PROFILE;
}

static const char *only_file(const struct prof_opts *opts)
{
	return opts->nprofile == 1 ? opts->profile[0] : NULL;
}

void reason_no_ticks(const struct prof_opts *opts, const struct mon_profile *p)
{
	const char *file = only_file(opts);

	if ((p->variant->caps & MON_HAS_BINS) == 0) {
		diag(file, "no time: the format %s holds call counts only", p->variant->name);
		return;
	}
	if (p->process.pid != 0 && p->hz_source == MON_HZ_FAMILY) {
		diag(file, "no time: its process ended before its clock began to tick");
		return;
	}
	if (p->nrange == 0) {
		diag(file, "no time: the profile has no histogram; its program recorded calls only");
		return;
	}
	diag(file, "no time: the run used less CPU time than one tick, %.3g ms at %u Hz, in 0x%" PRIx64 "-0x%" PRIx64,
	     1000.0 / p->hz, p->hz, p->range[0].low, p->range[p->nrange - 1].high);
	diag(NULL, "give the program more to do, or add up the profiles of several runs");
}

int reason_no_rows(const struct prof_opts *opts, const struct mon_profile *p)
{
	diag(only_file(opts), "no calls: no function that was compiled with -p (clang: -pg) was called");
	reason_no_ticks(opts, p);
	return DIAG_PROFILE;
}

void reason_program(const char *path, const struct mon_error *err)
{
	if (strcmp(path, DEFAULT_PROGRAM) == 0 && err->code == MON_E_IO)
		diag(NULL, "name the program that wrote the profile: prof PROGRAM " DEFAULT_PROFILE);
}
