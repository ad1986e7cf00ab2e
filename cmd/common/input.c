/* SPDX-License-Identifier: BSD-2-Clause */
/* input.c -- what every command does with profiles that it reads: messages in, sums out. */
#include "input.h"

#include "diag.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int input_directory(const char *path)
{
	diag(path, "is a directory; name the profiles in it: %s%s*", path, path[strlen(path) - 1] == '/' ? "" : "/");
	return DIAG_USAGE;
}

int input_read(const char *path, const struct mon_read_opts *opts, struct mon_profile **out)
{
	struct mon_error err = { 0 };
	enum mon_kind kind;
	int status;

	if (mon_profile_read(path, opts, out, &err) == 0)
		return DIAG_DONE;
	if (mon_path_kind(path, &kind, NULL) == 0 && kind == MON_KIND_DIRECTORY)
		return input_directory(path);
	status = diag_error(path, &err);
	return err.sys == ENOENT ? DIAG_PROFILE : status;
}

int input_add(struct mon_profile **sum, const char *first, struct mon_profile *p, const char *path)
{
	struct mon_error err = { 0 };
	int status = DIAG_DONE;

	if (*sum == NULL) {
		*sum = p;
		return DIAG_DONE;
	}
	if (mon_profile_merge(*sum, p, &err) != 0) {
		status = diag_status(&err);
		diag(path, "cannot be added to %s: %s", first, err.text);
	}
	mon_profile_free(p);
	return status;
}

void input_warn(const char *path, unsigned flags)
{
	for (unsigned bit = 0; bit < MON_NFLAG; bit++)
		if (flags & 1u << bit)
			diag(path, "warning: %s", mon_flag_text(bit));
}

void input_warn_life(const char *path, const struct mon_profile *p)
{
	if (p->process.life == MON_LIFE_RUNNING)
		diag(path, "warning: is still being written by process %" PRIu64, p->process.pid);
	else if (p->process.life == MON_LIFE_DIED && p->process.pid != 0)
		diag(path, "warning: its process, %" PRIu64 ", ended without writing the rest", p->process.pid);
	else if (p->process.life == MON_LIFE_DIED)
		diag(path, "warning: one of its processes ended without writing the rest");
	else if (p->process.life == MON_LIFE_UNKNOWN && p->nmodule > 0)
		diag(path, "warning: was not finished yet when it was copied: what its process did later is missing");
}

enum option_result input_variant(const struct option_use *use)
{
	const struct mon_variant **field = (const struct mon_variant **)((char *)use->opts + use->row->field);

	if (strcmp(use->arg, "list") == 0) {
		for (const struct mon_variant *v = mon_variant_next(NULL); v != NULL; v = mon_variant_next(v))
			printf("%-10s %s\n", v->name, v->title);
		return OPTION_DONE;
	}
	*field = mon_variant_find(use->arg);
	if (*field == NULL) {
		diag(NULL, "-F %s: no such format; %s -F list shows those there are", use->arg, diag_name());
		return OPTION_BAD;
	}
	return OPTION_ON;
}
