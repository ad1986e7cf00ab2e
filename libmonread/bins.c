/* SPDX-License-Identifier: BSD-2-Clause */
/* bins.c -- a large sparse array of counters: pages as wide as they need, none where all is zero.
 *
 * Where a file says of each bin what number it has there may be few among very many, in no page another one: these are
 * kept one by one, so that they never take more memory than in their file.
 */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

/* The counters of a page.  bound is not below any of them, so that most sums need no look at the counters. */
struct page {
	uint64_t bound;
	uint64_t width; /* bytes of a counter: 2, 4, 8 */
	uint64_t data[];
};

/* Pages are cut from chunks; what a page leaves behind when it is widened is given back with the chunk. */
struct chunk {
	struct chunk *next; /* owned */
	uint64_t data[];
};

/* A bin that is kept by itself. */
struct single {
	uint64_t index, count;
};

struct mon_bins {
	uint64_t nbin;
	struct single *single; /* owned; sorted; NULL: there are pages */
	size_t nsingle;
	struct chunk *chunks; /* owned; the newest first */
	size_t used, room;    /* uint64_t of the newest chunk */
	struct page *page[];  /* NULL: all zero */
};

enum { CHUNK = 1 << 20 }; /* most bytes of a chunk, beyond one page */

static uint64_t npage(const struct mon_bins *b)
{
	return (b->nbin + MON_PAGE - 1) / MON_PAGE;
}

/* Counters that a page has room for: whole blocks, so that the loops below have a fixed stride. */
enum { BLOCK = 16 };
static size_t page_bins(const struct mon_bins *b, uint64_t page)
{
	uint64_t rest = b->nbin - page * MON_PAGE;

	return rest >= MON_PAGE ? MON_PAGE : (size_t)((rest + BLOCK - 1) / BLOCK * BLOCK);
}

static uint64_t width_max(uint64_t width)
{
	return width == 2 ? UINT16_MAX : width == 4 ? UINT32_MAX : UINT64_MAX;
}

static uint64_t width_for(uint64_t value)
{
	return value <= UINT16_MAX ? 2 : value <= UINT32_MAX ? 4 : 8;
}

struct mon_bins *mon_bins_new(uint64_t nbin)
{
	uint64_t n = nbin / MON_PAGE + 1;
	struct mon_bins *b;

	if (n > (SIZE_MAX - sizeof(*b)) / sizeof(b->page[0]))
		return NULL;
	b = calloc(1, sizeof(*b) + (size_t)n * sizeof(b->page[0]));
	if (b)
		b->nbin = nbin;
	return b;
}

void mon_bins_free(struct mon_bins *b)
{
	if (!b)
		return;
	for (struct chunk *c = b->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(b->single);
	free(b);
}

/* ---- bins that are kept one by one ------------------------------------------------------------------------------- */

struct mon_bins *mon_bins_new_sparse(uint64_t nbin, size_t room)
{
	struct mon_bins *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->nbin = nbin;
	b->single = calloc(room + 1, sizeof(*b->single));
	if (b->single)
		return b;
	free(b);
	return NULL;
}

static int by_index(const void *a, const void *b)
{
	const struct single *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

static struct mon_list singles(const struct mon_bins *b)
{
	return (struct mon_list){ .item = (unsigned char *)b->single,
				  .n = b->nsingle,
				  .size = sizeof(struct single),
				  .count_at = offsetof(struct single, count),
				  .compare = by_index };
}

void mon_bins_append(struct mon_bins *b, uint64_t index, uint64_t count)
{
	b->single[b->nsingle++] = (struct single){ .index = index, .count = count };
}

void mon_bins_settle(struct mon_bins *b, struct mon_bins_sum *sum)
{
	struct mon_list list = singles(b);

	mon_sort(b->single, b->nsingle, sizeof(*b->single), MON_KEY(struct single, index), NULL, NULL);
	b->nsingle = mon_list_fold(&list, &sum->limit);
	for (size_t i = 0; i < b->nsingle; i++)
		sum->ticks = mon_add_limit(sum->ticks, b->single[i].count, &sum->limit);
}

/* The first one at or after index, sought from where it would be if all were equally far apart. */
static const struct single *single_from(const struct mon_bins *b, uint64_t index)
{
	const struct single *s = b->single;
	size_t n = b->nsingle, low, high, step = 1;

	if (n == 0 || index >= b->nbin)
		return s + n;
	low = high = (size_t)((mon_u128)index * n / b->nbin);
	while (low > 0 && s[low - 1].index >= index) {
		high = low - 1;
		low -= MON_MIN(low, step);
		step *= 2;
	}
	while (high < n && s[high].index < index) {
		low = high + 1;
		high += MON_MIN(n - high, step);
		step *= 2;
	}
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s[mid].index < index)
			low = mid + 1;
		else
			high = mid;
	}
	return s + low;
}

static bool single_next(const struct mon_bins *b, uint64_t *index, uint64_t *count)
{
	const struct single *s = single_from(b, *index), *end = b->single + b->nsingle;

	while (s < end && s->count == 0)
		s++;
	if (s == end)
		return false;
	*index = s->index;
	*count = s->count;
	return true;
}

static int singles_reserve(struct mon_bins *into, const struct mon_bins *from)
{
	struct mon_list a = singles(into), b = singles(from);
	void *wider;
	size_t n;

	if (mon_list_widen(&a, &b, &wider, &n, NULL))
		return -1;
	if (wider) {
		free(into->single);
		into->single = wider;
		into->nsingle = n;
	}
	return 0;
}

/* An uninitialised page; NULL: no memory. */
static struct page *page_alloc(struct mon_bins *b, size_t n, uint64_t width)
{
	size_t need = (sizeof(struct page) + n * (size_t)width) / sizeof(uint64_t);
	struct page *p;

	if (b->room - b->used < need) {
		size_t all = (size_t)MON_MIN(npage(b) * need, (uint64_t)CHUNK / sizeof(uint64_t)) + need;
		struct chunk *c = malloc(sizeof(*c) + all * sizeof(uint64_t));

		if (!c)
			return NULL;
		c->next = b->chunks;
		b->chunks = c;
		b->used = 0;
		b->room = all;
	}
	p = (struct page *)(void *)(b->chunks->data + b->used);
	b->used += need;
	p->bound = 0;
	p->width = width;
	return p;
}

/* ---- loops over the counters of a page --------------------------------------------------------------------------- */

/* d += s, no sum larger than d holds.  d and s may be the same page. */
#define ADD(dw, sw)                                                                                                    \
	static void add_##dw##_##sw(void *to, const void *from, size_t n)                                              \
	{                                                                                                              \
		uint##dw##_t *d = to, sum[BLOCK];                                                                      \
		const uint##sw##_t *s = from;                                                                          \
                                                                                                                       \
		for (size_t i = 0; i < n; i += BLOCK, d += BLOCK, s += BLOCK) {                                        \
			for (unsigned j = 0; j < BLOCK; j++)                                                           \
				sum[j] = (uint##dw##_t)(d[j] + s[j]);                                                  \
			memcpy(d, sum, sizeof(sum));                                                                   \
		}                                                                                                      \
	}
ADD(16, 16)
ADD(32, 16)
ADD(32, 32)
ADD(64, 16)
ADD(64, 32)
ADD(64, 64)
#undef ADD

static uint64_t get(const struct page *p, size_t i)
{
	const void *data = p->data;

	switch (p->width) {
	case 2:
		return ((const uint16_t *)data)[i];
	case 4:
		return ((const uint32_t *)data)[i];
	default:
		return ((const uint64_t *)data)[i];
	}
}

static uint64_t page_max(const struct page *p, size_t n)
{
	uint64_t max = 0;

	for (size_t i = 0; i < n; i++)
		max = MON_MAX(max, get(p, i));
	return max;
}

static void page_add(struct page *to, const struct page *from, size_t n, bool *limit)
{
	uint64_t *wide = to->data;

	if (to->bound > UINT64_MAX - from->bound) { /* only 64-bit pages get there */
		for (size_t i = 0; i < n; i++)
			wide[i] = mon_add_limit(wide[i], get(from, i), limit);
		to->bound = UINT64_MAX;
		return;
	}
	to->bound += from->bound;
	switch (to->width << 4 | from->width) {
	case 0x22:
		add_16_16(to->data, from->data, n);
		break;
	case 0x42:
		add_32_16(to->data, from->data, n);
		break;
	case 0x44:
		add_32_32(to->data, from->data, n);
		break;
	case 0x82:
		add_64_16(to->data, from->data, n);
		break;
	case 0x84:
		add_64_32(to->data, from->data, n);
		break;
	case 0x88:
		add_64_64(to->data, from->data, n);
		break;
	}
}

/* Make the page hold counters up to its bound + more, at least as wide as width. */
static int page_widen(struct mon_bins *b, uint64_t index, uint64_t more, uint64_t width)
{
	struct page *old = b->page[index], *p;
	size_t n = page_bins(b, index);
	bool limit = false;
	uint64_t need;

	if (old && old->width >= width && more <= width_max(old->width) && old->bound <= width_max(old->width) - more)
		return 0;
	if (old)
		old->bound = page_max(old, n);
	need = width_for(mon_add_limit(old ? old->bound : 0, more, &limit));
	need = MON_MAX(need, width);
	if (old && old->width >= need)
		return 0;
	p = page_alloc(b, n, need);
	if (!p)
		return -1;
	memset(p->data, 0, n * need);
	if (old)
		page_add(p, old, n, &limit);
	b->page[index] = p;
	return 0;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* The sum of n words, n a multiple of BLOCK, and all their bits together.  One sum a lane: 512 words of 16 bits fit. */
static void words_sum(const uint16_t *w, size_t n, uint64_t *sum, uint64_t *bits)
{
	uint32_t sums[BLOCK] = { 0 };
	uint16_t ors[BLOCK] = { 0 };

	for (size_t i = 0; i < n; i += BLOCK, w += BLOCK)
		for (unsigned j = 0; j < BLOCK; j++) {
			sums[j] += w[j];
			ors[j] |= w[j];
		}
	*sum = *bits = 0;
	for (unsigned j = 0; j < BLOCK; j++) {
		*sum += sums[j];
		*bits |= ors[j];
	}
}

int mon_bins_add_words(struct mon_bins *b, uint64_t index, const unsigned char *bytes, size_t n, enum mon_order order,
		       struct mon_bins_sum *sum)
{
	uint64_t space[(sizeof(struct page) + MON_PAGE * sizeof(uint16_t)) / sizeof(uint64_t)];
	size_t room = page_bins(b, index);
	struct page *p = (void *)space;
	uint64_t ticks;

	if (mon_all_zero(bytes, n * sizeof(uint16_t)))
		return 0;
	if (!b->page[index])
		p = page_alloc(b, room, 2);
	if (!p)
		return -1;
	p->width = 2;
	mon_get_words((void *)p->data, bytes, n, order);
	memset((uint16_t *)(void *)p->data + n, 0, (room - n) * sizeof(uint16_t));
	words_sum((void *)p->data, room, &ticks, &p->bound); /* no word is above all bits together */
	sum->ticks = mon_add_limit(sum->ticks, ticks, &sum->limit);
	sum->saturated |= p->bound == MON_BIN_MAX && page_max(p, room) == MON_BIN_MAX;
	if (!b->page[index]) {
		b->page[index] = p;
		return 0;
	}
	if (page_widen(b, index, p->bound, 2))
		return -1;
	page_add(b->page[index], p, room, &sum->limit);
	return 0;
}

int mon_bins_add(struct mon_bins *b, uint64_t index, uint64_t count, bool *limit)
{
	struct page *p;
	size_t i = index % MON_PAGE;
	bool high = false;
	void *data;

	if (page_widen(b, index / MON_PAGE, count, 2))
		return -1;
	p = b->page[index / MON_PAGE];
	data = p->data;
	p->bound = mon_add_limit(p->bound, count, &high);
	switch (p->width) {
	case 2:
		((uint16_t *)data)[i] = (uint16_t)(((uint16_t *)data)[i] + count);
		break;
	case 4:
		((uint32_t *)data)[i] += (uint32_t)count;
		break;
	default:
		((uint64_t *)data)[i] = mon_add_limit(((uint64_t *)data)[i], count, limit);
	}
	return 0;
}

int mon_bins_reserve(struct mon_bins *into, const struct mon_bins *from)
{
	if (into->single)
		return singles_reserve(into, from);
	for (uint64_t i = 0; i < npage(from); i++)
		if (from->page[i] && page_widen(into, i, from->page[i]->bound, from->page[i]->width))
			return -1;
	return 0;
}

void mon_bins_merge(struct mon_bins *into, const struct mon_bins *from, bool *limit)
{
	struct mon_list a = singles(into), b = singles(from);

	if (into->single) {
		mon_list_add(&a, &b, limit);
		return;
	}
	for (uint64_t i = 0; i < npage(from); i++)
		if (from->page[i])
			page_add(into->page[i], from->page[i], page_bins(from, i), limit);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

/* The first counter of the page at or after i that is not zero; n if there is none. */
static size_t page_next(const struct page *p, size_t i, size_t n)
{
	size_t lanes = sizeof(uint64_t) / (size_t)p->width;
	const char *bytes = (const char *)p->data;

	for (; i % lanes; i++)
		if (get(p, i))
			return i;
	for (uint64_t word = 0; i < n; i += lanes) {
		memcpy(&word, bytes + i * (size_t)p->width, sizeof(word));
		if (!word)
			continue;
		while (!get(p, i))
			i++;
		return i;
	}
	return n;
}

bool mon_bins_next(const struct mon_bins *b, uint64_t *index, uint64_t *count)
{
	uint64_t at = *index;

	if (b->single)
		return single_next(b, index, count);
	while (at < b->nbin) {
		uint64_t page = at / MON_PAGE;
		const struct page *p = b->page[page];

		if (p) {
			size_t n = page_bins(b, page), i = page_next(p, at % MON_PAGE, n);

			if (i < n) {
				*index = page * MON_PAGE + i;
				*count = get(p, i);
				return true;
			}
		}
		at = (page + 1) * MON_PAGE;
	}
	return false;
}

uint64_t mon_bins_get(const struct mon_bins *b, uint64_t index)
{
	const struct page *p;
	uint64_t count;

	if (index >= b->nbin)
		return 0;
	if (b->single) {
		uint64_t at = index;

		return single_next(b, &at, &count) && at == index ? count : 0;
	}
	p = b->page[index / MON_PAGE];
	return p ? get(p, index % MON_PAGE) : 0;
}

size_t mon_bins_page(const struct mon_bins *b, uint64_t page, uint64_t max, uint64_t counts[MON_PAGE],
		     uint64_t *saturated)
{
	const struct page *p = b->single ? NULL : b->page[page];
	size_t n = (size_t)MON_MIN(b->nbin - page * MON_PAGE, (uint64_t)MON_PAGE);

	for (size_t i = 0; i < n; i++) {
		uint64_t v = p ? get(p, i) : b->single ? mon_bins_get(b, page * MON_PAGE + i) : 0;

		*saturated += v > max;
		counts[i] = MON_MIN(v, max);
	}
	return n;
}
