/* SPDX-License-Identifier: BSD-2-Clause */
/* options.c -- the options of prof: what --help says and what they do. */
#include "prof.h"

#include "column.h"
#include "diag.h"
#include "input.h"
#include "option.h"
#include "unmangle.h"

#include <limits.h>

static const char *const order_name[] = {
	[MON_SORT_TIME] = "time",
	[MON_SORT_CALLS] = "calls",
	[MON_SORT_ADDRESS] = "address",
	[MON_SORT_NAME] = "name",
};

static void set_order(struct prof_opts *opts, enum mon_sort sort)
{
	if (opts->sort_given && opts->sort != sort)
		diag(NULL, "warning: sorting by %s, asked for last, overrides sorting by %s", order_name[sort],
		     order_name[opts->sort]);
	opts->sort_given = true;
	opts->sort = sort;
}

static enum option_result sort_by_letter(const struct option_use *use)
{
	set_order(use->opts, (enum mon_sort)use->row->value);
	return OPTION_ON;
}

static enum option_result sort_by_word(const struct option_use *use)
{
	enum mon_sort sort;

	if (!column_sort(use->arg, &sort)) {
		diag(NULL, "--sort=%s: no such order; there are time, calls, address and name", use->arg);
		return OPTION_BAD;
	}
	set_order(use->opts, sort);
	return OPTION_ON;
}

static enum option_result add_profile(const struct option_use *use)
{
	struct prof_opts *opts = use->opts;

	opts->profile[opts->nprofile++] = use->arg;
	return OPTION_ON;
}

static enum option_result set_hz(const struct option_use *use)
{
	struct prof_opts *opts = use->opts;
	unsigned long hz = 0;

	if (!option_number(use, 1000000000, &hz))
		return OPTION_BAD;
	opts->hz = (unsigned)hz;
	return OPTION_ON;
}

static enum option_result set_top(const struct option_use *use)
{
	struct prof_opts *opts = use->opts;
	unsigned long top = 0;

	if (!option_number(use, LONG_MAX, &top))
		return OPTION_BAD;
	opts->top = top;
	return OPTION_ON;
}

static enum option_result set_readable(const struct option_use *use)
{
	if (!unmangle_present()) {
		diag(NULL, "-C: this prof was built without libiberty, which knows C++ and Rust names");
		return OPTION_BAD;
	}
	return option_store(use);
}

#define FIELD(name)	   offsetof(struct prof_opts, name)
#define FLAG(name, number) .apply = option_store, .field = FIELD(name), .value = (number)

static const struct option_row rows[] = {
	{ .letter = 't',
	  .help = "sort by time, most first (default)",
	  .apply = sort_by_letter,
	  .value = MON_SORT_TIME },
	{ .letter = 'c',
	  .help = "sort by number of calls, most first",
	  .apply = sort_by_letter,
	  .value = MON_SORT_CALLS },
	{ .letter = 'a', .help = "sort by address", .apply = sort_by_letter, .value = MON_SORT_ADDRESS },
	{ .letter = 'n', .help = "sort by name", .apply = sort_by_letter, .value = MON_SORT_NAME },
	{ .name = "sort",
	  .arg = "KEY",
	  .help = "sort by time, calls, address, name or a column",
	  .apply = sort_by_word },
	{ .letter = 'o', .name = "octal", .help = "show addresses, in octal", FLAG(address_base, 8) },
	{ .letter = 'x', .name = "hex", .help = "show addresses, in hexadecimal", FLAG(address_base, 16) },
	{ .letter = 'g',
	  .name = "all",
	  .help = "give static functions their own rows (default)",
	  FLAG(fold_statics, 0) },
	{ .letter = 'l',
	  .name = "fold-statics",
	  .help = "give their time to the global function before them",
	  FLAG(fold_statics, 1) },
	{ .letter = 'z', .name = "zeros", .help = "show functions without time and calls too", FLAG(zeros, 1) },
	{ .name = "top", .arg = "N", .help = "show the first N rows only", .apply = set_top },
	{ .letter = 'h', .name = "no-heading", .help = "leave out the heading", FLAG(no_heading, 1) },
	{ .letter = 's', .name = "summary", .help = "print statistics too, on standard error", FLAG(summary, 1) },
	{ .letter = 'C',
	  .name = "demangle",
	  .help = "show C++ and Rust names as they were written",
	  .apply = set_readable,
	  .field = FIELD(readable),
	  .value = 1 },
	{ .letter = 'm',
	  .name = "profile",
	  .arg = "FILE",
	  .help = "read this profile; may be repeated",
	  .apply = add_profile },
	{ .letter = 'F',
	  .name = "format",
	  .arg = "VARIANT",
	  .help = "read profiles as this format; -F list shows all",
	  .apply = input_variant,
	  .field = FIELD(variant) },
	{ .name = "hz", .arg = "N", .help = "N ticks make a second", .apply = set_hz },
	{ .letter = 'V', .help = "print the version on standard error", FLAG(version, 1) },
	{ OPTION_HELP },
	{ OPTION_VERSION },
};

const struct option_table prof_options = {
	.usage = "[OPTION]... [PROGRAM] [PROFILE]...\n-m PROFILE [OPTION]... [PROGRAM]",
	.about = "Print where PROGRAM (" DEFAULT_PROGRAM ") spent its time, from the PROFILE (" DEFAULT_PROFILE
		 ") that it wrote when it ended.\nOperands are told apart by what they hold; several profiles are "
		 "added up; - "
		 "is standard input.",
	.row = rows,
	.nrow = sizeof rows / sizeof rows[0],
};
