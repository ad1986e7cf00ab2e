/* SPDX-License-Identifier: BSD-2-Clause */
/* option.h -- the options of a command as one table that drives both parsing and --help. */
#ifndef OPTION_H
#define OPTION_H

#include <stdbool.h>
#include <stddef.h>

struct option_use;

/* What applying an option leads to. */
enum option_result {
	OPTION_ON,   /* go on */
	OPTION_DONE, /* the option was the whole job, as --help is */
	OPTION_BAD,  /* it cannot be; a message is out */
};

struct option_row {
	int letter;	  /* 0: none */
	const char *name; /* long name, without the dashes; NULL: none */
	const char *arg;  /* what --help calls its argument; NULL: it takes none */
	const char *help; /* one line */
	enum option_result (*apply)(const struct option_use *use);
	size_t field; /* for apply: where in the command's options it is kept, */
	int value;    /* and what is kept there */
};

struct option_table {
	const char *usage; /* lines "[OPTION]... FILE", each to stand behind the name of the command */
	const char *about; /* what the command does, one or more lines */
	const struct option_row *row;
	size_t nrow;
};

/* One option of the command line, as apply sees it. */
struct option_use {
	const struct option_table *table;
	const struct option_row *row;
	const char *arg; /* from argv; NULL when the row takes none */
	void *opts;	 /* the command's own */
};

/* Apply the options in argv to opts.  True: go on with the operands from argv[optind] on.  False: end with *status. */
bool option_parse(const struct option_table *table, int argc, char **argv, void *opts, int *status);

/* The number in an argument; false, with a message, unless it is a whole one from 1 to max. */
bool option_number(const struct option_use *use, unsigned long max, unsigned long *number);

/* For rows: keep row->value in the int at row->field; print the help; print the version. */
enum option_result option_store(const struct option_use *use);
enum option_result option_help(const struct option_use *use);
enum option_result option_version(const struct option_use *use);

/* The rows that every command has. */
#define OPTION_HELP    .letter = '?', .name = "help", .help = "print this help", .apply = option_help
#define OPTION_VERSION .name = "version", .help = "print the version", .apply = option_version

#endif
