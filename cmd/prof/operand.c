/* SPDX-License-Identifier: BSD-2-Clause */
/* operand.c -- which operand is the program and which are profiles, told by what they hold. */
#include "diag.h"
#include "input.h"
#include "prof.h"

#include <errno.h>
#include <string.h>

/* A path by its content. */
enum role {
	ROLE_PROFILE,
	ROLE_PROGRAM,
	ROLE_DIRECTORY,
	ROLE_MISSING,
	ROLE_UNREADABLE, /* err says why */
};

static enum role find_role(const char *path, struct mon_error *err)
{
	static const enum role role[] = {
		[MON_KIND_PROFILE] = ROLE_PROFILE,
		[MON_KIND_ELF] = ROLE_PROGRAM,
		[MON_KIND_DIRECTORY] = ROLE_DIRECTORY,
		[MON_KIND_OTHER_PROGRAM] = ROLE_PROGRAM, /* opening it will say what it is */
	};
	enum mon_kind kind;

	if (strcmp(path, "-") == 0)
		return ROLE_PROFILE;
	if (mon_path_kind(path, &kind, err) == 0)
		return role[kind];
	return err->sys == ENOENT ? ROLE_MISSING : ROLE_UNREADABLE;
}

/* What is wrong with a path, or nothing.  by_default: nobody named it. */
static int refuse(const char *path, enum role role, const struct mon_error *err, bool by_default)
{
	switch (role) {
	case ROLE_PROFILE:
		return DIAG_DONE;
	case ROLE_PROGRAM:
		diag(path, "is a program where a profile is wanted");
		return DIAG_PROFILE;
	case ROLE_DIRECTORY:
		return input_directory(path);
	case ROLE_MISSING:
		return reason_missing(path, by_default);
	case ROLE_UNREADABLE:
		break;
	}
	return diag_error(path, err);
}

static int take_program(struct prof_opts *opts, const char *path)
{
	if (opts->program != NULL) {
		diag(path, "is a second program; the first is %s", opts->program);
		return DIAG_USAGE;
	}
	opts->program = path;
	return DIAG_DONE;
}

/* *missing becomes the first operand that is not there: what it was meant to be depends on the others. */
static int take_operand(struct prof_opts *opts, const char *path, const char **missing)
{
	struct mon_error err = { 0 };
	enum role role = find_role(path, &err);

	if (role == ROLE_PROGRAM)
		return take_program(opts, path);
	if (role == ROLE_MISSING) {
		if (*missing == NULL)
			*missing = path;
		return DIAG_DONE;
	}
	if (role == ROLE_PROFILE)
		opts->profile[opts->nprofile++] = path;
	return refuse(path, role, &err, false);
}

static int check_profile(const char *path, bool by_default)
{
	struct mon_error err = { 0 };
	enum role role = find_role(path, &err);

	return refuse(path, role, &err, by_default);
}

static int check_stdin(const struct prof_opts *opts)
{
	int n = 0;

	for (size_t i = 0; i < opts->nprofile; i++)
		n += strcmp(opts->profile[i], "-") == 0;
	if (n < 2)
		return DIAG_DONE;
	diag(NULL, "standard input can be read only once");
	return DIAG_USAGE;
}

int operand_sort(struct prof_opts *opts, int n, char **operand)
{
	const char *missing = NULL;
	int status = DIAG_DONE;

	for (size_t i = 0; i < opts->nprofile && status == DIAG_DONE; i++)
		status = check_profile(opts->profile[i], false); /* of -m */
	for (int i = 0; i < n && status == DIAG_DONE; i++)
		status = take_operand(opts, operand[i], &missing);
	if (status != DIAG_DONE)
		return status;
	if (missing != NULL && opts->program != NULL)
		return reason_missing(missing, false);
	if (missing != NULL) {
		diag(missing, "no such file; it was taken for the program");
		return DIAG_USAGE;
	}
	if (opts->nprofile == 0) {
		opts->profile[opts->nprofile++] = DEFAULT_PROFILE;
		status = check_profile(DEFAULT_PROFILE, true);
	}
	return status != DIAG_DONE ? status : check_stdin(opts);
}
