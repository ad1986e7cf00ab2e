/* SPDX-License-Identifier: BSD-2-Clause */
/* option.c -- the options of a command as one table that drives both parsing and --help. */
#include "option.h"

#include "diag.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_BASE = 0x100 }; /* getopt_long's value of row i is LONG_BASE + i */

/* What getopt_long wants to be told, made from a table. */
struct spec {
	char *letters;
	struct option *names;
};

static bool make_spec(const struct option_table *t, struct spec *s)
{
	char *p;
	size_t n = 0;

	s->letters = malloc(2 * t->nrow + 2);
	s->names = calloc(t->nrow + 1, sizeof *s->names);
	if (s->letters == NULL || s->names == NULL)
		return false;
	p = s->letters;
	*p++ = ':'; /* tell a missing argument from an unknown option */
	for (size_t i = 0; i < t->nrow; i++) {
		const struct option_row *row = &t->row[i];

		if (row->letter != 0 && row->letter != '?') {
			*p++ = (char)row->letter;
			if (row->arg != NULL)
				*p++ = ':';
		}
		if (row->name != NULL)
			s->names[n++] = (struct option){ .name = row->name,
							 .has_arg = row->arg ? required_argument : no_argument,
							 .val = LONG_BASE + (int)i };
	}
	*p = '\0';
	return true;
}

static const struct option_row *row_of(const struct option_table *t, int value)
{
	if (value >= LONG_BASE)
		return &t->row[value - LONG_BASE];
	for (size_t i = 0; i < t->nrow; i++)
		if (value != 0 && t->row[i].letter == value)
			return &t->row[i];
	return NULL;
}

/* getopt_long refused something: say what.  what is ':' or '?', word the argument it stopped in. */
static void complain(const struct option_table *t, int what, const char *word)
{
	const struct option_row *row = row_of(t, optopt);

	if (what == ':' && row != NULL)
		diag(NULL, "%s needs an argument: %s", word, row->arg);
	else if (optopt >= LONG_BASE && row != NULL)
		diag(NULL, "%s: --%s takes no argument", word, row->name);
	else if (optopt != 0)
		diag(NULL, "-%c: no such option", optopt);
	else
		diag(NULL, "%s: no such option, or the beginning of several", word);
	diag(NULL, "%s --help lists the options", diag_name());
}

bool option_parse(const struct option_table *table, int argc, char **argv, void *opts, int *status)
{
	struct option_use use = { .table = table, .opts = opts };
	enum option_result result = OPTION_ON;
	struct spec spec;
	int c = -1;

	*status = DIAG_DONE;
	if (!make_spec(table, &spec)) {
		*status = diag_memory();
		result = OPTION_BAD;
	}
	opterr = 0;
	while (result == OPTION_ON && (c = getopt_long(argc, argv, spec.letters, spec.names, NULL)) != -1) {
		/* "-?" is refused by getopt_long, as an unknown letter, only so that it can be told from other refusals. */
		bool refused = c == ':' || (c == '?' && optopt != '?');

		use.row = refused ? NULL : row_of(table, c);
		if (use.row == NULL) {
			complain(table, c, argv[optind - 1]);
			result = OPTION_BAD;
		} else {
			use.arg = use.row->arg != NULL ? optarg : NULL;
			result = use.row->apply(&use);
		}
		if (result == OPTION_BAD)
			*status = DIAG_USAGE;
	}
	free(spec.letters);
	free(spec.names);
	return result == OPTION_ON;
}

bool option_number(const struct option_use *use, unsigned long max, unsigned long *number)
{
	const char *digits = use->arg + strspn(use->arg, "0123456789");
	unsigned long n;

	errno = 0;
	n = strtoul(use->arg, NULL, 10);
	if (*digits != '\0' || use->arg[0] == '\0' || errno != 0 || n < 1 || n > max) {
		diag(NULL, "--%s=%s: not a whole number from 1 to %lu", use->row->name, use->arg, max);
		return false;
	}
	*number = n;
	return true;
}

enum option_result option_store(const struct option_use *use)
{
	int *field = (int *)((char *)use->opts + use->row->field);

	*field = use->row->value;
	return OPTION_ON;
}

/* "  -F, --format=VARIANT"; returns its length. */
static int print_row(const struct option_row *row)
{
	int n = row->letter != 0 ? printf("  -%c", row->letter) : printf("    ");

	if (row->name != NULL)
		n += printf("%s --%s", row->letter != 0 ? "," : " ", row->name);
	if (row->arg != NULL)
		n += printf("%s%s", row->name != NULL ? "=" : " ", row->arg);
	return n;
}

enum option_result option_help(const struct option_use *use)
{
	enum { HELP_COLUMN = 27 };
	const struct option_table *t = use->table;
	const char *line = t->usage;

	for (bool first = true; line != NULL; first = false) {
		int len = (int)strcspn(line, "\n");

		printf("%s %s %.*s\n", first ? "usage:" : "      ", diag_name(), len, line);
		line = line[len] != '\0' ? line + len + 1 : NULL;
	}
	printf("\n%s\n\n", t->about);
	for (size_t i = 0; i < t->nrow; i++) {
		int n = print_row(&t->row[i]);

		printf("%*s%s\n", n < HELP_COLUMN ? HELP_COLUMN - n : 2, "", t->row[i].help);
	}
	return OPTION_DONE;
}

enum option_result option_version(const struct option_use *use)
{
	(void)use;
	printf("%s %s\n", diag_name(), MON_VERSION);
	return OPTION_DONE;
}
