/* SPDX-License-Identifier: BSD-2-Clause */
/* probe.c -- which variant a file is: marks first, then every flat layout is scored and the best must win clearly.
 *
 * What a layout forbids rejects it (mon_flat_header); what its writers usually do scores.  mon.out.5 lists the rules.
 */
#include "monread_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ACCEPT = 8,	     /* least score that is believed */
	MARGIN = 3,	     /* and by how much it must lead */
	ENOUGH_CELLS = 60,   /* used cells after which a bad share of them decides */
	MAX_CELLS = 1 << 20, /* looked at */
	MAX_DISTINCT = 64,   /* used cells that are compared with each other */
	MAX_BINS = 64 << 10, /* bins looked at, or until */
	ENOUGH_BINS = 256,   /* of them are not zero */
	SHORTEST = 6,	     /* bytes of the shortest header */
	NFLAT = 16,	     /* flat layouts in the table, at most */
};

/* One layout under test. */
struct trial {
	const struct mon_format *fmt;
	struct mon_flat flat;
	int score;
};

/* ---- cells ------------------------------------------------------------------------------------------------------- */

struct cells {
	uint64_t used, good, zero_count;
	bool gap;   /* an empty cell before a used one */
	bool tail;  /* the last cell is empty */
	bool twice; /* two used cells of one pc, among the first ones */
};

static bool in_program(const struct mon_object *program, const struct mon_format *fmt, uint64_t pc)
{
	return program && program->word == fmt->variant.word && pc >= program->text_low && pc < program->text_high;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool has_twice(uint64_t *pc, size_t n)
{
	qsort(pc, n, sizeof(*pc), by_number);
	for (size_t i = 1; i < n; i++)
		if (pc[i] == pc[i - 1])
			return true;
	return false;
}

/* Look at the cells, unless it soon shows that they are none.  -1: they could not be read. */
static int look_at_cells(const struct trial *t, struct mon_input *in, const struct mon_object *program, struct cells *c)
{
	const struct mon_layout *l = &t->fmt->layout;
	uint64_t pcs[MAX_DISTINCT];

	*c = (struct cells){ 0 };
	for (uint64_t i = 0; i < t->flat.ncell && i < MAX_CELLS; i++) {
		const unsigned char *b = mon_input_at(in, l->header_size + i * l->cell_size, l->cell_size, NULL);
		uint64_t pc;

		if (!b)
			return -1;
		pc = mon_get_field(b, l->cell_pc, l->order);
		c->gap |= c->tail && pc != 0;
		c->tail = pc == 0;
		if (pc == 0)
			continue;
		c->zero_count += mon_get_field(b, l->cell_count, l->order) == 0;
		c->good += (pc >= t->flat.low && (pc < t->flat.high || pc - t->flat.high < MON_SLACK)) ||
			   in_program(program, t->fmt, pc);
		if (c->used < MAX_DISTINCT)
			pcs[c->used] = pc;
		c->used++;
		if (c->used >= ENOUGH_CELLS && c->good * 10 < c->used * 9)
			return 0;
	}
	c->twice = has_twice(pcs, (size_t)MON_MIN(c->used, (uint64_t)MAX_DISTINCT));
	return 0;
}

/* ---- bins -------------------------------------------------------------------------------------------------------- */

struct bins {
	uint64_t used, swapped; /* not zero; of these with an empty low byte */
};

static void look_at_bins(const struct trial *t, struct mon_input *in, struct bins *b)
{
	uint64_t left = MON_MIN(t->flat.nbin, (uint64_t)MAX_BINS), off = t->flat.bins_off;
	uint16_t words[MON_PAGE];

	*b = (struct bins){ 0 };
	while (left > 0 && b->used < ENOUGH_BINS) {
		size_t n = (size_t)MON_MIN(left, (uint64_t)MON_PAGE);
		const unsigned char *p = mon_input_at(in, off, n * MON_BIN_SIZE, NULL);

		if (!p)
			return;
		off += n * MON_BIN_SIZE;
		left -= n;
		if (mon_all_zero(p, n * MON_BIN_SIZE))
			continue;
		mon_get_words(words, p, n, t->fmt->layout.order);
		for (size_t i = 0; i < n; i++) {
			b->used += words[i] != 0;
			b->swapped += words[i] != 0 && (words[i] & 0xff) == 0;
		}
	}
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* Cell counts that start-up code reserves. */
static bool usual_ncell(const struct mon_flat *f)
{
	static const uint64_t fixed[] = { 300, 600, 1200, 1800, 2000 };
	uint64_t range = f->high - f->low;

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (f->ncell == fixed[i])
			return true;
	return f->ncell == MON_MAX(50u, range / 20) || f->ncell == MON_MAX(50u, range / 100);
}

/* 2, 4, 8 or 16 bytes of text a bin, within 5 in 100. */
static bool usual_width(const struct mon_flat *f)
{
	double width = (double)(f->high - f->low) / (double)f->nbin;

	for (double usual = 2; usual <= 16; usual *= 2)
		if (width >= 0.95 * usual && width <= 1.05 * usual)
			return true;
	return false;
}

/* -1: these cannot be cells. */
static int score_cells(const struct cells *c, const struct mon_flat *f, const struct bins *b)
{
	if (c->used == 0)
		return (b->used > 0 ? 4 : 1) + (f->ncell > 0);
	if (c->good * 10 < c->used * 9)
		return -1;
	return 4 + (c->gap ? 0 : 2) + (c->zero_count || c->twice ? 0 : 2) + c->tail;
}

static int score_program(const struct trial *t, const struct mon_object *program)
{
	if (!program || program->word != t->fmt->variant.word ||
	    program->big_endian != (t->fmt->layout.order == MON_BE))
		return 0;
	return t->flat.low < program->text_high && t->flat.high > program->text_low ? 8 : 2;
}

/* Fill t->score; -1: rejected. */
static int score(struct trial *t, struct mon_input *in, const struct mon_object *program)
{
	struct cells c;
	struct bins b;
	int cells;

	if (look_at_cells(t, in, program, &c))
		return -1;
	look_at_bins(t, in, &b);
	cells = score_cells(&c, &t->flat, &b);
	if (cells < 0)
		return -1;
	t->score = cells + score_program(t, program);
	t->score += usual_ncell(&t->flat) ? 3 : 0;
	t->score += usual_width(&t->flat) ? 3 : 0;
	t->score += t->flat.tail == 0;
	t->score += t->flat.low % 4 == 0;
	t->score -= b.swapped * 5 > b.used * 4 ? 3 : 0;
	return 0;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* Two layouts that read the very same numbers out of a file are one. */
static bool same_reading(const struct trial *a, const struct trial *b)
{
	return a->fmt->layout.order == b->fmt->layout.order && a->fmt->layout.cell_size == b->fmt->layout.cell_size &&
	       a->flat.low == b->flat.low && a->flat.high == b->flat.high && a->flat.ncell == b->flat.ncell &&
	       a->flat.bins_off == b->flat.bins_off;
}

/* The best explanation of a file that ends too early. */
struct cut {
	struct mon_error err;
	uint64_t range; /* of that layout; the smallest is the likeliest, other byte orders read huge ones */
};

/* Only the end of the file speaks against this layout: believe it if the cells that are there do not. */
static void note_cut(struct trial *t, struct mon_input *in, const struct mon_object *program,
		     const struct mon_error *err, struct cut *cut)
{
	const struct mon_layout *l = &t->fmt->layout;
	uint64_t range = t->flat.high ? t->flat.high - t->flat.low : UINT64_MAX; /* no header: the least */
	struct cells c = { 0 };

	if (err->code != MON_E_TRUNCATED || (cut->err.code != MON_OK && range >= cut->range))
		return;
	if (t->flat.high) {
		t->flat.ncell = MON_MIN(t->flat.ncell, (in->size - l->header_size) / l->cell_size);
		if (look_at_cells(t, in, program, &c) || c.good * 10 < c.used * 9)
			return;
	}
	cut->err = *err;
	cut->range = range;
}

/* The layouts that the file keeps all rules of, each once. */
static size_t list_trials(struct mon_input *in, const struct mon_object *program, struct trial *trial, struct cut *cut)
{
	size_t n = 0;

	for (const struct mon_format *fmt = NULL; (fmt = mon_format_next(fmt)) && n < NFLAT;) {
		struct trial *t = &trial[n];
		struct mon_error err = { 0 };
		size_t i = 0;

		if (fmt->layout.header_size == 0)
			continue;
		*t = (struct trial){ .fmt = fmt };
		if (mon_flat_header(&fmt->layout, in, &t->flat, &err)) {
			note_cut(t, in, program, &err, cut);
			continue;
		}
		while (i < n && !same_reading(&trial[i], t))
			i++;
		n += i == n && score(t, in, program) == 0;
	}
	return n;
}

static const struct mon_format *ambiguous(const struct trial *trial, size_t n, int best, struct mon_error *err)
{
	char names[160] = "";
	size_t used = 0, count = 0;

	for (size_t i = 0; i < n; i++)
		if (trial[i].score > best - MARGIN && used < sizeof(names)) {
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
						 trial[i].fmt->variant.name);
			count++;
		}
	if (count > 1)
		mon_error_set(err, MON_E_AMBIGUOUS, 0, MON_NO_OFFSET, "could be %s; choose one with -F", names);
	else
		mon_error_set(err, MON_E_UNKNOWN, 0, MON_NO_OFFSET,
			      "may be %s, but too little speaks for it; if it is, say -F %s", names, names);
	return NULL;
}

/* Nothing fits: say what the file is instead, if that can be seen. */
static const struct mon_format *unknown(struct mon_input *in, const struct cut *cut, struct mon_error *err)
{
	size_t len = (size_t)MON_MIN(in->size, (uint64_t)MON_HEAD);
	const unsigned char *head = mon_input_at(in, 0, len, err);
	const char *what;

	if (!head)
		return NULL;
	what = mon_sniff_weak(head, len);
	if (what)
		mon_error_set(err, MON_E_UNKNOWN, 0, MON_NO_OFFSET, "is %s", what);
	else if (mon_all_zero(head, len))
		mon_error_set(err, MON_E_UNKNOWN, 0, 0, "begins with %zu zero bytes: no profile does", len);
	else if (cut->err.code != MON_OK)
		mon_error_set(err, cut->err.code, 0, cut->err.offset, "%s", cut->err.text);
	else
		mon_error_set(err, MON_E_UNKNOWN, 0, MON_NO_OFFSET, "its %llu bytes fit no kind of profile",
			      (unsigned long long)in->size);
	return NULL;
}

static const struct mon_format *score_all(struct mon_input *in, const struct mon_object *program, struct mon_error *err)
{
	struct trial trial[NFLAT];
	struct cut cut = { 0 };
	size_t n = list_trials(in, program, trial, &cut), rivals = 0;
	const struct trial *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (!best || trial[i].score > best->score)
			best = &trial[i];
	if (!best)
		return unknown(in, &cut, err);
	for (size_t i = 0; i < n; i++)
		rivals += trial[i].score > best->score - MARGIN;
	return best->score >= ACCEPT && rivals == 1 ? best->fmt : ambiguous(trial, n, best->score, err);
}

const struct mon_format *mon_probe(struct mon_input *in, const struct mon_object *program, struct mon_error *err)
{
	size_t len = (size_t)MON_MIN(in->size, (uint64_t)MON_HEAD);
	const unsigned char *head;
	enum mon_kind kind;
	const char *what;

	if (in->size == 0) {
		mon_error_set(err, MON_E_UNKNOWN, 0, 0, "the file is empty (0 bytes)");
		return NULL;
	}
	if (in->size < SHORTEST) {
		mon_error_set(err, MON_E_TRUNCATED, 0, in->size,
			      "the file has only %llu bytes: too short for any profile", (unsigned long long)in->size);
		return NULL;
	}
	head = mon_input_at(in, 0, len, err);
	if (!head)
		return NULL;
	if (len >= 4 && !memcmp(head, "gmon", 4))
		return (const struct mon_format *)mon_variant_find("g2");
	if (mon_is_native(head, len))
		return (const struct mon_format *)mon_variant_find("native");
	what = mon_sniff(head, len, &kind);
	if (!what)
		return score_all(in, program, err);
	mon_error_set(err, MON_E_UNKNOWN, 0, MON_NO_OFFSET, "is %s, not a profile", what);
	return NULL;
}
