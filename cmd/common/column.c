/* SPDX-License-Identifier: BSD-2-Clause */
/* column.c -- the columns of a report: one table for everything that shows rows. */
#include "column.h"

#include "names.h"

#include <string.h>

static void set_real(struct cell *cell, double value, int digits)
{
	*cell = (struct cell){ .kind = CELL_REAL, .real = value, .digits = digits };
}

static void set_count(struct cell *cell, uint64_t value)
{
	*cell = (struct cell){ .kind = CELL_COUNT, .count = value };
}

static void fill_percent(const struct column_line *line, struct cell *cell)
{
	double total = (double)line->report->total_ticks;

	set_real(cell, total > 0 ? 100 * mon_ticks_value(line->row->ticks) / total : 0, 1);
}

static void fill_seconds(const struct column_line *line, struct cell *cell)
{
	set_real(cell, mon_ticks_value(line->row->ticks) / line->report->hz, 2);
}

static void fill_cumsecs(const struct column_line *line, struct cell *cell)
{
	set_real(cell, line->ticks_so_far / line->report->hz, 2);
}

static void fill_ticks(const struct column_line *line, struct cell *cell)
{
	set_real(cell, mon_ticks_value(line->row->ticks), 2);
}

static void fill_calls(const struct column_line *line, struct cell *cell)
{
	if (line->row->ncell > 0)
		set_count(cell, line->row->calls);
}

/* Ticks are whole: the more calls share them, the more digits of a call's part mean something. */
static void fill_msec_per_call(const struct column_line *line, struct cell *cell)
{
	const struct mon_row *row = line->row;
	int digits = 0;

	if (row->ncell == 0 || row->calls == 0)
		return;
	for (uint64_t n = row->calls; n >= 10 && digits < 4; n /= 10)
		digits++;
	set_real(cell, 1000 * mon_ticks_value(row->ticks) / line->report->hz / (double)row->calls, digits);
}

static void fill_address(const struct column_line *line, struct cell *cell)
{
	if (line->row->sym != NULL)
		*cell = (struct cell){ .kind = CELL_ADDRESS, .count = line->row->sym->addr };
}

static void fill_name(const struct column_line *line, struct cell *cell)
{
	*cell = (struct cell){ .kind = CELL_TEXT };
	cell->text = names_row(line->names, line->row, &cell->qualifier);
}

const struct column column_table[NCOLUMN] = {
	[COLUMN_PERCENT] = { "percent", "%Time", fill_percent, MON_SORT_TIME },
	[COLUMN_SECONDS] = { "seconds", "Seconds", fill_seconds, MON_SORT_TIME },
	[COLUMN_CUMSECS] = { "cumsecs", "Cumsecs", fill_cumsecs, MON_SORT_TIME },
	[COLUMN_TICKS] = { "ticks", "Ticks", fill_ticks, MON_SORT_TIME },
	[COLUMN_CALLS] = { "calls", "#Calls", fill_calls, MON_SORT_CALLS },
	[COLUMN_MSEC_PER_CALL] = { "msec_per_call", "msec/call", fill_msec_per_call, -1 },
	[COLUMN_ADDRESS] = { "address", "Address", fill_address, MON_SORT_ADDRESS },
	[COLUMN_NAME] = { "name", "Name", fill_name, MON_SORT_NAME },
};

bool column_sort(const char *word, enum mon_sort *sort)
{
	if (strcmp(word, "time") == 0)
		word = column_table[COLUMN_PERCENT].key;
	for (size_t i = 0; i < NCOLUMN; i++) {
		if (strcmp(word, column_table[i].key) == 0 && column_table[i].sort >= 0) {
			*sort = (enum mon_sort)column_table[i].sort;
			return true;
		}
	}
	return false;
}
