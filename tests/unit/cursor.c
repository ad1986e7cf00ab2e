/* SPDX-License-Identifier: BSD-2-Clause */
/* cursor.c -- numbers of every width and order, and that nothing is read past the end. */
#include "bytes.h"
#include "check.h"
#include "monread_impl.h"

#include <stdlib.h>

static const unsigned char digits[8] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

static const struct number {
	unsigned width;
	enum mon_order order;
	uint64_t value; /* of the first bytes of digits */
} numbers[] = {
	{ 1, MON_LE, 0x01 },
	{ 1, MON_BE, 0x01 },
	{ 2, MON_LE, 0x2301 },
	{ 2, MON_BE, 0x0123 },
	{ 2, MON_PDP, 0x2301 },
	{ 4, MON_LE, 0x67452301 },
	{ 4, MON_BE, 0x01234567 },
	{ 4, MON_PDP, 0x23016745 },
	{ 8, MON_LE, 0xefcdab8967452301 },
	{ 8, MON_BE, 0x0123456789abcdef },
};

static void test_numbers(void)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number *n = &numbers[i];
		unsigned char back[8] = { 0 };
		struct mon_field field = { 1, (uint8_t)n->width };
		unsigned char shifted[9];

		memcpy(shifted + 1, digits, 8);
		CHECK_EQ(mon_get(digits, n->width, n->order), n->value);
		CHECK_EQ(mon_get_field(shifted, field, n->order), n->value);
		mon_put(back, n->value, n->width, n->order);
		CHECK(!memcmp(back, digits, n->width));
	}
}

/* A sequence of numbers, then the end: at every length of the file the first number that does not fit fails, nothing else. */
static void test_end(void)
{
	static const unsigned widths[] = { 2, 4, 1, 8, 8 };

	for (size_t len = 0; len <= 23; len++) {
		unsigned char *bytes = malloc(len + !len); /* so that a sanitizer sees every byte too far */
		struct mon_error err = { 0 };
		struct mon_input in;
		struct mon_cursor c = { .in = &in, .order = MON_BE };
		size_t at = 0;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (unsigned char)(i + 1);
		CHECK(mon_input_memory(&in, bytes, len, &err) == 0);
		for (size_t i = 0; i < 5; i++) {
			uint64_t value = 77;
			bool fits = at + widths[i] <= len;

			CHECK_EQ(mon_cursor_get(&c, widths[i], &value, &err), fits ? 0 : -1);
			if (!fits) {
				CHECK_EQ(err.code, MON_E_TRUNCATED);
				CHECK_EQ(value, 77);
				CHECK_EQ(c.off, at);
				break;
			}
			CHECK_EQ(value & 0xff, at + widths[i]); /* its last byte */
			at += widths[i];
		}
		mon_input_close(&in);
		free(bytes);
	}
}

/* Places that no file has: the sum of offset and length must not wrap. */
static void test_far(void)
{
	static const uint64_t far[] = { 9, UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 63, UINT64_C(1) << 32 };

	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		struct mon_error err = { 0 };
		struct mon_input in;

		CHECK(mon_input_memory(&in, digits, 8, &err) == 0);
		CHECK(!mon_input_at(&in, far[i], 8, &err));
		CHECK_EQ(err.code, MON_E_TRUNCATED);
		mon_input_close(&in);
	}
}

static void test_words(void)
{
	uint16_t words[4];

	mon_get_words(words, digits, 4, MON_LE);
	CHECK_EQ(words[0], 0x2301);
	CHECK_EQ(words[3], 0xefcd);
	mon_get_words(words, digits, 4, MON_BE);
	CHECK_EQ(words[0], 0x0123);
	CHECK_EQ(words[3], 0xcdef);
	mon_get_words(words, digits, 4, MON_PDP);
	CHECK_EQ(words[0], 0x2301);
}

static void test_zero(void)
{
	unsigned char bytes[300] = { 0 };

	for (size_t len = 0; len < 300; len++) {
		CHECK(mon_all_zero(bytes, len));
		bytes[len] = 1;
		CHECK(mon_all_zero(bytes, len));
		CHECK(!mon_all_zero(bytes, len + 1));
		bytes[len] = 0;
	}
}

int main(void)
{
	test_numbers();
	test_end();
	test_far();
	test_words();
	test_zero();
	return check_status();
}
