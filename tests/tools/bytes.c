/* SPDX-License-Identifier: BSD-2-Clause */
/* bytes.c -- a growing array of bytes with numbers in any order. */
#include "bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *grow(struct bytes *b, size_t size)
{
	if (b->size + size > b->room) {
		b->room = (b->size + size) * 2;
		b->data = realloc(b->data, b->room);
		if (!b->data) {
			fputs("no memory for test data\n", stderr);
			exit(1);
		}
	}
	b->size += size;
	return b->data + b->size - size;
}

void bytes_add(struct bytes *b, const void *data, size_t size)
{
	if (size > 0)
		memcpy(grow(b, size), data, size);
}

void bytes_fill(struct bytes *b, unsigned char value, size_t n)
{
	if (n > 0)
		memset(grow(b, n), value, n);
}

/* Which byte of the number, counted from its lowest, stands at place i. */
static unsigned place(unsigned i, unsigned width, enum order order)
{
	switch (order) {
	case ORDER_BE:
		return width - 1 - i;
	case ORDER_PDP:
		return (width - 1 - i) ^ 1;
	case ORDER_LE:
		break;
	}
	return i;
}

static void store(unsigned char *p, uint64_t value, unsigned width, enum order order)
{
	for (unsigned i = 0; i < width; i++)
		p[i] = (unsigned char)(value >> (8 * place(i, width, order)));
}

void bytes_number(struct bytes *b, uint64_t value, unsigned width, enum order order)
{
	store(grow(b, width), value, width, order);
}

void bytes_align(struct bytes *b, size_t unit)
{
	bytes_fill(b, 0, (unit - b->size % unit) % unit);
}

void bytes_poke(struct bytes *b, size_t offset, uint64_t value, unsigned width, enum order order)
{
	if (offset > b->size || width > b->size - offset) {
		fprintf(stderr, "poke at %zu: there are only %zu bytes\n", offset, b->size);
		exit(1);
	}
	store(b->data + offset, value, width, order);
}

uint64_t bytes_peek(const struct bytes *b, size_t offset, unsigned width, enum order order)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width; i++)
		value |= (uint64_t)b->data[offset + i] << (8 * place(i, width, order));
	return value;
}
