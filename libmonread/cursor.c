/* SPDX-License-Identifier: BSD-2-Clause */
/* cursor.c -- numbers of any width and byte order in the bytes of a file. */
#include "monread_impl.h"

#include <string.h>

static bool machine_is(enum mon_order order)
{
	uint16_t one = 1;
	unsigned char first;

	memcpy(&first, &one, 1);
	return (first == 1) == (order != MON_BE);
}

uint64_t mon_get(const unsigned char *b, unsigned width, enum mon_order order)
{
	bool swap = !machine_is(order);
	uint64_t v8;
	uint32_t v4;
	uint16_t v2;

	switch (width) {
	case 8:
		memcpy(&v8, b, sizeof(v8));
		return swap ? __builtin_bswap64(v8) : v8;
	case 4:
		memcpy(&v4, b, sizeof(v4));
		v4 = swap ? __builtin_bswap32(v4) : v4;
		return order == MON_PDP ? v4 << 16 | v4 >> 16 : v4;
	case 2:
		memcpy(&v2, b, sizeof(v2));
		return swap ? __builtin_bswap16(v2) : v2;
	default:
		return *b;
	}
}

void mon_put(unsigned char *b, uint64_t value, unsigned width, enum mon_order order)
{
	for (unsigned i = 0; i < width; i++) { /* i: from the least significant byte */
		unsigned at = order == MON_LE ? i : width - 1 - i;

		if (order == MON_PDP)
			at ^= 1;
		b[at] = (unsigned char)(value >> 8 * i);
	}
}

int mon_cursor_get(struct mon_cursor *c, unsigned width, uint64_t *value, struct mon_error *err)
{
	const unsigned char *b = mon_input_at(c->in, c->off, width, err);

	if (!b)
		return -1;
	*value = mon_get(b, width, c->order);
	c->off += width;
	return 0;
}

void mon_get_words(uint16_t *words, const unsigned char *b, size_t n, enum mon_order order)
{
	memcpy(words, b, n * sizeof(*words));
	if (machine_is(order))
		return;
	for (size_t i = 0; i < n; i++)
		words[i] = (uint16_t)(words[i] << 8 | words[i] >> 8);
}

bool mon_all_zero(const unsigned char *b, size_t len)
{
	for (; len >= 64; b += 64, len -= 64) {
		uint64_t w[8];

		memcpy(w, b, sizeof(w));
		if (w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7])
			return false;
	}
	while (len > 0)
		if (b[--len])
			return false;
	return true;
}
