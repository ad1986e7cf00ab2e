/* SPDX-License-Identifier: BSD-2-Clause */
/* monmerge.c -- add profiles of one program up into one file. */
#include "diag.h"
#include "input.h"
#include "option.h"
#include "outfile.h"

#include <inttypes.h>
#include <stddef.h>
#include <unistd.h>

struct merge_opts {
	const char *output;		   /* from argv */
	const struct mon_variant *variant; /* NULL: find out */
};

static enum option_result set_output(const struct option_use *use)
{
	struct merge_opts *opts = use->opts;

	opts->output = use->arg;
	return OPTION_ON;
}

static const struct option_row rows[] = {
	{ .letter = 'o', .name = "output", .arg = "FILE", .help = "write to FILE", .apply = set_output },
	{ .letter = 'F',
	  .name = "format",
	  .arg = "VARIANT",
	  .help = "read profiles as this format; -F list shows all",
	  .apply = input_variant,
	  .field = offsetof(struct merge_opts, variant) },
	{ OPTION_HELP },
	{ OPTION_VERSION },
};

static const struct option_table table = {
	.usage = "[OPTION]... PROFILE...",
	.about = "Add profiles of one program up and write the sum, in their format, to mon.sum.",
	.row = rows,
	.nrow = sizeof rows / sizeof rows[0],
};

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

/* Can p, read from path, be summed at all, and with what began with the file first? */
static int check_variant(const struct mon_profile *sum, const char *first, const struct mon_profile *p,
			 const char *path)
{
	if ((p->variant->caps & MON_CAN_WRITE) == 0) {
		diag(path, "its format, %s (%s), can be read but not written yet", p->variant->name, p->variant->title);
		diag(NULL, "prof adds profiles of any format up by itself: prof PROGRAM PROFILE...");
		return DIAG_PROFILE;
	}
	if (sum == NULL || p->variant == sum->variant)
		return DIAG_DONE;
	diag(path, "its format is %s, that of %s is %s; the sum can have one format only", p->variant->name, first,
	     sum->variant->name);
	return DIAG_PROFILE;
}

static int add_file(const struct merge_opts *opts, const char *path, const char *first, struct mon_profile **sum)
{
	struct mon_read_opts how = { .variant = opts->variant };
	struct mon_profile *p;
	int status = input_read(path, &how, &p);

	if (status != DIAG_DONE)
		return status;
	input_warn(path, p->flags);
	input_warn_life(path, p);
	status = check_variant(*sum, first, p, path);
	if (status == DIAG_DONE)
		return input_add(sum, first, p, path);
	mon_profile_free(p);
	return status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static int write_sum(const char *path, const struct mon_profile *sum, uint64_t *saturated)
{
	struct mon_error err = { 0 };
	struct outfile f;
	int status = outfile_open(&f, path);

	if (status != DIAG_DONE)
		return status;
	if (mon_profile_write(sum, sum->variant, f.fd, saturated, &err) == 0)
		return outfile_finish(&f);
	status = diag_error(path, &err);
	outfile_abandon(&f);
	return status;
}

static int write_and_tell(const char *path, const struct mon_profile *sum, int n)
{
	uint64_t saturated = 0;
	int status = write_sum(path, sum, &saturated);

	if (status != DIAG_DONE)
		return status;
	diag(path, "sum of %d profile%s: %" PRIu64 " ticks, %" PRIu64 " calls", n, n == 1 ? "" : "s", sum->ticks,
	     sum->calls);
	if (saturated > 0)
		diag(path, "warning: sums too large for the format, written as its largest value: %" PRIu64, saturated);
	return DIAG_DONE;
}

static int run(const struct merge_opts *opts, int n, char **path)
{
	struct mon_profile *sum = NULL;
	int status = DIAG_DONE;

	for (int i = 0; i < n && status == DIAG_DONE; i++)
		status = add_file(opts, path[i], path[0], &sum);
	if (status == DIAG_DONE && sum != NULL)
		status = write_and_tell(opts->output, sum, n);
	mon_profile_free(sum);
	return status;
}

int main(int argc, char **argv)
{
	struct merge_opts opts = { .output = "mon.sum" };
	int status;

	diag_begin("monmerge");
	if (option_parse(&table, argc, argv, &opts, &status)) {
		if (optind == argc) {
			diag(NULL, "no profiles named; monmerge --help lists the options");
			status = DIAG_USAGE;
		} else {
			status = run(&opts, argc - optind, argv + optind);
		}
	}
	return diag_end(status);
}
