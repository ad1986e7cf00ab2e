/* SPDX-License-Identifier: BSD-2-Clause */
/* attrib.c -- bins and calls to functions: a bin that several share is split by overlap, exactly.
 *
 * Inside a range addresses are measured in units of 1/width_den bytes from its start, so that bin i is
 * [i * width_num, (i + 1) * width_num) and every overlap is a whole number.  A share of a bin of c ticks is then
 * c * overlap / width_num; the fractions of all ranges are kept over one common denominator.
 */
#include "monread_impl.h"

#include <stdlib.h>

struct walk {
	const struct mon_object *obj;
	uint64_t den; /* of all fractions */
	bool rounded, limit;
	bool disorder;		 /* a share stands behind one of a later symbol */
	struct mon_share *share; /* of symbols; owned */
	size_t n, room;
	struct mon_share rest[MON_NPLACE]; /* of places outside functions */

	/* the range at hand */
	const struct mon_range *range;
	mon_u128 from, to; /* the ends of the piece, in units of the range */
	size_t sym;	   /* whose the piece is that ends behind the last place looked at; nsym: none */
	size_t hint;	   /* for mon_object_piece */
};

void mon_ticks_add(struct mon_ticks *a, struct mon_ticks b, bool *limit)
{
	a->whole = mon_add_limit(a->whole, b.whole, limit);
	if (a->num >= a->den - b.num) {
		a->num -= a->den - b.num;
		a->whole = mon_add_limit(a->whole, 1, limit);
	} else {
		a->num += b.num;
	}
}

/* a - b; b is not larger and has the same denominator. */
static struct mon_ticks ticks_less(struct mon_ticks a, struct mon_ticks b)
{
	a.whole -= b.whole;
	if (a.num < b.num) {
		a.whole--;
		a.num += a.den - b.num;
	} else {
		a.num -= b.num;
	}
	return a;
}

double mon_ticks_value(struct mon_ticks t)
{
	return (double)t.whole + (double)t.num / (double)t.den;
}

int mon_ticks_compare(struct mon_ticks a, struct mon_ticks b)
{
	mon_u128 x, y;

	if (a.whole != b.whole)
		return a.whole < b.whole ? -1 : 1;
	if (a.num == 0 || b.num == 0)
		return (a.num > 0) - (b.num > 0);
	x = (mon_u128)a.num * b.den;
	y = (mon_u128)b.num * a.den;
	return x < y ? -1 : x > y;
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static struct mon_share share_none(const struct walk *w, size_t sym)
{
	return (struct mon_share){ .sym = sym, .ticks = { .den = w->den } };
}

/* The share of a symbol.  Symbols come in order, but for functions inside functions: put_in_order sees to them. */
static struct mon_share *share_of(struct walk *w, size_t sym, struct mon_error *err)
{
	if (w->n > 0 && w->share[w->n - 1].sym == sym)
		return &w->share[w->n - 1];
	if (mon_grow((void **)&w->share, w->n, &w->room, sizeof(*w->share), err))
		return NULL;
	w->disorder |= w->n > 0 && w->share[w->n - 1].sym > sym;
	w->share[w->n] = share_none(w, sym);
	return &w->share[w->n++];
}

static int by_symbol(const void *a, const void *b)
{
	const struct mon_share *x = a, *y = b;

	return x->sym < y->sym ? -1 : x->sym > y->sym;
}

/* One share a symbol, in order. */
static void put_in_order(struct walk *w)
{
	size_t n = 0;

	if (!w->disorder)
		return;
	w->disorder = false;
	qsort(w->share, w->n, sizeof(*w->share), by_symbol);
	for (size_t i = 0; i < w->n; i++) {
		const struct mon_share s = w->share[i];
		struct mon_share *last = n > 0 ? &w->share[n - 1] : NULL;

		if (!last || last->sym != s.sym) {
			w->share[n++] = s;
			continue;
		}
		mon_ticks_add(&last->ticks, s.ticks, &w->limit);
		last->calls = mon_add_limit(last->calls, s.calls, &w->limit);
		last->ncell += s.ncell;
	}
	w->n = n;
}

/* count ticks of which overlap / width_num fall to somebody. */
static struct mon_ticks part(struct walk *w, uint64_t count, uint64_t overlap)
{
	uint64_t num = w->range->width_num, left;
	mon_u128 all = (mon_u128)count * overlap, fraction;
	struct mon_ticks t = { .den = w->den };

	if (all <= UINT64_MAX) {
		t.whole = (uint64_t)all / num;
		left = (uint64_t)all % num;
	} else {
		t.whole = (uint64_t)(all / num);
		left = (uint64_t)(all % num);
	}
	if (w->den % num == 0) {
		t.num = left * (w->den / num);
	} else {
		fraction = (mon_u128)left * w->den;
		w->rounded |= fraction % num != 0;
		t.num = (uint64_t)(fraction / num);
	}
	return t;
}

/* ---- the walk over one range ------------------------------------------------------------------------------------- */

static mon_u128 scaled(const struct walk *w, uint64_t addr)
{
	return addr <= w->range->low ? 0 : (mon_u128)(addr - w->range->low) * w->range->width_den;
}

static uint64_t addr_of(const struct walk *w, mon_u128 at)
{
	return w->range->low +
	       (at <= UINT64_MAX ? (uint64_t)at / w->range->width_den : (uint64_t)(at / w->range->width_den));
}

/* Find the function at or behind the place. */
static void seek(struct walk *w, mon_u128 at)
{
	struct mon_piece p = mon_object_piece(w->obj, addr_of(w, at), &w->hint);

	w->sym = p.sym;
	w->from = p.sym == w->obj->nsym ? (mon_u128)-1 : scaled(w, p.from);
	w->to = p.sym == w->obj->nsym ? (mon_u128)-1 : scaled(w, p.to);
}

/* Who has the place outside functions; *end: how far. */
static enum mon_place place_at(const struct walk *w, mon_u128 at, mon_u128 *end)
{
	uint64_t addr = addr_of(w, at);
	const struct mon_section *s = mon_object_section(w->obj, addr);

	if (!s)
		return MON_OUTSIDE;
	if (addr < s->addr) {
		*end = MON_MIN(*end, scaled(w, s->addr));
		return MON_OUTSIDE;
	}
	*end = MON_MIN(*end, scaled(w, s->end));
	return s->place;
}

/* Split the bin [at, bin_end) with its count ticks. */
static int split(struct walk *w, mon_u128 at, mon_u128 bin_end, uint64_t count, struct mon_error *err)
{
	struct mon_ticks left = { .whole = count, .den = w->den };

	while (at < bin_end) {
		mon_u128 end = bin_end;
		struct mon_share *share;
		struct mon_ticks t;

		if (at >= w->to)
			seek(w, at);
		if (at >= w->from) {
			end = MON_MIN(end, w->to);
			share = share_of(w, w->sym, err);
			if (!share)
				return -1;
		} else {
			end = MON_MIN(end, w->from);
			share = &w->rest[place_at(w, at, &end)];
		}
		t = end == bin_end ? left : part(w, count, (uint64_t)(end - at));
		left = ticks_less(left, t);
		mon_ticks_add(&share->ticks, t, &w->limit);
		at = end;
	}
	return 0;
}

static int walk_range(struct walk *w, const struct mon_range *r, struct mon_error *err)
{
	uint64_t count;

	w->range = r;
	w->from = w->to = 0;
	for (uint64_t i = 0; mon_bins_next(r->bins, &i, &count); i++) {
		mon_u128 at = (mon_u128)i * r->width_num;

		if (split(w, at, at + r->width_num, count, err))
			return -1;
	}
	return 0;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void add_call(struct walk *w, struct mon_share *share, uint64_t count)
{
	share->calls = mon_add_limit(share->calls, count, &w->limit);
	share->ncell++;
}

static int walk_calls(struct walk *w, const struct mon_part *part, size_t *hint, struct mon_error *err)
{
	for (size_t i = 0; i < part->ncall; i++) {
		uint64_t pc = part->call[i].pc;
		struct mon_piece piece = mon_object_piece(w->obj, pc, hint);
		const struct mon_section *s;
		struct mon_share *share;

		if (piece.sym < w->obj->nsym && pc >= piece.from) {
			share = share_of(w, piece.sym, err);
			if (!share)
				return -1;
		} else {
			s = mon_object_section(w->obj, pc);
			share = &w->rest[s && pc >= s->addr ? s->place : MON_OUTSIDE];
		}
		add_call(w, share, part->call[i].count);
	}
	return 0;
}

/* ---- both together ----------------------------------------------------------------------------------------------- */

/* One list of the shares of ticks, of calls and of the places outside functions. */
static int join(struct walk *w, const struct mon_share *ticks, size_t nticks, struct mon_shares *out,
		struct mon_error *err)
{
	const struct mon_share *calls = w->share;
	size_t i = 0, k = 0, n = 0;

	out->share = calloc(nticks + w->n + MON_NPLACE, sizeof(*out->share));
	if (!out->share)
		return mon_error_nomem(err);
	while (i < nticks || k < w->n) {
		struct mon_share *s = &out->share[n++];

		if (k == w->n || (i < nticks && ticks[i].sym <= calls[k].sym))
			*s = ticks[i++];
		else
			*s = share_none(w, calls[k].sym);
		if (k < w->n && calls[k].sym == s->sym) {
			s->calls = calls[k].calls;
			s->ncell = calls[k++].ncell;
		}
	}
	for (size_t place = 0; place < MON_NPLACE; place++) {
		const struct mon_share *s = &w->rest[place];

		if (s->ticks.whole || s->ticks.num || s->ncell)
			out->share[n++] = *s;
	}
	out->n = n;
	out->flags = (w->rounded ? MON_F_ROUNDED : 0u) | (w->limit ? MON_F_COUNT_LIMIT : 0u);
	return 0;
}

uint64_t mon_common_denominator(const struct mon_profile *p)
{
	uint64_t den = 1;

	for (size_t i = 0; i < p->nrange; i++) {
		uint64_t num = p->range[i].nbin ? p->range[i].width_num : 1;
		uint64_t more = num / mon_gcd(den, num);

		if (more > UINT64_MAX / den)
			return UINT64_C(1) << 32;
		den *= more;
	}
	return den;
}

/* Symbols come in order within one part; the next one begins anew. */
static int walk_parts(struct walk *w, const struct mon_part *part, bool calls, struct mon_error *err)
{
	for (; part; part = part->next) {
		size_t hint = 0;

		w->hint = 0;
		for (size_t i = 0; !calls && i < part->nrange; i++)
			if (walk_range(w, &part->range[i], err))
				return -1;
		if (calls && walk_calls(w, part, &hint, err))
			return -1;
	}
	put_in_order(w);
	return 0;
}

int mon_attribute(const struct mon_part *part, const struct mon_object *obj, uint64_t den, struct mon_shares *out,
		  struct mon_error *err)
{
	struct walk w = { .obj = obj, .den = den };
	struct mon_share *ticks;
	size_t nticks;
	int rc;

	for (size_t place = 0; place < MON_NPLACE; place++)
		w.rest[place] = share_none(&w, obj->nsym + place);
	rc = walk_parts(&w, part, false, err);
	ticks = w.share;
	nticks = w.n;
	w.share = NULL;
	w.n = w.room = 0;
	if (rc == 0)
		rc = walk_parts(&w, part, true, err);
	if (rc == 0)
		rc = join(&w, ticks, nticks, out, err);
	free(ticks);
	free(w.share);
	return rc;
}
