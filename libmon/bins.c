/* SPDX-License-Identifier: BSD-2-Clause */
/* bins.c -- ticks in the live file: per object a directory of pages of text, and bins in pages taken from a pool at the
 * first tick, so that the file grows with the code that runs and not with the code there is.
 *
 * Runs in the tick handler: a page is claimed with one atomic addition and put into the directory with one exchange.
 */
#include "mon_impl.h"

#define FIRST_POOL   256 /* pages */
#define LARGEST_POOL 4096
#define MOST_POOLS   64

static struct pool {
	uint32_t first, n; /* numbers of its pages */
	uint64_t *bin;
} pool[MOST_POOLS];
static uint32_t npool;
static uint32_t next_page;

extern const char mon_mcount_begin[], mon_mcount_end[]; /* mcount.S */

static uint64_t *page_bins(uint32_t number)
{
	for (uint32_t i = __atomic_load_n(&npool, __ATOMIC_ACQUIRE); i-- > 0;)
		if (number - pool[i].first < pool[i].n)
			return pool[i].bin + (uint64_t)(number - pool[i].first) * MONFMT_PAGE_BINS;
	return NULL;
}

/* Wants the lock. */
static bool add_pool(void)
{
	const struct pool *last = npool ? &pool[npool - 1] : NULL;
	struct pool p = { last ? last->first + last->n : 1, FIRST_POOL, NULL };
	if (npool == MOST_POOLS)
		return false;
	if (last)
		p.n = last->n < LARGEST_POOL ? last->n * 2 : LARGEST_POOL;
	p.bin = mon_live_section(MONFMT_POOL, p.first, (uint64_t)p.n * MONFMT_PAGE_BINS * sizeof *p.bin);
	if (!p.bin)
		return false;
	pool[npool] = p;
	__atomic_store_n(&npool, npool + 1, __ATOMIC_RELEASE);
	return true;
}

bool mon_bins_open(void)
{
	npool = 0;
	next_page = 1;
	return add_pool();
}

/* The page of bins behind a directory entry that is still 0; NULL when there is none to be had. */
static uint64_t *claim(uint32_t *entry)
{
	uint32_t none = 0, number = __atomic_fetch_add(&next_page, 1, __ATOMIC_RELAXED);
	uint64_t *bins = page_bins(number);
	bool entered;
	if (!bins && mon_try_enter(&entered)) {
		if (add_pool())
			bins = page_bins(number);
		mon_try_leave(entered);
	}
	if (!bins)
		return NULL;
	if (__atomic_compare_exchange_n(entry, &none, number, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return bins;
	return page_bins(none); /* another thread was first; our page stays empty */
}

static bool add_to_object(const struct mon_object *o, uintptr_t pc, uint64_t ticks)
{
	uint64_t offset = pc - o->low;
	uint32_t *entry = &o->page[offset / MONFMT_PAGE_TEXT];
	uint32_t number = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
	uint64_t *bins = number ? page_bins(number) : claim(entry);
	if (bins)
		__atomic_fetch_add(&bins[offset % MONFMT_PAGE_TEXT / MONFMT_BIN_TEXT], ticks, __ATOMIC_RELAXED);
	return bins != NULL;
}

static struct mon_object *object_of(uintptr_t pc)
{
	struct mon_object *o = mon_object_known(pc);
	bool entered;
	if (!o && mon_try_enter(&entered)) {
		o = mon_object_learn(pc);
		mon_try_leave(entered);
	}
	return o;
}

void mon_bins_tick(uintptr_t pc, uint64_t ticks)
{
	struct monfmt_clock *c = mon_clock;
	uint64_t *other = NULL;
	if (pc - (uintptr_t)mon_mcount_begin < (uintptr_t)(mon_mcount_end - mon_mcount_begin)) {
		other = &c->mcount;
	} else if (pc - mon_vdso_low < mon_vdso_high - mon_vdso_low) {
		other = &c->vdso;
	} else {
		const struct mon_object *o = object_of(pc);
		if (!o)
			other = &c->outside;
		else if (!add_to_object(o, pc, ticks))
			other = &c->lost;
	}
	if (other)
		__atomic_fetch_add(other, ticks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->ticks, ticks, __ATOMIC_RELAXED);
}

bool mon_bins_next(const struct mon_object *o, uint64_t *bin, uint64_t *count)
{
	const uint64_t text = o->record->high - o->record->low, nbin = (text + MONFMT_BIN_TEXT - 1) / MONFMT_BIN_TEXT;
	while (*bin < nbin) {
		const uint64_t *bins = page_bins(o->page[*bin / MONFMT_PAGE_BINS]);
		if (!bins) {
			*bin = (*bin / MONFMT_PAGE_BINS + 1) * MONFMT_PAGE_BINS;
			continue;
		}
		*count = bins[(*bin)++ % MONFMT_PAGE_BINS];
		if (*count)
			return true;
	}
	return false;
}
