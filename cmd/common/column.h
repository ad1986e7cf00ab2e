/* SPDX-License-Identifier: BSD-2-Clause */
/* column.h -- the columns of a report: one table for everything that shows rows. */
#ifndef COLUMN_H
#define COLUMN_H

#include "monread.h"

struct names;

/* A row on its way out. */
struct column_line {
	const struct mon_report *report;
	const struct mon_row *row;
	struct names *names;
	double ticks_so_far; /* of the rows shown up to this one, itself included */
};

/* What a column says about a row, before a renderer gives it a form. */
enum cell_kind { CELL_UNKNOWN, CELL_REAL, CELL_COUNT, CELL_ADDRESS, CELL_TEXT };

struct cell {
	enum cell_kind kind;
	double real;
	int digits;	/* of a real: how many after the point mean something */
	uint64_t count; /* or the address */
	const char *text;
	const char *qualifier; /* NULL, or what distinguishes equal texts */
};

enum column_id {
	COLUMN_PERCENT,
	COLUMN_SECONDS,
	COLUMN_CUMSECS,
	COLUMN_TICKS,
	COLUMN_CALLS,
	COLUMN_MSEC_PER_CALL,
	COLUMN_ADDRESS,
	COLUMN_NAME,
	NCOLUMN,
};

struct column {
	const char *key;						 /* its name for options and machine formats */
	const char *title;						 /* its name for people */
	void (*fill)(const struct column_line *line, struct cell *cell); /* cell comes as CELL_UNKNOWN */
	int sort;							 /* the order that sorting by it means, or -1 */
};

extern const struct column column_table[NCOLUMN];

/* The order that a word means: time, or a column's key.  False when it means none. */
bool column_sort(const char *word, enum mon_sort *sort);

#endif
