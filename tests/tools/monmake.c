/* SPDX-License-Identifier: BSD-2-Clause */
/* monmake.c -- text to the bytes of a profile. */
#include "monmake.h"

#include "monnative.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct field {
	unsigned off, width;
};

/* The classic files: header, cells, 16-bit bins.  addr and count are the widths of a cell's two numbers. */
struct layout {
	const char *name;
	enum order order;
	unsigned addr, count, head; /* head 0: gmon.out or native */
	bool native;
	struct field low, high, nfns;
};

#define A32 .addr = 4, .count = 4, .head = 12, .low = { 0, 4 }, .high = { 4, 4 }, .nfns = { 8, 4 }
#define A64 .addr = 8, .count = 8, .head = 24, .low = { 0, 8 }, .high = { 8, 8 }

static const struct layout layouts[] = {
	{ .name = "a16-pdp",
	  .order = ORDER_PDP,
	  .addr = 2,
	  .count = 4,
	  .head = 6,
	  .low = { 0, 2 },
	  .high = { 2, 2 },
	  .nfns = { 4, 2 } },
	{ .name = "a32-le", .order = ORDER_LE, A32 },
	{ .name = "a32-be", .order = ORDER_BE, A32 },
	{ .name = "a64-le", .order = ORDER_LE, A64, .nfns = { 16, 8 } },
	{ .name = "a64-be", .order = ORDER_BE, A64, .nfns = { 16, 8 } },
	{ .name = "a64i-le", .order = ORDER_LE, A64, .nfns = { 16, 4 } },
	{ .name = "a64i-be", .order = ORDER_BE, A64, .nfns = { 16, 4 } },
	{ .name = "g2-32-le", .order = ORDER_LE, .addr = 4 },
	{ .name = "g2-32-be", .order = ORDER_BE, .addr = 4 },
	{ .name = "g2-64-le", .order = ORDER_LE, .addr = 8 },
	{ .name = "g2-64-be", .order = ORDER_BE, .addr = 8 },
	{ .name = "native-32-le", .order = ORDER_LE, .addr = 4, .native = true },
	{ .name = "native-32-be", .order = ORDER_BE, .addr = 4, .native = true },
	{ .name = "native-64-le", .order = ORDER_LE, .addr = 8, .native = true },
	{ .name = "native-64-be", .order = ORDER_BE, .addr = 8, .native = true },
};

struct maker {
	const struct layout *layout;
	struct monnative *native;
	const char *keyword;		     /* of the line at hand */
	bool seal;			     /* make the checksum again when all is done */
	struct bytes head, cells, bins, raw; /* a gmon.out grows in head only, record by record */
	size_t first_bin;		     /* where the last histogram's bins start: in bins, or in head */
	uint64_t nbin, next_bin, ncell, reserved, rate, nfns;
	const char *unit;
	size_t cut;
	struct bytes pokes; /* pairs of size_t offset, unsigned char value */
	bool wrong_nfns, has_hist;
};

typedef const char *(*handler)(struct maker *, const struct monline *); /* NULL, or why the line is wrong */

static bool fits(uint64_t value, unsigned width)
{
	return width >= 8 || value >> (8 * width) == 0;
}

static struct bytes *bin_bytes(struct maker *m)
{
	return m->layout->head > 0 ? &m->bins : &m->head;
}

static const char *do_variant(struct maker *m, const struct monline *l)
{
	const struct layout *end = layouts + sizeof(layouts) / sizeof(layouts[0]);

	for (const struct layout *y = layouts; y < end; y++) {
		if (strcmp(y->name, l->text))
			continue;
		m->layout = y;
		if (y->native) {
			m->native = monnative_new(y->order, y->addr);
		} else if (y->head > 0) {
			bytes_fill(&m->head, 0, y->head);
		} else {
			bytes_add(&m->head, "gmon", 4);
			bytes_number(&m->head, 1, 4, y->order);
			bytes_fill(&m->head, 0, 12);
		}
		return NULL;
	}
	return "no such variant";
}

static void gmon_hist(struct maker *m, const struct monline *l)
{
	const struct layout *y = m->layout;
	char unit[16] = { 0 };

	memcpy(unit, m->unit, strnlen(m->unit, 15));
	unit[15] = m->unit[0];
	bytes_number(&m->head, 0, 1, y->order);
	bytes_number(&m->head, l->arg[0], y->addr, y->order);
	bytes_number(&m->head, l->arg[1], y->addr, y->order);
	bytes_number(&m->head, l->arg[2], 4, y->order);
	bytes_number(&m->head, m->rate, 4, y->order);
	bytes_add(&m->head, unit, 16);
}

static const char *do_hist(struct maker *m, const struct monline *l)
{
	const struct layout *y = m->layout;

	if (!fits(l->arg[0], y->addr) || !fits(l->arg[1], y->addr) || l->arg[2] > 1u << 28)
		return "number too large for this variant";
	if (y->head > 0 && m->has_hist)
		return "this variant has one histogram only";
	if (y->head > 0) {
		bytes_poke(&m->head, y->low.off, l->arg[0], y->low.width, y->order);
		bytes_poke(&m->head, y->high.off, l->arg[1], y->high.width, y->order);
	} else {
		gmon_hist(m, l);
	}
	m->has_hist = true;
	m->nbin = l->arg[2];
	m->next_bin = 0;
	m->first_bin = bin_bytes(m)->size;
	bytes_fill(bin_bytes(m), 0, 2 * (size_t)m->nbin);
	return NULL;
}

static const char *set_bin(struct maker *m, uint64_t index, uint64_t count)
{
	if (index >= m->nbin)
		return "no such bin";
	if (!fits(count, 2))
		return "a bin holds 65535 at most";
	bytes_poke(bin_bytes(m), m->first_bin + 2 * (size_t)index, count, 2, m->layout->order);
	return NULL;
}

static const char *do_bin(struct maker *m, const struct monline *l)
{
	uint64_t n = l->narg > 2 ? l->arg[2] : 1;
	const char *why = NULL;

	for (uint64_t i = 0; i < n && !why; i++)
		why = set_bin(m, l->arg[0] + i, l->arg[1]);
	return why;
}

static const char *do_bins(struct maker *m, const struct monline *l)
{
	const char *why = NULL;

	for (size_t i = 0; i < l->narg && !why; i++)
		why = set_bin(m, m->next_bin++, l->arg[i]);
	return why;
}

static const char *do_rate(struct maker *m, const struct monline *l)
{
	m->rate = l->arg[0];
	return fits(m->rate, 4) ? NULL : "number too large for this variant";
}

static const char *do_unit(struct maker *m, const struct monline *l)
{
	m->unit = l->text;
	return NULL;
}

static const char *do_arc(struct maker *m, const struct monline *l)
{
	const struct layout *y = m->layout;

	if (!fits(l->arg[0], y->addr) || !fits(l->arg[1], y->addr) || !fits(l->arg[2], 4))
		return "number too large for this variant";
	bytes_number(&m->head, 1, 1, y->order);
	bytes_number(&m->head, l->arg[0], y->addr, y->order);
	bytes_number(&m->head, l->arg[1], y->addr, y->order);
	bytes_number(&m->head, l->arg[2], 4, y->order);
	return NULL;
}

static const char *do_cell(struct maker *m, const struct monline *l)
{
	const struct layout *y = m->layout;

	if (!fits(l->arg[0], y->addr) || !fits(l->arg[1], y->count))
		return "number too large for this variant";
	bytes_number(&m->cells, l->arg[0], y->addr, y->order);
	bytes_number(&m->cells, l->arg[1], y->count, y->order);
	m->ncell++;
	return NULL;
}

static const char *do_hole(struct maker *m, const struct monline *l)
{
	if (l->arg[0] > 1u << 24)
		return "too many cells";
	bytes_fill(&m->cells, 0, (size_t)l->arg[0] * (m->layout->addr + m->layout->count));
	m->ncell += l->arg[0];
	return NULL;
}

static const char *do_cells(struct maker *m, const struct monline *l)
{
	m->reserved = l->arg[0];
	return m->reserved > 1u << 24 ? "too many cells" : NULL;
}

static const char *do_nfns(struct maker *m, const struct monline *l)
{
	m->nfns = l->arg[0];
	m->wrong_nfns = true;
	return fits(m->nfns, m->layout->nfns.width) ? NULL : "number too large for this variant";
}

static const char *do_nbins(struct maker *m, const struct monline *l)
{
	if (!m->has_hist)
		return "no histogram yet";
	bytes_poke(&m->head, m->first_bin - 24, l->arg[0], 4, m->layout->order);
	return NULL;
}

static const char *do_version(struct maker *m, const struct monline *l)
{
	bytes_poke(&m->head, 4, l->arg[0], 4, m->layout->order);
	return NULL;
}

static const char *do_raw(struct maker *m, const struct monline *l)
{
	for (size_t i = 0; i < l->narg; i++)
		bytes_number(m->layout->head > 0 ? &m->raw : &m->head, l->arg[i], 1, ORDER_LE);
	return NULL;
}

static const char *do_cut(struct maker *m, const struct monline *l)
{
	m->cut = (size_t)l->arg[0];
	return NULL;
}

static const char *do_poke(struct maker *m, const struct monline *l)
{
	for (size_t i = 1; i < l->narg; i++) {
		size_t offset = (size_t)l->arg[0] + i - 1;
		unsigned char value = (unsigned char)l->arg[i];

		bytes_add(&m->pokes, &offset, sizeof(offset));
		bytes_add(&m->pokes, &value, 1);
	}
	return NULL;
}

static const char *do_native(struct maker *m, const struct monline *l)
{
	return monnative_line(m->native, m->keyword, l);
}

static const char *do_seal(struct maker *m, const struct monline *l)
{
	(void)l;
	m->seal = true;
	return NULL;
}

enum { CLASSIC = 1, GMON = 2, NATIVE = 4, OLD = CLASSIC | GMON, ANY = OLD | NATIVE, TEXT = 8 };

static const struct keyword {
	const char *name;
	size_t least, most; /* numbers it takes */
	int where;	    /* in which variants; TEXT: takes a word, not numbers */
	handler run;
} keywords[] = {
	{ .name = "variant", .least = 0, .most = 0, .where = ANY | TEXT, .run = do_variant },
	{ .name = "hist", .least = 3, .most = 3, .where = OLD, .run = do_hist },
	{ .name = "bin", .least = 2, .most = 3, .where = OLD, .run = do_bin },
	{ .name = "bins", .least = 1, .most = MONLINE_MOST, .where = OLD, .run = do_bins },
	{ .name = "rate", .least = 1, .most = 1, .where = GMON, .run = do_rate },
	{ .name = "unit", .least = 0, .most = 0, .where = GMON | TEXT, .run = do_unit },
	{ .name = "arc", .least = 3, .most = 3, .where = GMON, .run = do_arc },
	{ .name = "cell", .least = 2, .most = 2, .where = CLASSIC, .run = do_cell },
	{ .name = "hole", .least = 1, .most = 1, .where = CLASSIC, .run = do_hole },
	{ .name = "cells", .least = 1, .most = 1, .where = CLASSIC, .run = do_cells },
	{ .name = "nfns", .least = 1, .most = 1, .where = CLASSIC, .run = do_nfns },
	{ .name = "nbins", .least = 1, .most = 1, .where = GMON, .run = do_nbins },
	{ .name = "version", .least = 1, .most = 1, .where = GMON, .run = do_version },
	{ .name = "raw", .least = 1, .most = MONLINE_MOST, .where = OLD, .run = do_raw },
	{ .name = "live", .least = 0, .most = 0, .where = NATIVE, .run = do_native },
	{ .name = "rate", .least = 1, .most = 1, .where = NATIVE, .run = do_native },
	{ .name = "process", .least = 1, .most = 8, .where = NATIVE, .run = do_native },
	{ .name = "argument", .least = 0, .most = 0, .where = NATIVE | TEXT, .run = do_native },
	{ .name = "host", .least = 0, .most = 0, .where = NATIVE | TEXT, .run = do_native },
	{ .name = "clock", .least = 1, .most = 7, .where = NATIVE, .run = do_native },
	{ .name = "object", .least = 2, .most = 5, .where = NATIVE, .run = do_native },
	{ .name = "path", .least = 0, .most = 0, .where = NATIVE | TEXT, .run = do_native },
	{ .name = "build-id", .least = 0, .most = 40, .where = NATIVE, .run = do_native },
	{ .name = "bin", .least = 2, .most = 3, .where = NATIVE, .run = do_native },
	{ .name = "bins", .least = 1, .most = MONLINE_MOST, .where = NATIVE, .run = do_native },
	{ .name = "cell", .least = 2, .most = 2, .where = NATIVE, .run = do_native },
	{ .name = "thread", .least = 2, .most = 7, .where = NATIVE, .run = do_native },
	{ .name = "name", .least = 0, .most = 0, .where = NATIVE | TEXT, .run = do_native },
	{ .name = "sum", .least = 3, .most = 3, .where = NATIVE, .run = do_native },
	{ .name = "section", .least = 2, .most = MONLINE_MOST, .where = NATIVE, .run = do_native },
	{ .name = "seal", .least = 0, .most = 0, .where = NATIVE, .run = do_seal },
	{ .name = "cut", .least = 1, .most = 1, .where = ANY, .run = do_cut },
	{ .name = "poke", .least = 2, .most = MONLINE_MOST, .where = ANY, .run = do_poke },
};

static const char *numbers(struct monline *l)
{
	char *save = NULL, *end;

	for (char *w = strtok_r(l->text, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
		if (l->narg == MONLINE_MOST)
			return "too many numbers";
		errno = 0;
		l->arg[l->narg++] = strtoull(w, &end, 0);
		if (errno || *end || *w == '-')
			return "not a number";
	}
	return NULL;
}

static int family(const struct maker *m)
{
	return !m->layout ? ANY : m->layout->native ? NATIVE : m->layout->head > 0 ? CLASSIC : GMON;
}

static const char *run_line(struct maker *m, char *text)
{
	const struct keyword *end = keywords + sizeof(keywords) / sizeof(keywords[0]), *k = keywords;
	struct monline l = { .narg = 0 };
	const char *why = NULL;

	text[strcspn(text, "#")] = '\0';
	text += strspn(text, " \t");
	for (size_t n = strlen(text); n > 0 && strchr(" \t\r", text[n - 1]); n--)
		text[n - 1] = '\0';
	if (!*text)
		return NULL;
	l.text = text + strcspn(text, " \t");
	if (*l.text)
		*l.text++ = '\0';
	l.text += strspn(l.text, " \t");
	while (k < end && (strcmp(k->name, text) || !(k->where & family(m))))
		k++;
	if (k == end)
		return "no such keyword in this variant";
	if (!m->layout != (k->run == do_variant))
		return "the variant must come first, and once";
	m->keyword = k->name;
	if (!(k->where & TEXT))
		why = numbers(&l);
	if (!why && (l.narg < k->least || l.narg > k->most))
		why = "too few or too many numbers";
	return why ? why : k->run(m, &l);
}

static const char *finish(struct maker *m, struct bytes *out)
{
	const struct layout *y = m->layout;
	size_t start = out->size;

	if (!y)
		return "no variant";
	if (y->head > 0) {
		if (m->reserved > m->ncell)
			bytes_fill(&m->cells, 0, (size_t)(m->reserved - m->ncell) * (y->addr + y->count));
		if (!m->wrong_nfns)
			m->nfns = m->reserved > m->ncell ? m->reserved : m->ncell;
		bytes_poke(&m->head, y->nfns.off, m->nfns, y->nfns.width, y->order);
	}
	if (m->native)
		monnative_finish(m->native, out);
	bytes_add(out, m->head.data, m->head.size);
	bytes_add(out, m->cells.data, m->cells.size);
	bytes_add(out, m->bins.data, m->bins.size);
	bytes_add(out, m->raw.data, m->raw.size);
	for (size_t i = 0; i < m->pokes.size; i += sizeof(size_t) + 1) {
		size_t offset;

		memcpy(&offset, m->pokes.data + i, sizeof(offset));
		bytes_poke(out, start + offset, m->pokes.data[i + sizeof(offset)], 1, ORDER_LE);
	}
	if (m->cut > out->size - start)
		return "nothing is left after the cut";
	out->size -= m->cut;
	if (m->seal)
		monnative_seal(out, start, y->order);
	return NULL;
}

unsigned monmake(const char *text, struct bytes *out, const char **why)
{
	struct maker m = { .rate = 100, .unit = "seconds" };
	char *copy = strdup(text), *next = copy;
	unsigned line = 0;

	*why = copy ? NULL : "out of memory";
	while (next && !*why) {
		line++;
		*why = run_line(&m, strsep(&next, "\n"));
	}
	if (!*why)
		*why = finish(&m, out);
	free(copy);
	monnative_free(m.native);
	free(m.head.data);
	free(m.cells.data);
	free(m.bins.data);
	free(m.raw.data);
	free(m.pokes.data);
	return *why ? line : 0;
}
