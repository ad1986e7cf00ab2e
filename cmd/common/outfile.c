/* SPDX-License-Identifier: BSD-2-Clause */
/* outfile.c -- an output file that is there whole or not at all. */
#include "outfile.h"

#include "diag.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *volatile unfinished; /* for the signal handler */

static void remove_and_die(int sig)
{
	if (unfinished != NULL)
		unlink(unfinished);
	raise(sig); /* SA_RESETHAND: it ends the command when this handler returns */
}

/* Catch what would leave an unfinished file behind, unless it is ignored (nohup). */
static void catch_signals(void)
{
	static const int sig[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU };

	for (size_t i = 0; i < sizeof sig / sizeof sig[0]; i++) {
		struct sigaction old, new = { .sa_handler = remove_and_die, .sa_flags = (int)SA_RESETHAND };

		if (sigaction(sig[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(sig[i], &new, NULL);
	}
}

/* Make the file under its temporary name; no signal comes between making it and knowing its name. */
static int make_temporary(struct outfile *f, mode_t mode)
{
	sigset_t all, before;
	int saved;

	catch_signals();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	f->fd = mkstemp(f->name);
	saved = errno;
	if (f->fd >= 0)
		unfinished = f->name;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return f->fd >= 0 && fchmod(f->fd, mode) == 0 ? 0 : -1;
}

/* The rights that a new file gets here. */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int fail(struct outfile *f)
{
	diag(f->path, "cannot be written: %s", strerror(errno));
	outfile_abandon(f);
	return DIAG_USAGE;
}

int outfile_open(struct outfile *f, const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	*f = (struct outfile){ .path = path, .fd = -1 };
	if (exists && !S_ISREG(st.st_mode)) {
		diag(path, "cannot be written: it is not a regular file");
		return DIAG_USAGE;
	}
	f->target = exists ? realpath(path, NULL) : strdup(path); /* a link stays a link */
	if (f->target == NULL)
		return fail(f);
	if (asprintf(&f->name, "%s.XXXXXX", f->target) < 0) {
		f->name = NULL;
		return fail(f);
	}
	if (make_temporary(f, exists ? st.st_mode & 0777 : new_mode()) != 0)
		return fail(f);
	return DIAG_DONE;
}

int outfile_finish(struct outfile *f)
{
	int failed = fsync(f->fd) != 0 && errno != EINVAL;

	if (close(f->fd) != 0)
		failed = 1;
	f->fd = -1;
	if (failed || rename(f->name, f->target) != 0)
		return fail(f);
	unfinished = NULL;
	outfile_abandon(f);
	return DIAG_DONE;
}

void outfile_abandon(struct outfile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (unfinished != NULL)
		unlink(unfinished);
	unfinished = NULL;
	free(f->name);
	free(f->target);
	f->name = f->target = NULL;
	f->fd = -1;
}
