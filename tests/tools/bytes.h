/* SPDX-License-Identifier: BSD-2-Clause */
/* bytes.h -- a growing array of bytes with numbers in any order, for the generators of test data. */
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>

enum order { ORDER_LE, ORDER_BE, ORDER_PDP }; /* PDP: 16-bit little-endian words, the high word first */

struct bytes {
	unsigned char *data; /* owned; free(data) */
	size_t size, room;
};

/* All of these end the program when memory runs out: test data is small. */
void bytes_add(struct bytes *b, const void *data, size_t size);
void bytes_fill(struct bytes *b, unsigned char value, size_t n);
void bytes_number(struct bytes *b, uint64_t value, unsigned width, enum order order);
void bytes_align(struct bytes *b, size_t unit);

/* Overwrite width bytes at offset, which must exist; read them. */
void bytes_poke(struct bytes *b, size_t offset, uint64_t value, unsigned width, enum order order);
uint64_t bytes_peek(const struct bytes *b, size_t offset, unsigned width, enum order order);

#endif
