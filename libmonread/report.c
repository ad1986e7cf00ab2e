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

/* ---- rows of one object ------------------------------------------------------------------------------------------ */

struct builder {
	const struct mon_profile *p;
	struct mon_report *r;
	struct mon_report_opts opts;
	uint64_t den;
	size_t room;
	bool limit;
	unsigned flags;

	/* the object at hand */
	const struct mon_object *obj;
	uint32_t module;
	size_t next; /* its first symbol that has no row yet and may still get one */

	/* for fold_statics: the first global; symbols before seen were looked at, and the last global among them */
	size_t first_global, seen, global;
};

/* Does the row of a global before it take the ticks of sym? */
static bool is_folded(const struct builder *b, size_t sym)
{
	return b->opts.fold_statics && sym < b->obj->nsym && b->obj->sym[sym].local && sym > b->first_global;
}

/* The symbol whose row takes the ticks of sym.  Symbols are asked for in order. */
static size_t row_owner(struct builder *b, size_t sym)
{
	const struct mon_symbol *s = b->obj->sym;

	if (!is_folded(b, sym))
		return sym;
	for (; b->seen < sym; b->seen++)
		if (!s[b->seen].local && !s[b->seen].alias)
			b->global = b->seen;
	return b->global;
}

static void begin_object(struct builder *b, const struct mon_object *obj, uint32_t module)
{
	b->obj = obj;
	b->module = module;
	b->next = b->first_global = b->seen = b->global = 0;
	if (!b->opts.fold_statics)
		return;
	while (b->first_global < obj->nsym && obj->sym[b->first_global].local)
		b->first_global++;
	b->seen = b->first_global;
}

static struct mon_row *row_new(struct builder *b, uint32_t module, enum mon_place place, struct mon_error *err)
{
	struct mon_report *r = b->r;

	if (mon_grow((void **)&r->row, r->nrow, &b->room, sizeof(*r->row), err))
		return NULL;
	r->row[r->nrow] = (struct mon_row){ .module = module, .place = place, .ticks = { .den = b->den } };
	return &r->row[r->nrow++];
}

static struct mon_row *row_add(struct builder *b, size_t sym, struct mon_error *err)
{
	bool function = sym < b->obj->nsym;
	struct mon_row *row =
	    row_new(b, b->module, function ? MON_IN_FUNCTION : (enum mon_place)(sym - b->obj->nsym), err);

	if (!row)
		return NULL;
	row->obj = b->obj;
	row->sym = function ? &b->obj->sym[sym] : NULL;
	return row;
}

/* Empty rows for the functions before sym, when they are asked for. */
static int add_zeros(struct builder *b, size_t sym, struct mon_error *err)
{
	size_t end = MON_MIN(sym, b->obj->nsym);

	for (; b->opts.zeros && b->next < end; b->next++)
		if (!b->obj->sym[b->next].alias && !is_folded(b, b->next) && !row_add(b, b->next, err))
			return -1;
	return 0;
}

/* The row of sym, which is the last one or comes after it. */
static struct mon_row *row_of(struct builder *b, size_t sym, struct mon_error *err)
{
	struct mon_report *r = b->r;

	if (sym < b->obj->nsym && r->nrow > 0 && r->row[r->nrow - 1].sym == &b->obj->sym[sym])
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

static int fill_object(struct builder *b, const struct mon_part *part, const struct mon_object *obj, uint32_t module,
		       struct mon_error *err)
{
	struct mon_shares shares = { 0 };
	int rc = mon_attribute(part, obj, b->den, &shares, err);

	begin_object(b, obj, module);
	for (size_t i = 0; rc == 0 && i < shares.n; i++)
		rc = take_share(b, &shares.share[i], err);
	if (rc == 0)
		rc = add_zeros(b, obj->nsym, err);
	b->flags |= shares.flags;
	free(shares.share);
	return rc;
}

/* ---- rows of what has no object ---------------------------------------------------------------------------------- */

static int add_place(struct builder *b, uint32_t module, enum mon_place place, uint64_t ticks, uint64_t calls,
		     uint64_t ncell, struct mon_error *err)
{
	struct mon_row *row;

	if (ticks == 0 && ncell == 0)
		return 0;
	row = row_new(b, module, place, err);
	if (!row)
		return -1;
	row->ticks.whole = ticks;
	row->calls = calls;
	row->ncell = ncell;
	return 0;
}

static void add_calls(struct builder *b, const struct mon_call *call, size_t n, uint64_t *sum)
{
	for (size_t i = 0; i < n; i++)
		*sum = mon_add_limit(*sum, call[i].count, &b->limit);
}

/* One row of a module whose file nobody could open. */
static int fill_closed(struct builder *b, const struct mon_part *part, uint32_t module, struct mon_error *err)
{
	uint64_t ticks = 0, calls = 0, ncell = 0, count;

	for (; part; part = part->next) {
		for (size_t i = 0; i < part->nrange; i++)
			for (uint64_t k = 0; mon_bins_next(part->range[i].bins, &k, &count); k++)
				ticks = mon_add_limit(ticks, count, &b->limit);
		add_calls(b, part->call, part->ncall, &calls);
		ncell += part->ncall;
	}
	return add_place(b, module, MON_IN_MODULE, ticks, calls, ncell, err);
}

/* Ticks that the profile keeps by themselves, and the calls of code that no object holds: these are the last ones. */
static int fill_tallies(struct builder *b, struct mon_error *err)
{
	const struct mon_clock *c = &b->p->clock;
	size_t n = b->p->ncall;
	uint64_t calls = 0;

	while (n > 0 && b->p->call[n - 1].module == MON_NO_MODULE)
		n--;
	add_calls(b, b->p->call + n, b->p->ncall - n, &calls);
	return add_place(b, MON_NO_MODULE, MON_IN_MCOUNT, c->mcount, 0, 0, err) ||
		       add_place(b, MON_NO_MODULE, MON_IN_VDSO, c->vdso, 0, 0, err) ||
		       add_place(b, MON_NO_MODULE, MON_IN_UNKNOWN, c->unknown, calls, b->p->ncall - n, err)
		   ? -1
		   : 0;
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

/* The part of every module; those of one file hang on the first one's. */
static struct mon_part *make_parts(const struct mon_profile *p, size_t n)
{
	struct mon_part *part = calloc(n, sizeof(*part));
	size_t range = 0, call = 0;

	for (size_t i = 0; part && i < n; i++) {
		struct mon_part *one = &part[i];

		one->range = p->range + range;
		one->call = p->call + call;
		while (range < p->nrange && p->range[range].module == i)
			range++;
		while (call < p->ncall && p->call[call].module == i)
			call++;
		one->nrange = range - (size_t)(one->range - p->range);
		one->ncall = call - (size_t)(one->call - p->call);
		if (i < p->nmodule && p->module[i].first < i) {
			one->next = part[p->module[i].first].next;
			part[p->module[i].first].next = one;
		}
	}
	return part;
}

static int fill(struct builder *b, const struct mon_object *const *obj, size_t nobj, struct mon_error *err)
{
	size_t n = MON_MAX(b->p->nmodule, (size_t)1);
	struct mon_part *part = make_parts(b->p, n);
	int rc = part ? 0 : mon_error_nomem(err);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct mon_object *o = i < nobj ? obj[i] : NULL;

		if (i < b->p->nmodule && b->p->module[i].first < i)
			continue;
		rc = o ? fill_object(b, &part[i], o, (uint32_t)i, err) : fill_closed(b, &part[i], (uint32_t)i, err);
	}
	if (rc == 0)
		rc = fill_tallies(b, err);
	free(part);
	return rc;
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

int mon_report_build(const struct mon_profile *p, const struct mon_object *const *obj, size_t nobj,
		     const struct mon_report_opts *opts, struct mon_report **out, struct mon_error *err)
{
	struct builder b = { .p = p, .opts = opts ? *opts : (struct mon_report_opts){ 0 } };

	if ((nobj != 1 && nobj != p->nmodule) || (p->nmodule == 0 && !obj[0]))
		return mon_error_set(err, MON_E_USAGE, 0, MON_NO_OFFSET,
				     "%zu program files for a profile of %zu objects", nobj, p->nmodule);
	b.r = calloc(1, sizeof(*b.r));
	if (!b.r)
		return mon_error_nomem(err);
	b.den = mon_common_denominator(p);
	b.r->profile = p;
	b.r->hz = p->hz;
	b.r->total_ticks = p->ticks;
	b.r->total_calls = p->calls;
	b.r->ticks_folded.den = b.den;
	if (fill(&b, obj, nobj, err)) {
		mon_report_free(b.r);
		return -1;
	}
	b.r->flags = p->flags | b.flags | (b.limit ? MON_F_COUNT_LIMIT : 0u);
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

typedef int compare_fn(const struct mon_row *, const struct mon_row *, const struct mon_profile *);

static int by_time(const struct mon_row *a, const struct mon_row *b, const struct mon_profile *p)
{
	(void)p;
	if (a->ticks.whole != b->ticks.whole) /* nearly always enough */
		return a->ticks.whole > b->ticks.whole ? -1 : 1;
	return a->ticks.num | b->ticks.num ? mon_ticks_compare(b->ticks, a->ticks) : 0;
}

static int by_calls(const struct mon_row *a, const struct mon_row *b, const struct mon_profile *p)
{
	(void)p;
	return a->calls > b->calls ? -1 : a->calls < b->calls;
}

static const char *path_of(const struct mon_row *row, const struct mon_profile *p)
{
	return row->module < p->nmodule && p->module[row->module].path ? p->module[row->module].path : "";
}

/* The program, then the others by path: numbers of modules depend on the order in which profiles were added up. */
static int by_module(const struct mon_row *a, const struct mon_row *b, const struct mon_profile *p)
{
	int order;

	if (a->module == b->module)
		return 0;
	if (a->module == 0 || b->module == MON_NO_MODULE)
		return -1;
	if (b->module == 0 || a->module == MON_NO_MODULE)
		return 1;
	order = strcmp(path_of(a, p), path_of(b, p));
	return order ? order : a->module < b->module ? -1 : 1;
}

static int by_address(const struct mon_row *a, const struct mon_row *b, const struct mon_profile *p)
{
	int order = by_module(a, b, p);

	if (!a->sym || !b->sym)
		return a->sym ? -1 : b->sym ? 1 : order ? order : (int)a->place - (int)b->place;
	if (order)
		return order;
	return a->sym->addr < b->sym->addr ? -1 : a->sym->addr > b->sym->addr;
}

static int by_name(const struct mon_row *a, const struct mon_row *b, const struct mon_profile *p)
{
	int order;

	if (!a->sym || !b->sym)
		return a->sym		      ? -1
		       : b->sym		      ? 1
		       : a->place != b->place ? (int)a->place - (int)b->place
					      : by_module(a, b, p);
	order = strcmp(mon_symbol_name(a->obj, a->sym), mon_symbol_name(b->obj, b->sym));
	return order ? order : by_module(a, b, p);
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
	const struct mon_profile *p;
};

static int compare(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	int c = o->key(a, b, o->p);

	for (size_t i = 0; c == 0 && i < NKEY; i++)
		if (keys[i] != o->key)
			c = keys[i](a, b, o->p);
	return c;
}

void mon_report_sort(struct mon_report *r, enum mon_sort key)
{
	struct order o = { .key = keys[(unsigned)key < NKEY ? key : MON_SORT_TIME], .p = r->profile };

	if (r->nrow > 1)
		qsort_r(r->row, r->nrow, sizeof(*r->row), compare, &o);
}
