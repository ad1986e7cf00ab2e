/* SPDX-License-Identifier: BSD-2-Clause */
/* merge.c -- the sum of two profiles of one program.
 *
 * Everything is compared and all memory is had before the first number changes.
 */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

/* ---- sorted lists of counts -------------------------------------------------------------------------------------- */

/* Calls or arcs: records with a key, sorted, and a count. */
struct list {
	unsigned char *item;
	size_t n;
	size_t size, count_at; /* of a record; of the count in it */
	int (*compare)(const void *, const void *);
};

static int by_pc(const void *a, const void *b)
{
	const struct mon_call *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_ends(const void *a, const void *b)
{
	const struct mon_arc *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static struct list calls_of(const struct mon_profile *p)
{
	return (struct list){ .item = (unsigned char *)p->call,
			      .n = p->ncall,
			      .size = sizeof(struct mon_call),
			      .count_at = offsetof(struct mon_call, count),
			      .compare = by_pc };
}

static struct list arcs_of(const struct mon_profile *p)
{
	return (struct list){ .item = (unsigned char *)p->arc,
			      .n = p->narc,
			      .size = sizeof(struct mon_arc),
			      .count_at = offsetof(struct mon_arc, count),
			      .compare = by_ends };
}

/* How many records of b have no partner in a. */
static size_t count_new(const struct list *a, const struct list *b)
{
	size_t i = 0, fresh = 0;

	for (size_t k = 0; k < b->n; k++) {
		int order = 1;

		while (i < a->n && (order = a->compare(a->item + i * a->size, b->item + k * b->size)) < 0)
			i++;
		fresh += i == a->n || order != 0;
	}
	return fresh;
}

static void add_count(const struct list *l, void *to, const void *from, bool *limit)
{
	uint64_t a, b;

	memcpy(&a, (char *)to + l->count_at, sizeof(a));
	memcpy(&b, (const char *)from + l->count_at, sizeof(b));
	a = mon_add_limit(a, b, limit);
	memcpy((char *)to + l->count_at, &a, sizeof(a));
}

/* Add the counts of b to their partners in a, of which all are there. */
static void add_all(const struct list *a, const struct list *b, bool *limit)
{
	size_t i = 0;

	for (size_t k = 0; k < b->n; k++, i++) {
		while (a->compare(a->item + i * a->size, b->item + k * b->size))
			i++;
		add_count(a, a->item + i * a->size, b->item + k * b->size, limit);
	}
}

/* The records of a and b in order; partners become two of a kind. */
static void interleave(const struct list *a, const struct list *b, unsigned char *out)
{
	size_t i = 0, k = 0, size = a->size;

	while (i < a->n || k < b->n) {
		int order = i == a->n ? 1 : k == b->n ? -1 : a->compare(a->item + i * size, b->item + k * size);

		if (order == 0) {
			k++; /* add_all sees to it */
			continue;
		}
		memcpy(out, order < 0 ? a->item + i++ * size : b->item + k++ * size, size);
		out += size;
	}
}

/* A list with the records of a, and those that only b has with a count of 0: *out NULL if there are none of those. */
static int widen(const struct list *a, const struct list *b, void **out, size_t *n, struct mon_error *err)
{
	size_t fresh = count_new(a, b);
	static const uint64_t zero = 0;
	struct list all = *a;
	size_t i = 0;

	*out = NULL;
	*n = a->n + fresh;
	if (fresh == 0)
		return 0;
	*out = calloc(*n, a->size);
	if (!*out)
		return mon_error_nomem(err);
	all.item = *out;
	all.n = *n;
	interleave(a, b, all.item);
	for (size_t k = 0; k < all.n; k++) {
		unsigned char *item = all.item + k * a->size;

		if (i < a->n && a->compare(a->item + i * a->size, item) == 0)
			i++;
		else
			memcpy(item + a->count_at, &zero, sizeof(zero));
	}
	return 0;
}

/* ---- do they belong together ------------------------------------------------------------------------------------- */

static bool is_empty(const struct mon_profile *p)
{
	return p->nrange == 0 && p->ncall == 0 && p->narc == 0;
}

static double width(const struct mon_range *r)
{
	return r->nbin ? (double)r->width_num / (double)r->width_den : 0;
}

static int check_range(const struct mon_range *a, const struct mon_range *b, struct mon_error *err)
{
	if (a->low == b->low && a->high == b->high && a->nbin == b->nbin)
		return 0;
	return mon_error_set(
	    err, MON_E_MISMATCH, 0, MON_NO_OFFSET,
	    "the ranges differ: 0x%llx-0x%llx (%llu bins of %g bytes) and 0x%llx-0x%llx (%llu bins of %g bytes)",
	    (ull)a->low, (ull)a->high, (ull)a->nbin, width(a), (ull)b->low, (ull)b->high, (ull)b->nbin, width(b));
}

static int check(const struct mon_profile *a, const struct mon_profile *b, struct mon_error *err)
{
	if (a->variant->word && b->variant->word && a->variant->word != b->variant->word)
		return mon_error_set(err, MON_E_MISMATCH, 0, MON_NO_OFFSET,
				     "the addresses differ: %u bits (%s) and %u bits (%s)", 8 * a->variant->word,
				     a->variant->name, 8 * b->variant->word, b->variant->name);
	if (a->nrange == 0 || b->nrange == 0)
		return 0;
	if (a->hz != b->hz)
		return mon_error_set(err, MON_E_MISMATCH, 0, MON_NO_OFFSET, "the clock rates differ: %u Hz and %u Hz",
				     a->hz, b->hz);
	if (a->nrange != b->nrange)
		return mon_error_set(err, MON_E_MISMATCH, 0, MON_NO_OFFSET,
				     "the ranges differ: %zu from 0x%llx to 0x%llx, and %zu from 0x%llx to 0x%llx",
				     a->nrange, (ull)a->range[0].low, (ull)a->range[a->nrange - 1].high, b->nrange,
				     (ull)b->range[0].low, (ull)b->range[b->nrange - 1].high);
	for (size_t i = 0; i < a->nrange; i++)
		if (check_range(&a->range[i], &b->range[i], err))
			return -1;
	return 0;
}

/* ---- the sum ----------------------------------------------------------------------------------------------------- */

/* What the sum needs beyond into. */
struct plan {
	struct mon_profile ranges; /* into's, when it has none */
	void *call, *arc;	   /* owned; NULL: into's have all that is needed */
	size_t ncall, narc;
};

static void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->ranges.nrange; i++)
		mon_bins_free(plan->ranges.range[i].bins);
	free(plan->ranges.range);
	free(plan->call);
	free(plan->arc);
}

static int plan_bins(const struct mon_profile *into, const struct mon_profile *from, struct plan *plan,
		     struct mon_error *err)
{
	for (size_t i = 0; i < from->nrange; i++) {
		const struct mon_range *r = &from->range[i];
		struct mon_bins *bins;

		if (into->nrange == 0 && mon_profile_add_range(&plan->ranges, r->low, r->high, r->nbin, err))
			return -1;
		bins = into->nrange ? into->range[i].bins : plan->ranges.range[i].bins;
		if (mon_bins_reserve(bins, r->bins))
			return mon_error_nomem(err);
	}
	return 0;
}

static int make_plan(const struct mon_profile *into, const struct mon_profile *from, struct plan *plan,
		     struct mon_error *err)
{
	struct list calls = calls_of(into), more_calls = calls_of(from), arcs = arcs_of(into),
		    more_arcs = arcs_of(from);

	if (widen(&calls, &more_calls, &plan->call, &plan->ncall, err) ||
	    widen(&arcs, &more_arcs, &plan->arc, &plan->narc, err))
		return -1;
	return plan_bins(into, from, plan, err);
}

/* Let into have what was planned: still the same numbers, and zeros. */
static void take_plan(struct mon_profile *into, struct plan *plan)
{
	if (plan->call) {
		free(into->call);
		into->call = plan->call;
		into->ncall = plan->ncall;
	}
	if (plan->arc) {
		free(into->arc);
		into->arc = plan->arc;
		into->narc = plan->narc;
	}
	if (plan->ranges.nrange > 0) {
		free(into->range);
		into->range = plan->ranges.range;
		into->nrange = plan->ranges.nrange;
	}
}

static void add(struct mon_profile *into, const struct mon_profile *from)
{
	struct list calls = calls_of(into), more_calls = calls_of(from), arcs = arcs_of(into),
		    more_arcs = arcs_of(from);
	bool limit = false;

	add_all(&calls, &more_calls, &limit);
	add_all(&arcs, &more_arcs, &limit);
	for (size_t i = 0; i < from->nrange; i++)
		mon_bins_merge(into->range[i].bins, from->range[i].bins, &limit);
	into->ticks = mon_add_limit(into->ticks, from->ticks, &limit);
	into->cells_reserved = MON_MAX(into->cells_reserved, from->cells_reserved);
	into->cells_ignored = mon_add_limit(into->cells_ignored, from->cells_ignored, &limit);
	into->flags |= from->flags | (limit ? MON_F_COUNT_LIMIT : 0u);
	mon_profile_sum_calls(into);
}

int mon_profile_merge(struct mon_profile *into, const struct mon_profile *from, struct mon_error *err)
{
	struct plan plan = { 0 };

	if (is_empty(from))
		return 0;
	if ((!is_empty(into) && check(into, from, err)) || make_plan(into, from, &plan, err)) {
		plan_free(&plan);
		return -1;
	}
	if (is_empty(into))
		into->variant = from->variant;
	if (into->nrange == 0 && (from->nrange > 0 || is_empty(into))) {
		into->hz = from->hz;
		into->hz_source = from->hz_source;
	}
	take_plan(into, &plan);
	add(into, from);
	return 0;
}
