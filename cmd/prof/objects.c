/* SPDX-License-Identifier: BSD-2-Clause */
/* objects.c -- the files that names come from: the program, and the shared objects that a profile names. */
#include "diag.h"
#include "prof.h"

#include <stdlib.h>
#include <string.h>

/* ---- the program ------------------------------------------------------------------------------------------------------ */

static int fail(const char *path, const struct mon_error *err)
{
	int status = diag_error(path, err);

	reason_program(path, err);
	return status;
}

static int use(struct prof_data *data, const char *path, struct mon_object *obj)
{
	char *copy = strdup(path);

	if (copy == NULL) {
		mon_object_close(obj);
		return diag_memory();
	}
	free(data->program);
	mon_object_close(data->obj);
	data->program = copy;
	data->obj = obj;
	return DIAG_DONE;
}

/* A program without names is no loss of everything when the profile has other objects, too. */
static int do_without(struct prof_data *data, const char *path, const struct mon_profile *p,
		      const struct mon_error *err)
{
	char *copy;

	if (err->code != MON_E_NOSYMS || p->nmodule < 2)
		return fail(path, err);
	copy = strdup(path);
	if (copy == NULL)
		return diag_memory();
	free(data->program);
	data->program = copy;
	diag(path, "warning: %s; its time is one row", err->text);
	return DIAG_DONE;
}

static void warn_stripped(const struct prof_data *data)
{
	if (data->obj != NULL && mon_object_stripped(data->obj))
		diag(data->program, "warning: was stripped; only functions that it exports have names");
}

int program_open(const struct prof_opts *opts, struct prof_data *data)
{
	const char *path = opts->program != NULL ? opts->program : DEFAULT_PROGRAM;
	struct mon_object *obj;
	struct mon_error err = { 0 };
	int status;

	if (mon_object_open(path, &obj, &err) != 0) {
		data->no_program = err;
		return opts->program != NULL && err.code != MON_E_NOSYMS ? fail(path, &err) : DIAG_DONE;
	}
	status = use(data, path, obj);
	if (status == DIAG_DONE && opts->program != NULL)
		warn_stripped(data);
	return status;
}

/* Use the program that p names; when it is not there, DEFAULT_PROGRAM may be it. */
static int use_named(struct prof_data *data, const struct mon_profile *p)
{
	const char *path = p->module[0].path;
	struct mon_object *obj;
	struct mon_error err = { 0 };
	int status;

	if (mon_object_open(path, &obj, &err) == 0)
		return use(data, path, obj);
	if (data->obj != NULL && mon_profile_match(p, 0, data->obj, NULL, 0) == MON_MATCH_YES)
		return DIAG_DONE;
	if (err.code == MON_E_NOSYMS)
		return do_without(data, path, p, &err);
	status = diag_error(path, &err);
	diag(NULL, "the profile names it as its program; if that is elsewhere, name it: prof PROGRAM PROFILE");
	return status;
}

int program_settle(const struct prof_opts *opts, struct prof_data *data, const struct mon_profile *first)
{
	int status = DIAG_DONE;

	if (opts->program != NULL)
		return data->obj != NULL ? DIAG_DONE : do_without(data, opts->program, first, &data->no_program);
	if (first->nmodule > 0 && first->module[0].path != NULL)
		status = use_named(data, first);
	else if (data->obj == NULL)
		status = fail(DEFAULT_PROGRAM, &data->no_program);
	if (status == DIAG_DONE)
		warn_stripped(data);
	return status;
}

/* ---- shared objects --------------------------------------------------------------------------------------------------- */

/* Which modules have time or calls; of those that are the same file the first stands for all. */
static bool *find_active(const struct mon_profile *p)
{
	bool *active = calloc(p->nmodule, sizeof *active);

	for (size_t i = 0; active != NULL && i < p->nrange; i++) {
		uint64_t bin = 0, count;

		active[p->module[p->range[i].module].first] |= mon_bins_next(p->range[i].bins, &bin, &count);
	}
	for (size_t i = 0; active != NULL && i < p->ncall; i++)
		if (p->call[i].module < p->nmodule)
			active[p->module[p->call[i].module].first] = true;
	return active;
}

static void open_library(struct prof_data *data, uint32_t module)
{
	const char *path = data->profile->module[module].path;
	struct mon_object *obj;
	struct mon_error err = { 0 };
	enum mon_match match;
	char figures[400];

	if (path == NULL)
		return;
	if (mon_object_open(path, &obj, &err) != 0) {
		diag(path, "warning: %s; its time is one row", err.text);
		return;
	}
	match = mon_profile_match(data->profile, module, obj, figures, sizeof figures);
	if (match == MON_MATCH_YES || match == MON_MATCH_UNSURE) {
		data->library[module] = obj;
		return;
	}
	diag(path, "warning: is not what the program had loaded: %s; its time is one row", figures);
	mon_object_close(obj);
}

int libraries_open(struct prof_data *data)
{
	const struct mon_profile *p = data->profile;
	bool *active;

	if (p->nmodule == 0)
		return DIAG_DONE;
	active = find_active(p);
	data->library = calloc(p->nmodule, sizeof(struct mon_object *));
	if (active == NULL || data->library == NULL) {
		free(active);
		return diag_memory();
	}
	for (uint32_t i = 1; i < p->nmodule; i++)
		if (active[i] && p->module[i].first == i)
			open_library(data, i);
	free(active);
	return DIAG_DONE;
}

void objects_close(struct prof_data *data)
{
	for (size_t i = 0; data->library != NULL && i < data->profile->nmodule; i++)
		mon_object_close(data->library[i]);
	free(data->library);
	mon_object_close(data->obj);
	free(data->program);
}
