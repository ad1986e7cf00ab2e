/* SPDX-License-Identifier: BSD-2-Clause */
/* report.c -- shares to rows: functions without any, statics folded into globals, orders. */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

static const char *const places[MON_NPLACE] = {
#define PLACE_ROW(place, text) [place] = text,
	MON_REMAINDERS(PLACE_ROW)
#undef PLACE_ROW
};

const char *mon_place_name(enum mon_place place)
{
	return (unsigned)place < MON_NPLACE ? places[place] : "";
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

struct builder {
	struct mon_report *r;
	struct mon_report_opts opts;
	uint64_t den;
	size_t room;
	size_t next; /* the first symbol that has no row yet and may still get one */
	bool limit;

	/* for fold_statics: the first global; symbols before seen were looked at, and the last global among them */
	size_t first_global, seen, global;
};

/* Does the row of a global before it take the ticks of sym? */
static bool is_folded(const struct builder *b, size_t sym)
{
	return b->opts.fold_statics && sym < b->r->obj->nsym && b->r->obj->sym[sym].local && sym > b->first_global;
}

/* The symbol whose row takes the ticks of sym.  Symbols are asked for in order. */
static size_t row_owner(struct builder *b, size_t sym)
{
	const struct mon_symbol *s = b->r->obj->sym;

	if (!is_folded(b, sym))
		return sym;
	for (; b->seen < sym; b->seen++)
		if (!s[b->seen].local && !s[b->seen].alias)
			b->global = b->seen;
	return b->global;
}

static void find_first_global(struct builder *b)
{
	const struct mon_object *obj = b->r->obj;

	if (!b->opts.fold_statics)
		return;
	while (b->first_global < obj->nsym && obj->sym[b->first_global].local)
		b->first_global++;
	b->seen = b->first_global;
}

static struct mon_row *row_add(struct builder *b, size_t sym, struct mon_error *err)
{
	struct mon_report *r = b->r;
	struct mon_row *row;

	if (mon_grow((void **)&r->row, r->nrow, &b->room, sizeof(*r->row), err))
		return NULL;
	row = &r->row[r->nrow++];
	*row = (struct mon_row){ .ticks = { .den = b->den } };
	if (sym < r->obj->nsym)
		row->sym = &r->obj->sym[sym];
	else
		row->place = (enum mon_place)(sym - r->obj->nsym);
	return row;
}

/* Empty rows for the functions before sym, when they are asked for. */
static int add_zeros(struct builder *b, size_t sym, struct mon_error *err)
{
	size_t end = MON_MIN(sym, b->r->obj->nsym);

	for (; b->opts.zeros && b->next < end; b->next++)
		if (!b->r->obj->sym[b->next].alias && !is_folded(b, b->next) && !row_add(b, b->next, err))
			return -1;
	return 0;
}

/* The row of sym, which is the last one or comes after it. */
static struct mon_row *row_of(struct builder *b, size_t sym, struct mon_error *err)
{
	struct mon_report *r = b->r;

	if (sym < r->obj->nsym && r->nrow > 0 && r->row[r->nrow - 1].sym == &r->obj->sym[sym])
		return &r->row[r->nrow - 1];
	if (add_zeros(b, sym, err))
		return NULL;
	b->next = sym + 1;
	return row_add(b, sym, err);
}

static int take_share(struct builder *b, const struct mon_share *s, struct mon_error *err)
{
	size_t owner = row_owner(b, s->sym);
	struct mon_row *row = row_of(b, owner, err);

	if (!row)
		return -1;
	mon_ticks_add(&row->ticks, s->ticks, &b->limit);
	if (owner == s->sym) {
		row->calls = s->calls;
		row->ncell = s->ncell;
	} else {
		mon_ticks_add(&b->r->ticks_folded, s->ticks, &b->limit);
		b->r->calls_folded = mon_add_limit(b->r->calls_folded, s->calls, &b->limit);
	}
	return 0;
}

static uint64_t find_saturated(const struct mon_profile *p)
{
	for (size_t i = 0; i < p->nrange; i++) {
		const struct mon_range *r = &p->range[i];
		uint64_t count;

		for (uint64_t k = 0; mon_bins_next(r->bins, &k, &count); k++)
			if (count >= MON_BIN_MAX)
				return r->low + (uint64_t)((mon_u128)k * r->width_num / r->width_den);
	}
	return 0;
}

static int fill(struct builder *b, const struct mon_shares *shares, struct mon_error *err)
{
	for (size_t i = 0; i < shares->n; i++)
		if (take_share(b, &shares->share[i], err))
			return -1;
	return add_zeros(b, b->r->obj->nsym, err);
}

int mon_report_build(const struct mon_profile *p, const struct mon_object *obj, const struct mon_report_opts *opts,
		     struct mon_report **out, struct mon_error *err)
{
	struct builder b = { .opts = opts ? *opts : (struct mon_report_opts){ 0 } };
	struct mon_shares shares = { 0 };
	int rc;

	b.r = calloc(1, sizeof(*b.r));
	if (!b.r)
		return mon_error_nomem(err);
	b.r->obj = obj;
	b.r->hz = p->hz;
	b.r->total_ticks = p->ticks;
	b.r->total_calls = p->calls;
	rc = mon_attribute(p, obj, &shares, err);
	b.den = shares.den;
	b.r->ticks_folded.den = shares.den;
	find_first_global(&b);
	if (rc == 0)
		rc = fill(&b, &shares, err);
	free(shares.share);
	if (rc) {
		mon_report_free(b.r);
		return -1;
	}
	b.r->flags = p->flags | shares.flags | (b.limit ? MON_F_COUNT_LIMIT : 0u);
	if (p->flags & MON_F_SATURATED)
		b.r->saturated_bin = find_saturated(p);
	mon_report_sort(b.r, MON_SORT_TIME);
	*out = b.r;
	return 0;
}

void mon_report_free(struct mon_report *r)
{
	if (!r)
		return;
	free(r->row);
	free(r);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

typedef int compare_fn(const struct mon_row *, const struct mon_row *, const struct mon_object *);

static int by_time(const struct mon_row *a, const struct mon_row *b, const struct mon_object *obj)
{
	(void)obj;
	if (a->ticks.whole != b->ticks.whole) /* nearly always enough */
		return a->ticks.whole > b->ticks.whole ? -1 : 1;
	return a->ticks.num | b->ticks.num ? mon_ticks_compare(b->ticks, a->ticks) : 0;
}

static int by_calls(const struct mon_row *a, const struct mon_row *b, const struct mon_object *obj)
{
	(void)obj;
	return a->calls > b->calls ? -1 : a->calls < b->calls;
}

static int by_address(const struct mon_row *a, const struct mon_row *b, const struct mon_object *obj)
{
	(void)obj;
	if (!a->sym || !b->sym)
		return a->sym ? -1 : b->sym ? 1 : (int)a->place - (int)b->place;
	return a->sym->addr < b->sym->addr ? -1 : a->sym->addr > b->sym->addr;
}

static int by_name(const struct mon_row *a, const struct mon_row *b, const struct mon_object *obj)
{
	if (!a->sym || !b->sym)
		return a->sym ? -1 : b->sym ? 1 : (int)a->place - (int)b->place;
	return strcmp(mon_symbol_name(obj, a->sym), mon_symbol_name(obj, b->sym));
}

static compare_fn *const keys[] = {
	[MON_SORT_TIME] = by_time,
	[MON_SORT_CALLS] = by_calls,
	[MON_SORT_ADDRESS] = by_address,
	[MON_SORT_NAME] = by_name,
};
enum { NKEY = sizeof(keys) / sizeof(keys[0]) };

struct order {
	compare_fn *key;
	const struct mon_object *obj;
};

static int compare(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	int c = o->key(a, b, o->obj);

	for (size_t i = 0; c == 0 && i < NKEY; i++)
		if (keys[i] != o->key)
			c = keys[i](a, b, o->obj);
	return c;
}

void mon_report_sort(struct mon_report *r, enum mon_sort key)
{
	struct order o = { .key = keys[(unsigned)key < NKEY ? key : MON_SORT_TIME], .obj = r->obj };

	if (r->nrow > 1)
		qsort_r(r->row, r->nrow, sizeof(*r->row), compare, &o);
}
