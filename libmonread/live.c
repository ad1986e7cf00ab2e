/* SPDX-License-Identifier: BSD-2-Clause */
/* live.c -- the counts of a live file: calls by function id, a table a thread, and bins in pages from a pool.
 *
 * The process may be at work in the file.  Whatever points to something is read before the list of sections is read for
 * the second time, and what it points to is looked up in that: so it is always found.  Nothing is kept a thread.
 */
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum {
	CHUNK = 64 << 10, /* bytes looked at together */
	ENTRIES = CHUNK / sizeof(uint32_t),
	COUNTS = CHUNK / sizeof(uint64_t),
	POOL_PAGE = MONFMT_PAGE_BINS * sizeof(uint64_t), /* bytes */
};

/* A page of bins in use.  Its number is where it is, module and page are whose it is. */
struct use {
	uint64_t number;
	uint32_t module, page;
	uint32_t used; /* a bit a bin that is not zero */
	uint32_t reserved;
};

struct pool {
	uint64_t first, npage; /* numbers of its pages */
	uint64_t offset;
};

struct live {
	struct mon_native *n;
	uint64_t *count; /* owned; calls by function id */
	size_t ncount;
	uint32_t *entry; /* owned; the directories of all objects, as they stand in the file */
	struct dir {
		uint32_t module;
		size_t first, nentry;
	} * dir; /* owned */
	size_t ndir;
	struct pool *pool; /* owned; by number */
	size_t npool;
	uint64_t npage;	 /* of all pools */
	struct use *use; /* owned */
	size_t nuse;
};

/* ---- what points to something ------------------------------------------------------------------------------------ */

static int sum_counts(struct live *l, const struct mon_native_section *s, struct mon_error *err)
{
	size_t n;

	for (size_t id = 0; id < s->size / sizeof(uint64_t); id += n) {
		const unsigned char *b;

		n = (size_t)MON_MIN(s->size / sizeof(uint64_t) - id, (uint64_t)COUNTS);
		b = mon_input_at(l->n->in, s->offset + id * sizeof(uint64_t), n * sizeof(uint64_t), err);
		if (!b)
			return -1;
		if (mon_all_zero(b, n * sizeof(uint64_t)))
			continue;
		for (size_t i = 0; i < n; i++)
			l->count[id + i] = mon_add_limit(
			    l->count[id + i], mon_get(b + i * sizeof(uint64_t), sizeof(uint64_t), l->n->order),
			    &l->n->sum.limit);
	}
	return 0;
}

static int load_counts(struct live *l, struct mon_error *err)
{
	const struct mon_native_section *s = NULL;

	while ((s = mon_native_next(l->n, MONFMT_COUNT, s)))
		l->ncount = MON_MAX(l->ncount, (size_t)(s->size / sizeof(uint64_t)));
	l->count = calloc(l->ncount + 1, sizeof(*l->count));
	if (!l->count)
		return mon_error_nomem(err);
	while ((s = mon_native_next(l->n, MONFMT_COUNT, s)))
		if (sum_counts(l, s, err))
			return -1;
	return 0;
}

static int load_directory(struct live *l, const struct mon_native_section *s, struct mon_error *err)
{
	struct dir *d = &l->dir[l->ndir];
	size_t n;

	*d = (struct dir){ .module = s->of, .nentry = (size_t)(s->size / sizeof(uint32_t)) };
	if (l->ndir > 0)
		d->first = d[-1].first + d[-1].nentry;
	l->ndir++;
	for (size_t at = 0; at < d->nentry; at += n) {
		const unsigned char *b;

		n = MON_MIN(d->nentry - at, (size_t)ENTRIES);
		b = mon_input_at(l->n->in, s->offset + at * sizeof(uint32_t), n * sizeof(uint32_t), err);
		if (!b)
			return -1;
		for (size_t i = 0; i < n; i++)
			l->entry[d->first + at + i] =
			    (uint32_t)mon_get(b + i * sizeof(uint32_t), sizeof(uint32_t), l->n->order);
	}
	return 0;
}

static int load_directories(struct live *l, struct mon_error *err)
{
	const struct mon_native_section *s = NULL;
	size_t ndir = 0;

	while ((s = mon_native_next(l->n, MONFMT_PAGES, s)))
		ndir++;
	l->entry = malloc((size_t)mon_native_total(l->n, MONFMT_PAGES) + 1);
	l->dir = calloc(ndir + 1, sizeof(*l->dir));
	if (!l->entry || !l->dir)
		return mon_error_nomem(err);
	while ((s = mon_native_next(l->n, MONFMT_PAGES, s)))
		if (load_directory(l, s, err))
			return -1;
	return 0;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void take_call(struct mon_profile *p, uint32_t module, uint64_t pc, uint64_t count)
{
	p->call[p->ncall++] = (struct mon_call){ .module = module, .pc = pc, .count = count };
}

/* The count of the function with this id becomes a call. */
static int take_function(struct live *l, uint64_t id, const unsigned char *b, uint64_t at, struct mon_error *err)
{
	struct mon_profile *p = l->n->p;
	uint64_t object = MON_MEMBER(b, l->n->order, monfmt_function, object);
	uint64_t offset = MON_MEMBER(b, l->n->order, monfmt_function, offset);

	if (object < p->nmodule && offset <= UINT64_MAX - p->module[object].low)
		take_call(p, (uint32_t)object, p->module[object].low + offset, l->count[id]);
	else if (object == MONFMT_NO_OBJECT || l->n->flags & MONFMT_F_PRIVATE) /* nobody knows, or the file does not */
		take_call(p, MON_NO_MODULE, 0, l->count[id]);
	else
		return mon_error_set(err, MON_E_FORMAT, 0, at, "a function of object %llu, and it has %zu objects",
				     (ull)object, p->nmodule);
	l->count[id] = 0;
	return 0;
}

static int load_functions(struct live *l, const struct mon_native_section *s, struct mon_error *err)
{
	const size_t each = sizeof(struct monfmt_function);

	for (uint64_t i = 0; i < s->size / each && s->of + i < l->ncount; i++) {
		const unsigned char *b;

		if (l->count[s->of + i] == 0)
			continue;
		b = mon_input_at(l->n->in, s->offset + i * each, each, err);
		if (!b || take_function(l, s->of + i, b, s->offset + i * each, err))
			return -1;
	}
	return 0;
}

static int make_calls(struct live *l, struct mon_error *err)
{
	const struct mon_native_section *s = NULL;
	size_t n = 0;

	for (size_t id = 0; id < l->ncount; id++)
		n += l->count[id] > 0;
	l->n->p->call = calloc(n + 1, sizeof(*l->n->p->call));
	if (!l->n->p->call)
		return mon_error_nomem(err);
	while ((s = mon_native_next(l->n, MONFMT_FUNCTION, s)))
		if (load_functions(l, s, err))
			return -1;
	for (size_t id = 0; id < l->ncount; id++) /* what is left: their functions are not in the file */
		if (l->count[id] > 0)
			take_call(l->n->p, MON_NO_MODULE, 0, l->count[id]);
	free(l->count);
	l->count = NULL;
	return 0;
}

/* ---- bins -------------------------------------------------------------------------------------------------------- */

static int load_pools(struct live *l, struct mon_error *err)
{
	const struct mon_native_section *s = NULL;
	size_t n = 0;

	while ((s = mon_native_next(l->n, MONFMT_POOL, s)))
		n++;
	l->pool = calloc(n + 1, sizeof(*l->pool));
	if (!l->pool)
		return mon_error_nomem(err);
	while ((s = mon_native_next(l->n, MONFMT_POOL, s))) {
		l->pool[l->npool++] =
		    (struct pool){ .first = s->of, .npage = s->size / POOL_PAGE, .offset = s->offset };
		l->npage += s->size / POOL_PAGE;
	}
	mon_sort(l->pool, n, sizeof(*l->pool), MON_KEY(struct pool, first), NULL, NULL);
	for (size_t i = 1; i < n; i++)
		if (l->pool[i].first - l->pool[i - 1].first < l->pool[i - 1].npage)
			return mon_error_set(err, MON_E_FORMAT, 0, l->pool[i].offset,
					     "two pools have the page number %llu", (ull)l->pool[i].first);
	return 0;
}

/* The pool with the page of this number, or NULL. */
static const struct pool *find_pool(const struct live *l, uint64_t number)
{
	size_t low = 0, high = l->npool;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->pool[mid].first <= number)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && number - l->pool[low - 1].first < l->pool[low - 1].npage ? &l->pool[low - 1] : NULL;
}

/* An entry of a directory: the page it names is to be looked at, if the file has it. */
static int take_entry(struct live *l, const struct dir *d, size_t page, struct mon_error *err)
{
	const struct mon_profile *p = l->n->p;
	uint32_t number = l->entry[d->first + page];

	if (number == 0)
		return 0;
	if (d->module >= p->nmodule || (uint64_t)page * MONFMT_PAGE_BINS >= mon_native_nbin(&p->module[d->module]))
		return mon_error_set(err, MON_E_FORMAT, 0, MON_NO_OFFSET,
				     "bins for page %zu of object %lu, which has no such text", page,
				     (unsigned long)d->module);
	if (!find_pool(l, number)) {
		if (l->n->cut || l->n->flags & MONFMT_F_PRIVATE)
			return 0;
		return mon_error_set(err, MON_E_FORMAT, 0, MON_NO_OFFSET,
				     "page %zu of object %lu has its bins in page %lu of the pool, which is not there",
				     page, (unsigned long)d->module, (unsigned long)number);
	}
	if (l->nuse == l->npage)
		return mon_error_set(err, MON_E_FORMAT, 0, MON_NO_OFFSET,
				     "more pages of text have bins than there are pages of bins");
	l->use[l->nuse++] = (struct use){ .number = number, .module = d->module, .page = (uint32_t)page };
	return 0;
}

static int list_uses(struct live *l, struct mon_error *err)
{
	l->use = calloc((size_t)l->npage + 1, sizeof(*l->use));
	if (!l->use)
		return mon_error_nomem(err);
	for (const struct dir *d = l->dir; d < l->dir + l->ndir; d++)
		for (size_t page = 0; page < d->nentry; page++)
			if (take_entry(l, d, page, err))
				return -1;
	mon_sort(l->use, l->nuse, sizeof(*l->use), MON_KEY(struct use, number), NULL, NULL);
	for (size_t i = 1; i < l->nuse; i++)
		if (l->use[i].number == l->use[i - 1].number)
			return mon_error_set(err, MON_E_FORMAT, 0, MON_NO_OFFSET,
					     "page %llu of the pool has the bins of two pages of text",
					     (ull)l->use[i].number);
	return 0;
}

static const unsigned char *page_bytes(struct live *l, const struct use *u, struct mon_error *err)
{
	const struct pool *pool = find_pool(l, u->number);

	return mon_input_at(l->n->in, pool->offset + (u->number - pool->first) * POOL_PAGE, POOL_PAGE, err);
}

static uint64_t bin_of(const struct live *l, const unsigned char *page, unsigned bin)
{
	return mon_get(page + bin * sizeof(uint64_t), sizeof(uint64_t), l->n->order);
}

/* See which bins are not zero, and make room for these. */
static int count_bins(struct live *l, struct mon_error *err)
{
	size_t *room = calloc(l->n->p->nmodule + 1, sizeof(*room));
	int rc = room ? 0 : mon_error_nomem(err);

	for (struct use *u = l->use; rc == 0 && u < l->use + l->nuse; u++) {
		const unsigned char *b = page_bytes(l, u, err);

		if (!b)
			rc = -1;
		for (unsigned i = 0; b && i < MONFMT_PAGE_BINS; i++)
			u->used |= (uint32_t)(bin_of(l, b, i) != 0) << i;
		room[u->module] += (size_t)__builtin_popcount(u->used);
	}
	for (size_t i = 0; rc == 0 && i < l->n->p->nmodule; i++) {
		if (room[i] == 0)
			continue;
		l->n->bins[i] = mon_bins_new_sparse(mon_native_nbin(&l->n->p->module[i]), room[i]);
		rc = l->n->bins[i] ? 0 : mon_error_nomem(err);
	}
	free(room);
	return rc;
}

/* Take those bins; others that are not zero by now came too late. */
static int take_bins(struct live *l, struct mon_error *err)
{
	for (const struct use *u = l->use; u < l->use + l->nuse; u++) {
		const unsigned char *b = page_bytes(l, u, err);
		uint64_t first = (uint64_t)u->page * MONFMT_PAGE_BINS, nbin;

		if (!b)
			return -1;
		nbin = mon_native_nbin(&l->n->p->module[u->module]);
		for (unsigned i = 0; i < MONFMT_PAGE_BINS; i++) {
			if (!(u->used >> i & 1))
				continue;
			if (first + i >= nbin)
				return mon_error_set(err, MON_E_FORMAT, 0, MON_NO_OFFSET,
						     "bin %llu of object %lu, whose text has room for %llu",
						     (ull)(first + i), (unsigned long)u->module, (ull)nbin);
			mon_bins_append(l->n->bins[u->module], first + i, bin_of(l, b, i));
		}
	}
	return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int load(struct live *l, struct mon_error *err)
{
	struct mon_native *n = l->n;

	if (load_counts(l, err) || load_directories(l, err))
		return -1;
	if (n->state == MONFMT_LIVE && (mon_input_refresh(n->in, err) || mon_native_index(n, err)))
		return -1;
	if (mon_native_describe(n, err) || make_calls(l, err) || load_pools(l, err) || list_uses(l, err) ||
	    count_bins(l, err))
		return -1;
	return take_bins(l, err);
}

int mon_live_load(struct mon_native *n, struct mon_error *err)
{
	struct live l = { .n = n };
	int rc = load(&l, err);

	free(l.count);
	free(l.entry);
	free(l.dir);
	free(l.pool);
	free(l.use);
	return rc;
}
