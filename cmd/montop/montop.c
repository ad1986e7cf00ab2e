/* SPDX-License-Identifier: BSD-2-Clause */
/* montop.c -- show where a running program spends its time. */
#include "diag.h"
#include "option.h"

static const struct option_row rows[] = {
	{ OPTION_HELP },
	{ OPTION_VERSION },
};

static const struct option_table table = {
	.usage = "[OPTION]",
	.about =
	    "Show where a running program spends its time.  This version cannot do so yet; it says so and ends with 2.",
	.row = rows,
	.nrow = sizeof rows / sizeof rows[0],
};

int main(int argc, char **argv)
{
	int status;

	diag_begin("montop");
	if (option_parse(&table, argc, argv, NULL, &status)) {
		diag(NULL,
		     "not yet able to show a running program: let it end, then use prof on the profile it writes");
		status = DIAG_PROFILE;
	}
	return diag_end(status);
}
