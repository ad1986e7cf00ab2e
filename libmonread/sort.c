/* SPDX-License-Identifier: BSD-2-Clause */
/* sort.c -- in-place radix sort of records by a key of 32 or 64 bits: no second copy of large tables, no quadratic case. */
#include "monread_impl.h"

#include <string.h>

enum { DIGIT = 8, RADIX = 1 << DIGIT, SMALL = 32, SIZE_MAX_RECORD = 32 };

struct sort {
	size_t size;	      /* of a record: 16, 24, 32 */
	struct mon_field key; /* 4 or 8 bytes wide */
};

static uint64_t key_of(const struct sort *s, const unsigned char *record)
{
	uint32_t key4;
	uint64_t key8;

	if (s->key.width == sizeof(key4)) {
		memcpy(&key4, record + s->key.offset, sizeof(key4));
		return key4;
	}
	memcpy(&key8, record + s->key.offset, sizeof(key8));
	return key8;
}

static void move(void *to, const void *from, size_t size)
{
	switch (size) { /* constant sizes become a few instructions */
	case 16:
		memcpy(to, from, 16);
		break;
	case 24:
		memcpy(to, from, 24);
		break;
	default:
		memcpy(to, from, 32);
	}
}

/* Sort few records by insertion. */
static void sort_small(const struct sort *s, unsigned char *base, size_t n)
{
	size_t z = s->size;

	for (size_t i = 1; i < n; i++) {
		unsigned char held[SIZE_MAX_RECORD];
		uint64_t key = key_of(s, base + i * z);
		size_t j = i;

		if (key_of(s, base + (i - 1) * z) <= key)
			continue;
		move(held, base + i * z, z);
		for (; j > 0 && key_of(s, base + (j - 1) * z) > key; j--)
			move(base + j * z, base + (j - 1) * z, z);
		move(base + j * z, held, z);
	}
}

/* Put every record into the part of base that the digit of its key names; end[d] becomes the end of part d. */
static void sort_digit(const struct sort *s, unsigned char *base, size_t n, unsigned shift, size_t end[RADIX])
{
	size_t z = s->size, next[RADIX], sum = 0;

	memset(end, 0, RADIX * sizeof(end[0]));
	for (size_t i = 0; i < n; i++)
		end[key_of(s, base + i * z) >> shift & (RADIX - 1)]++;
	for (unsigned d = 0; d < RADIX; d++) {
		next[d] = sum;
		sum += end[d];
		end[d] = sum;
	}
	for (unsigned d = 0; d < RADIX; d++) {
		while (next[d] < end[d]) {
			unsigned char held[SIZE_MAX_RECORD], out[SIZE_MAX_RECORD];
			unsigned to;

			move(held, base + next[d] * z, z);
			while ((to = key_of(s, held) >> shift & (RADIX - 1)) != d) {
				unsigned char *slot = base + next[to]++ * z;

				move(out, slot, z);
				move(slot, held, z);
				move(held, out, z);
			}
			move(base + next[d]++ * z, held, z);
		}
	}
}

/* Sort by the digits from shift down; all bits above are equal. */
static void sort_down(const struct sort *s, unsigned char *base, size_t n, unsigned shift)
{
	size_t end[RADIX], first = 0;

	if (n <= SMALL) {
		sort_small(s, base, n);
		return;
	}
	sort_digit(s, base, n, shift, end);
	if (shift == 0)
		return;
	for (unsigned d = 0; d < RADIX; first = end[d++])
		if (end[d] - first > 1)
			sort_down(s, base + first * s->size, end[d] - first, shift > DIGIT ? shift - DIGIT : 0);
}

/* The bits in which keys differ. */
static uint64_t key_spread(const struct sort *s, const unsigned char *base, size_t n, bool *sorted)
{
	uint64_t first = key_of(s, base), last = first, spread = 0;

	*sorted = true;
	for (size_t i = 1; i < n; i++) {
		uint64_t key = key_of(s, base + i * s->size);

		spread |= key ^ first;
		*sorted &= last <= key;
		last = key;
	}
	return spread;
}

void mon_sort(void *base, size_t n, size_t size, struct mon_field key, void (*group)(void *first, size_t n, void *ctx),
	      void *ctx)
{
	struct sort s = { .size = size, .key = key };
	unsigned char *b = base;
	unsigned shift = 0;
	uint64_t spread;
	bool sorted;

	if (n < 2)
		return;
	spread = key_spread(&s, b, n, &sorted);
	while (shift + DIGIT < 64 && spread >> (shift + DIGIT))
		shift++;
	if (!sorted)
		sort_down(&s, b, n, shift);
	for (size_t i = 0, j; group && i < n; i = j) {
		for (j = i + 1; j < n && key_of(&s, b + j * size) == key_of(&s, b + i * size); j++)
			;
		if (j - i > 1)
			group(b + i * size, j - i, ctx);
	}
}
