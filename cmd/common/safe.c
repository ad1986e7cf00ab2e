/* SPDX-License-Identifier: BSD-2-Clause */
/* safe.c -- the one sanitiser of text on every way out. */
#include "safe.h"

#include <langinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool utf8;

/* Code points that are invisible, end lines or change the direction of text. */
static const struct span {
	uint32_t first, last;
} unsafe[] = {
	{ 0x0080, 0x009f },   /* C1 controls */
	{ 0x00ad, 0x00ad },   /* soft hyphen */
	{ 0x061c, 0x061c },   /* Arabic letter mark */
	{ 0x180e, 0x180e },   /* Mongolian vowel separator */
	{ 0x200b, 0x200f },   /* zero width, direction marks */
	{ 0x2028, 0x202e },   /* line and paragraph ends, embeddings and overrides */
	{ 0x2060, 0x206f },   /* joiners, isolates, deprecated format controls */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xfff9, 0xfffb },   /* interlinear annotation */
	{ 0xe0000, 0xe007f }, /* tags */
};

void safe_begin(void)
{
	utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* The bytes of the valid UTF-8 sequence at text, its value in *point; 0 when there is none. */
static size_t decode(const unsigned char *text, size_t len, uint32_t *point)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least; /* a smaller value has a shorter form */
	} form[] = { { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
	size_t n = 0;

	while (n < 4 && (text[0] & form[n].mask) != form[n].lead)
		n++;
	if (n == 4 || n >= len)
		return 0;
	*point = text[0] & (unsigned char)~form[n].mask;
	for (size_t i = 1; i <= n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (text[i] & 0x3f);
	}
	if (*point < form[n].least || *point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff))
		return 0;
	return n + 1;
}

static bool is_safe(uint32_t point)
{
	if (point < 0x80)
		return point >= 0x20 && point != 0x7f;
	if (!utf8)
		return false;
	for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
		if (point >= unsafe[i].first && point <= unsafe[i].last)
			return false;
	return true;
}

void safe_write(FILE *out, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + len, *clean = p;

	while (p < end) {
		uint32_t point = 0;
		size_t n = decode(p, (size_t)(end - p), &point);

		if (n > 0 && is_safe(point)) {
			p += n;
			continue;
		}
		fwrite(clean, 1, (size_t)(p - clean), out);
		if (n > 1)
			fprintf(out, "\\u{%04X}", (unsigned)point);
		else
			fprintf(out, "\\x%02x", *p);
		p += n > 0 ? n : 1;
		clean = p;
	}
	fwrite(clean, 1, (size_t)(p - clean), out);
}

void safe_puts(FILE *out, const char *text)
{
	safe_write(out, text, strlen(text));
}
