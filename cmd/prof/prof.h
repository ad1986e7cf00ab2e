/* SPDX-License-Identifier: BSD-2-Clause */
/* prof.h -- what the files of prof share. */
#ifndef PROF_H
#define PROF_H

#include "monread.h"

#include <stdbool.h>
#include <stddef.h>

struct names;

#define DEFAULT_PROGRAM "a.out"
#define DEFAULT_PROFILE "mon.out"

struct prof_opts {
	const char *program;  /* from argv; NULL: the one that the profile names, or DEFAULT_PROGRAM */
	const char **profile; /* owned; the paths are from argv */
	size_t nprofile;      /* of at most argc + 1 */
	bool sort_given;      /* by a letter or a word */
	enum mon_sort sort;
	const struct mon_variant *variant; /* NULL: find out */
	unsigned hz;			   /* 0: as the profile says */
	size_t top;			   /* rows to show */
	/* flags, set by option_store */
	int address_base; /* of the address column: 8, 16; 0: none */
	int fold_statics;
	int zeros;
	int no_heading;
	int summary;
	int readable; /* demangle */
	int version;
};

struct option_table;
extern const struct option_table prof_options;

/* What the report is made from. */
struct prof_data {
	char *program;		     /* owned; path of the program */
	struct mon_error no_program; /* why DEFAULT_PROGRAM could not be opened */
	struct mon_object *obj;	     /* the program */
	struct mon_object *
	    *library; /* owned, with what is in it; by module of the sum: the objects beside the program */
	struct mon_profile *profile; /* the sum */
	struct mon_report *report;
	struct names *names;
};

/* Sort the operands into program and profiles.  Returns an exit code; when it is not 0, a message is out. */
int operand_sort(struct prof_opts *opts, int n, char **operand);

/* The reasons for reports that are not there or are empty.  The int ones return the exit code that goes with it. */
int reason_missing(const char *path, bool by_default);
int reason_no_match(const char *path, const char *program, enum mon_match match, const char *figures);
int reason_no_rows(const struct prof_opts *opts, const struct mon_profile *p);
void reason_no_ticks(const struct prof_opts *opts, const struct mon_profile *p);
void reason_program(const char *path, const struct mon_error *err);

/* Open the program: the one named on the command line, at once; DEFAULT_PROGRAM, tentatively; and, when nobody named one,
 * the one that the first profile names.  The exit code is 0, or a message is out. */
int program_open(const struct prof_opts *opts, struct prof_data *data);
int program_settle(const struct prof_opts *opts, struct prof_data *data, const struct mon_profile *first);
/* Open the other objects that have time or calls; one that cannot be used is warned of. */
int libraries_open(struct prof_data *data);
void objects_close(struct prof_data *data);

/* The table, to standard output. */
void text_table(const struct prof_data *data, const struct prof_opts *opts);

/* The statistics of -s, to standard error. */
void summary_print(const struct prof_data *data, const struct prof_opts *opts);

#endif
