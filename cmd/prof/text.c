/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c -- the System V table. */
#include "column.h"
#include "prof.h"
#include "safe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A column in the table. */
struct field {
	enum column_id column;
	int width;	/* cells are right-aligned in so many characters, */
	int room;	/* then come so many for further digits, or blanks; */
	int title_room; /* so many of them stay free behind the title */
};

static const struct field sysv[] = {
	{ .column = COLUMN_PERCENT, .width = 6 },
	{ .column = COLUMN_SECONDS, .width = 8 },
	{ .column = COLUMN_CUMSECS, .width = 8 },
	{ .column = COLUMN_CALLS, .width = 8 },
	{ .column = COLUMN_MSEC_PER_CALL, .width = 8, .room = 6, .title_room = 2 },
};

/* Right-aligned; what is too wide for its field still stands apart from the one before. */
static void put_aligned(const char *text, int width)
{
	printf("%*s%s", (int)strlen(text) < width ? width - (int)strlen(text) : 1, "", text);
}

static void put_real(const struct cell *cell, const struct field *f)
{
	char text[64];
	int digits = f->room > 0 ? cell->digits : 0; /* in the room: points stand below each other */

	snprintf(text, sizeof text, f->room > 0 ? "%#.*f" : "%.*f", cell->digits, cell->real);
	put_aligned(text, f->width + digits);
	printf("%*s", f->room - digits, "");
}

static void put_cell(const struct column_line *line, const struct field *f)
{
	struct cell cell = { .kind = CELL_UNKNOWN };
	char text[24];

	column_table[f->column].fill(line, &cell);
	if (cell.kind == CELL_REAL) {
		put_real(&cell, f);
	} else if (cell.kind == CELL_COUNT) {
		snprintf(text, sizeof text, "%" PRIu64, cell.count);
		put_aligned(text, f->width);
	} else {
		printf("%*s", f->width + f->room, "");
	}
}

static void put_address(const struct column_line *line, int width, int base)
{
	struct cell cell = { .kind = CELL_UNKNOWN };

	column_table[COLUMN_ADDRESS].fill(line, &cell);
	if (cell.kind == CELL_UNKNOWN)
		printf("%*s ", width, "");
	else if (base == 8)
		printf("%*" PRIo64 " ", width, cell.count);
	else
		printf("%*" PRIx64 " ", width, cell.count);
}

static void put_name(const struct column_line *line)
{
	struct cell cell = { .kind = CELL_UNKNOWN };

	column_table[COLUMN_NAME].fill(line, &cell);
	safe_puts(stdout, cell.text);
	if (cell.qualifier != NULL) {
		fputs(" (", stdout);
		safe_puts(stdout, cell.qualifier);
		putchar(')');
	}
	putchar('\n');
}

static void put_heading(int address_width)
{
	if (address_width > 0)
		printf("%*s ", address_width, column_table[COLUMN_ADDRESS].title);
	for (size_t i = 0; i < sizeof sysv / sizeof sysv[0]; i++) {
		const struct field *f = &sysv[i];

		put_aligned(column_table[f->column].title, f->width + f->room - f->title_room);
		printf("%*s", f->title_room, "");
	}
	printf("%s\n", column_table[COLUMN_NAME].title);
}

void text_table(const struct prof_data *data, const struct prof_opts *opts)
{
	const struct mon_report *r = data->report;
	struct column_line line = { .report = r, .names = data->names };
	int address_width = opts->address_base == 0 ? 0 : 2 * (data->obj != NULL ? (int)mon_object_word(data->obj) : 8);

	if (!opts->no_heading)
		put_heading(address_width);
	for (size_t i = 0; i < r->nrow && i < opts->top; i++) {
		line.row = &r->row[i];
		line.ticks_so_far += mon_ticks_value(line.row->ticks);
		if (address_width > 0)
			put_address(&line, address_width, opts->address_base);
		for (size_t k = 0; k < sizeof sysv / sizeof sysv[0]; k++)
			put_cell(&line, &sysv[k]);
		put_name(&line);
	}
}
