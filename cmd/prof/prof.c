/* SPDX-License-Identifier: BSD-2-Clause */
/* prof.c -- print where a program spent its time, from the profile that it wrote. */
#include "prof.h"

#include "diag.h"
#include "input.h"
#include "names.h"
#include "option.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Flags that are better told of the report: it knows the function, or sets them itself. */
static const unsigned of_report = MON_F_SATURATED | MON_F_ROUNDED | MON_F_COUNT_LIMIT;

/* See that a profile belongs to the program, and add it to the sum.  Takes p over. */
static int add_profile(const struct prof_opts *opts, struct prof_data *data, struct mon_profile *p, const char *path)
{
	unsigned flags = p->flags;
	enum mon_match match = MON_MATCH_UNSURE;
	char figures[400] = "";
	int status;

	if (data->obj != NULL)
		match = mon_profile_match(p, 0, data->obj, figures, sizeof figures);
	input_warn_life(path, p);
	status = input_add(&data->profile, opts->profile[0], p, path);
	if (status == DIAG_DONE && (match == MON_MATCH_OUTSIDE || match == MON_MATCH_FOREIGN))
		status = reason_no_match(path, data->program, match, figures);
	if (status == DIAG_DONE)
		input_warn(path, flags & ~of_report);
	return status;
}

static int add_one(const struct prof_opts *opts, struct prof_data *data, const char *path)
{
	struct mon_read_opts how = { .variant = opts->variant, .program = data->obj };
	struct mon_profile *p;
	int status = input_read(path, &how, &p);

	if (status != DIAG_DONE)
		return status;
	if (opts->hz != 0)
		mon_profile_set_hz(p, opts->hz);
	if (data->profile == NULL)
		status = program_settle(opts, data, p);
	if (status == DIAG_DONE)
		return add_profile(opts, data, p, path);
	mon_profile_free(p);
	return status;
}

/* What to know about the report, where it is not the table itself. */
static void print_notes(const struct prof_opts *opts, const struct prof_data *data)
{
	const struct mon_report *r = data->report;
	const struct mon_profile *p = data->profile;
	const char *file = opts->nprofile == 1 ? opts->profile[0] : NULL;

	input_warn(file, r->flags & of_report & ~(unsigned)MON_F_SATURATED);
	if (r->flags & MON_F_SATURATED) {
		const struct mon_symbol *sym = data->obj != NULL ? mon_object_find(data->obj, r->saturated_bin) : NULL;

		diag(file, "warning: %s; the first such bin is at 0x%" PRIx64 ", in %s",
		     mon_flag_text(MON_F_SATURATED_BIT), r->saturated_bin,
		     sym != NULL ? mon_symbol_name(data->obj, sym) : "no function");
	}
	if (p->hz_source == MON_HZ_FAMILY && p->process.pid == 0)
		diag(file, "clock rate not stated; %u Hz assumed (usual for %s; --hz=N overrides)", p->hz,
		     p->variant->name);
	if (p->ticks == 0)
		reason_no_ticks(opts, p);
	if (opts->fold_statics)
		diag(NULL,
		     "-l: static functions folded into the global ones before them: %.2f s moved, %" PRIu64
		     " calls dropped",
		     mon_ticks_value(r->ticks_folded) / r->hz, r->calls_folded);
}

/* The objects of the sum's modules, the program first; to be freed. */
static const struct mon_object **list_objects(const struct prof_data *data, size_t n)
{
	const struct mon_object **list = calloc(n, sizeof(struct mon_object *));

	for (size_t i = 1; list != NULL && i < n; i++)
		list[i] = data->library[i];
	if (list != NULL)
		list[0] = data->obj;
	return list;
}

static int build_report(const struct prof_opts *opts, struct prof_data *data)
{
	struct mon_report_opts how = { .zeros = opts->zeros != 0, .fold_statics = opts->fold_statics != 0 };
	size_t n = data->profile->nmodule > 0 ? data->profile->nmodule : 1;
	const struct mon_object **obj = list_objects(data, n);
	struct mon_error err = { 0 };
	int failed;

	if (obj == NULL)
		return diag_memory();
	failed = mon_report_build(data->profile, obj, n, &how, &data->report, &err);
	free(obj);
	if (failed)
		return diag_error(opts->profile[0], &err);
	if (data->report->nrow == 0)
		return reason_no_rows(opts, data->profile);
	mon_report_sort(data->report, opts->sort);
	data->names = names_build(data->report, opts->readable != 0);
	if (data->names == NULL)
		return diag_memory();
	if (opts->readable && opts->sort == MON_SORT_NAME && names_sort(data->names, data->report) != 0)
		return diag_memory();
	return DIAG_DONE;
}

static int run(struct prof_opts *opts, int noperand, char **operand)
{
	struct prof_data data = { 0 };
	int status = operand_sort(opts, noperand, operand);

	if (status == DIAG_DONE)
		status = program_open(opts, &data);
	for (size_t i = 0; i < opts->nprofile && status == DIAG_DONE; i++)
		status = add_one(opts, &data, opts->profile[i]);
	if (status == DIAG_DONE)
		status = libraries_open(&data);
	if (status == DIAG_DONE)
		status = build_report(opts, &data);
	if (status == DIAG_DONE) {
		print_notes(opts, &data);
		text_table(&data, opts);
		if (opts->summary)
			summary_print(&data, opts);
	}
	names_free(data.names);
	mon_report_free(data.report);
	objects_close(&data);
	mon_profile_free(data.profile);
	return status;
}

int main(int argc, char **argv)
{
	struct prof_opts opts = { .sort = MON_SORT_TIME, .top = SIZE_MAX };
	int status;

	diag_begin("prof");
	opts.profile = calloc((size_t)argc + 1, sizeof *opts.profile);
	if (opts.profile == NULL)
		return diag_end(diag_memory());
	if (option_parse(&prof_options, argc, argv, &opts, &status)) {
		if (opts.version)
			fprintf(stderr, "prof %s\n", MON_VERSION);
		if (!opts.version || argc > 2)
			status = run(&opts, argc - optind, argv + optind);
	}
	free(opts.profile);
	return diag_end(status);
}
