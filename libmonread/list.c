/* SPDX-License-Identifier: BSD-2-Clause */
/* list.c -- sorted lists of counts: records with a key, one a key, and a count; their sum in two steps.
 *
 * Widening needs memory and can fail; adding afterwards cannot.
 */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

/* How many records of b have no partner in a. */
static size_t count_new(const struct mon_list *a, const struct mon_list *b)
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

/* The records of a and b in order; of partners only that of a. */
static void interleave(const struct mon_list *a, const struct mon_list *b, unsigned char *out)
{
	size_t i = 0, k = 0, size = a->size;

	while (i < a->n || k < b->n) {
		int order = i == a->n ? 1 : k == b->n ? -1 : a->compare(a->item + i * size, b->item + k * size);

		if (order == 0) {
			k++;
			continue;
		}
		memcpy(out, order < 0 ? a->item + i++ * size : b->item + k++ * size, size);
		out += size;
	}
}

int mon_list_widen(const struct mon_list *a, const struct mon_list *b, void **out, size_t *n, struct mon_error *err)
{
	size_t fresh = count_new(a, b), i = 0;
	static const uint64_t zero = 0;
	struct mon_list all = *a;

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

static void add_count(const struct mon_list *l, void *to, const void *from, bool *limit)
{
	uint64_t a, b;

	memcpy(&a, (char *)to + l->count_at, sizeof(a));
	memcpy(&b, (const char *)from + l->count_at, sizeof(b));
	a = mon_add_limit(a, b, limit);
	memcpy((char *)to + l->count_at, &a, sizeof(a));
}

void mon_list_add(const struct mon_list *a, const struct mon_list *b, bool *limit)
{
	size_t i = 0;

	for (size_t k = 0; k < b->n; k++, i++) {
		while (a->compare(a->item + i * a->size, b->item + k * b->size))
			i++;
		add_count(a, a->item + i * a->size, b->item + k * b->size, limit);
	}
}

size_t mon_list_fold(const struct mon_list *l, bool *limit)
{
	unsigned char *last = NULL, *next = l->item;

	for (size_t i = 0; i < l->n; i++) {
		unsigned char *item = l->item + i * l->size;

		if (last && l->compare(last, item) == 0) {
			add_count(l, last, item, limit);
			continue;
		}
		if (next != item)
			memcpy(next, item, l->size);
		last = next;
		next += l->size;
	}
	return l->n ? (size_t)(next - l->item) / l->size : 0;
}
