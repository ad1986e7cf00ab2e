/* SPDX-License-Identifier: BSD-2-Clause */
/* monnative.c -- native profiles from text.  Written from mon.out(5), apart from the header that libmon and libmonread share. */
#include "monnative.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEADER = 40,
	TABLE = 16,
	ENTRY = 24,
	MOST = 200, /* sections, objects */
	PAGE = 32,  /* bins of a page */
};

enum type {
	PROCESS = 1,
	ARGUMENT = 3,
	HOST = 4,
	CLOCK = 5,
	OBJECT = 6,
	FUNCTION = 7,
	COUNT = 8,
	PAGES = 9,
	POOL = 10,
	THREAD = 11,
	CALLS = 12,
	BINS = 13,
	SUM = 15,
};

struct section {
	uint64_t type, of, offset;
	struct bytes bytes;
};

struct pair {
	uint64_t object, key, count;
};

struct monnative {
	enum order order;
	unsigned word;
	bool live;
	struct section section[MOST];
	unsigned nsection;
	struct section *thread, *last_object;
	uint64_t low[MOST], high[MOST], nobject;
	struct bytes cells, bins; /* struct pair */
	uint64_t next_bin, rate;
};

struct monnative *monnative_new(enum order order, unsigned word)
{
	struct monnative *n = calloc(1, sizeof(*n));

	if (!n)
		exit(1);
	n->order = order;
	n->word = word;
	n->rate = 250;
	return n;
}

void monnative_free(struct monnative *n)
{
	if (!n)
		return;
	for (unsigned i = 0; i < n->nsection; i++)
		free(n->section[i].bytes.data);
	free(n->cells.data);
	free(n->bins.data);
	free(n);
}

static struct section *add(struct monnative *n, enum type type, uint64_t of)
{
	struct section *s = &n->section[n->nsection];

	if (n->nsection == MOST)
		exit(1);
	n->nsection++;
	s->type = type;
	s->of = of;
	return s;
}

static void number(struct monnative *n, struct section *s, uint64_t value, unsigned width)
{
	bytes_number(&s->bytes, value, width, n->order);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static uint64_t given(const struct monline *l, size_t i)
{
	return i < l->narg ? l->arg[i] : 0;
}

/* process PID PPID START END IDENTITY RANK FLAGS LOST */
static const char *do_process(struct monnative *n, const struct monline *l)
{
	struct section *s = add(n, PROCESS, 0);

	for (size_t i = 0; i < 8; i++)
		number(n, s, i == 5 && l->narg <= 5 ? UINT64_MAX : given(l, i), 8);
	return NULL;
}

/* clock METHOD FLAGS CPU UNKNOWN MCOUNT VDSO LOST */
static const char *do_clock(struct monnative *n, const struct monline *l)
{
	struct section *s = add(n, CLOCK, 0);

	number(n, s, given(l, 0), 4);
	number(n, s, n->rate, 4);
	number(n, s, given(l, 1), 4);
	number(n, s, 0, 4);
	number(n, s, 1, 8); /* of all ticks a reader only sees whether there were some */
	for (size_t i = 3; i < 7; i++)
		number(n, s, given(l, i), 8);
	number(n, s, given(l, 2), 8);
	return NULL;
}

/* object LOW HIGH BIAS LOADED UNLOADED */
static const char *do_object(struct monnative *n, const struct monline *l)
{
	struct section *s;

	if (n->nobject == MOST)
		return "too many objects";
	s = add(n, OBJECT, n->nobject);

	for (size_t i = 0; i < 5; i++)
		number(n, s, given(l, i), 8);
	bytes_fill(&s->bytes, 0, 40);
	n->low[n->nobject] = l->arg[0];
	n->high[n->nobject++] = l->arg[1];
	n->last_object = s;
	n->next_bin = 0;
	return NULL;
}

static const char *do_path(struct monnative *n, const struct monline *l)
{
	if (!n->last_object)
		return "no object yet";
	bytes_poke(&n->last_object->bytes, 76, strlen(l->text), 4, n->order);
	bytes_add(&n->last_object->bytes, l->text, strlen(l->text));
	return NULL;
}

static const char *do_build_id(struct monnative *n, const struct monline *l)
{
	if (!n->last_object)
		return "no object yet";
	bytes_poke(&n->last_object->bytes, 40, l->narg, 4, n->order);
	for (size_t i = 0; i < l->narg && i < 32; i++)
		bytes_poke(&n->last_object->bytes, 44 + i, l->arg[i], 1, n->order);
	return NULL;
}

static const char *set_bin(struct monnative *n, uint64_t index, uint64_t count)
{
	struct pair p = { .object = n->nobject - 1, .key = index, .count = count };

	if (!n->last_object)
		return "no object yet";
	bytes_add(&n->bins, &p, sizeof(p));
	return NULL;
}

static const char *do_cell(struct monnative *n, const struct monline *l)
{
	struct pair p = { .object = n->nobject - 1, .key = l->arg[0], .count = l->arg[1] };

	if (!n->last_object)
		p.object = UINT32_MAX;
	bytes_add(&n->cells, &p, sizeof(p));
	return NULL;
}

/* thread TID TICKS USER SYSTEM BORN ENDED WAIT */
static const char *do_thread(struct monnative *n, const struct monline *l)
{
	static const unsigned char place[] = { 0, 4, 5, 1, 2, 3, 6 };

	if (!n->thread)
		n->thread = add(n, THREAD, 0);
	for (size_t i = 0; i < sizeof(place); i++)
		number(n, n->thread, given(l, place[i]), 8);
	bytes_fill(&n->thread->bytes, 0, 16);
	return NULL;
}

static const char *do_name(struct monnative *n, const struct monline *l)
{
	if (!n->thread || strlen(l->text) > 16)
		return "no thread, or a name of more than 16 bytes";
	for (size_t i = 0; l->text[i]; i++)
		bytes_poke(&n->thread->bytes, n->thread->bytes.size - 16 + i, (unsigned char)l->text[i], 1, n->order);
	return NULL;
}

/* sum THREADS LIFE FLAGS */
static const char *do_sum(struct monnative *n, const struct monline *l)
{
	struct section *s = add(n, SUM, 0);

	number(n, s, l->arg[0], 8);
	number(n, s, l->arg[1], 4);
	number(n, s, l->arg[2], 4);
	return NULL;
}

static const char *do_bins(struct monnative *n, const struct monline *l)
{
	const char *why = NULL;

	for (size_t i = 0; i < l->narg && !why; i++, n->next_bin++)
		if (l->arg[i] > 0)
			why = set_bin(n, n->next_bin, l->arg[i]);
	return why;
}

static const char *do_bin(struct monnative *n, const struct monline *l)
{
	const char *why = NULL;

	for (uint64_t i = 0; i < (l->narg > 2 ? l->arg[2] : 1) && !why; i++)
		why = set_bin(n, l->arg[0] + i, l->arg[1]);
	return why;
}

static const char *do_text(struct monnative *n, enum type type, const struct monline *l)
{
	bytes_add(&add(n, type, 0)->bytes, l->text, strlen(l->text));
	return NULL;
}

static const char *do_argument(struct monnative *n, const struct monline *l)
{
	return do_text(n, ARGUMENT, l);
}

static const char *do_host(struct monnative *n, const struct monline *l)
{
	return do_text(n, HOST, l);
}

static const char *do_live(struct monnative *n, const struct monline *l)
{
	(void)l;
	n->live = true;
	return NULL;
}

static const char *do_rate(struct monnative *n, const struct monline *l)
{
	n->rate = l->arg[0];
	return NULL;
}

static const char *do_section(struct monnative *n, const struct monline *l)
{
	struct section *s = add(n, (enum type)l->arg[0], l->arg[1]);

	for (size_t i = 2; i < l->narg; i++)
		number(n, s, l->arg[i], 1);
	return NULL;
}

const char *monnative_line(struct monnative *n, const char *keyword, const struct monline *l)
{
	static const struct {
		const char *keyword;
		const char *(*run)(struct monnative *, const struct monline *);
	} lines[] = {
		{ "live", do_live },	     { "rate", do_rate }, { "process", do_process },
		{ "argument", do_argument }, { "host", do_host }, { "clock", do_clock },
		{ "object", do_object },     { "path", do_path }, { "build-id", do_build_id },
		{ "cell", do_cell },	     { "bin", do_bin },	  { "bins", do_bins },
		{ "thread", do_thread },     { "name", do_name }, { "sum", do_sum },
		{ "section", do_section },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strcmp(lines[i].keyword, keyword))
			return lines[i].run(n, l);
	return "not in this variant";
}

/* ---- sections of counts ------------------------------------------------------------------------------------------ */

static const struct pair *pair_at(const struct bytes *b, size_t i)
{
	return (const struct pair *)(const void *)b->data + i;
}

/* A finished file: a list an object. */
static void list(struct monnative *n, enum type type, const struct bytes *pairs)
{
	for (uint64_t o = 0; o <= n->nobject; o++) {
		uint64_t object = o < n->nobject ? o : UINT32_MAX;
		struct section *s = NULL;

		for (size_t i = 0; i < pairs->size / sizeof(struct pair); i++) {
			const struct pair *p = pair_at(pairs, i);

			if (p->object != object)
				continue;
			if (!s)
				s = add(n, type, object);
			number(n, s, p->key, 8);
			number(n, s, p->count, 8);
		}
	}
}

/* A live one: a function for every cell, and each count in halves, of two threads. */
static void count(struct monnative *n)
{
	struct section *functions = add(n, FUNCTION, 0), *one = add(n, COUNT, 0), *other = add(n, COUNT, 0);

	for (size_t i = 0; i < n->cells.size / sizeof(struct pair); i++) {
		const struct pair *p = pair_at(&n->cells, i);

		number(n, functions, p->object, 4);
		number(n, functions, p->object < n->nobject ? p->key - n->low[p->object] : 0, 4);
		number(n, one, p->count / 2, 8);
		number(n, other, p->count - p->count / 2, 8);
	}
	number(n, one, 0, 8); /* room for one more */
	bytes_fill(&functions->bytes, 0, 8);
}

/* Bins in pages, which are numbered from 1 in the order in which they are needed. */
static void fill_pages(struct monnative *n)
{
	struct section *pages[MOST], *pool;
	uint32_t npage = 0;

	for (uint64_t o = 0; o < n->nobject; o++) {
		pages[o] = add(n, PAGES, o);
		bytes_fill(&pages[o]->bytes, 0, (size_t)(((n->high[o] - n->low[o]) / (8 * PAGE) + 1) * 4));
	}
	pool = add(n, POOL, 1);
	for (size_t i = 0; i < n->bins.size / sizeof(struct pair); i++) {
		const struct pair *p = pair_at(&n->bins, i);
		struct bytes *dir = &pages[p->object]->bytes;
		size_t entry = (size_t)(p->key / PAGE) * 4;
		uint64_t page = entry + 4 <= dir->size ? bytes_peek(dir, entry, 4, n->order) : 0;

		if (page == 0) {
			page = ++npage;
			bytes_poke(dir, entry, page, 4, n->order);
			bytes_fill(&pool->bytes, 0, PAGE * 8);
		}
		bytes_poke(&pool->bytes, (size_t)((page - 1) * PAGE + p->key % PAGE) * 8, p->count, 8, n->order);
	}
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void put_table(struct monnative *n, struct bytes *out, unsigned from, unsigned to, uint64_t next)
{
	bytes_number(out, next, 8, n->order);
	bytes_number(out, to - from, 4, n->order);
	bytes_number(out, to - from + n->live, 4, n->order);
	for (unsigned i = from; i < to; i++) {
		const struct section *s = &n->section[i];

		bytes_number(out, s->type, 4, n->order);
		bytes_number(out, s->of, 4, n->order);
		bytes_number(out, s->offset, 8, n->order);
		bytes_number(out, s->bytes.size, 8, n->order);
	}
	if (n->live)
		bytes_fill(out, 0, ENTRY);
}

static void put_header(struct monnative *n, struct bytes *out, uint64_t size)
{
	bytes_add(out, "\211MON\r\n\032\n", 8);
	bytes_number(out, 0x01020304, 4, n->order);
	bytes_number(out, 1, 2, n->order);
	bytes_number(out, n->word, 1, n->order);
	bytes_number(out, 0, 1, n->order);
	bytes_number(out, n->live ? 1 : 2, 4, n->order);
	bytes_number(out, 0, 4, n->order);
	bytes_number(out, size, 8, n->order);
	bytes_number(out, HEADER, 8, n->order);
}

/* One table in a finished file; two in a live one. */
void monnative_finish(struct monnative *n, struct bytes *out)
{
	size_t start = out->size, tables;
	uint64_t at;
	unsigned half;

	if (n->live) {
		count(n);
		fill_pages(n);
	} else {
		list(n, CALLS, &n->cells);
		list(n, BINS, &n->bins);
	}
	half = n->live ? n->nsection / 2 : n->nsection;
	tables = TABLE + n->nsection * ENTRY + (n->live ? TABLE + 2 * ENTRY : 0);
	at = HEADER + tables;
	for (unsigned i = 0; i < n->nsection; i++) {
		n->section[i].offset = at = (at + 7) / 8 * 8;
		at += n->section[i].bytes.size;
	}
	put_header(n, out, at);
	put_table(n, out, 0, half, n->live ? HEADER + TABLE + (half + 1) * ENTRY : 0);
	if (n->live)
		put_table(n, out, half, n->nsection, 0);
	for (unsigned i = 0; i < n->nsection; i++) {
		bytes_fill(out, 0, (size_t)n->section[i].offset - (out->size - start));
		bytes_add(out, n->section[i].bytes.data, n->section[i].bytes.size);
	}
	if (n->live)
		bytes_fill(out, 0, 100); /* the file is longer than what is in use */
	else
		monnative_seal(out, start, n->order);
}

void monnative_seal(struct bytes *file, size_t start, enum order order)
{
	uint32_t crc = UINT32_MAX;

	bytes_poke(file, start + 20, 0, 4, order);
	for (size_t i = start; i < file->size; i++) {
		crc ^= file->data[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	bytes_poke(file, start + 20, crc ^ UINT32_MAX, 4, order);
}
