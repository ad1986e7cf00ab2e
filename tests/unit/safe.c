/* SPDX-License-Identifier: BSD-2-Clause */
/* safe.c -- the sanitiser: what may reach a terminal, what is spelled out instead. */
#include "safe.h"

#include "check.h"

#include <locale.h>
#include <stdlib.h>

static char *written(const char *text, size_t len)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		exit(1);
	safe_write(f, text, len);
	fclose(f);
	return out;
}

static void check_text(const char *text, size_t len, const char *want, int line)
{
	char *got = written(text, len);

	check_string(got, want, __FILE__, line, "what is written");
	free(got);
}

#define TEXT(text, want) check_text(text, sizeof(text) - 1, want, __LINE__)

static void test_ascii(void)
{
	TEXT("", "");
	TEXT("plain text (with) %s %n and \"quotes\" ~", "plain text (with) %s %n and \"quotes\" ~");
	TEXT("\033[2J", "\\x1b[2J");
	TEXT("\033]0;title\007", "\\x1b]0;title\\x07");
	TEXT("a\nb\rc\td\be\177", "a\\x0ab\\x0dc\\x09d\\x08e\\x7f");
	TEXT("nul\0inside", "nul\\x00inside");
}

static void test_not_utf8(void)
{
	TEXT("\x80", "\\x80");
	TEXT("\xc3", "\\xc3");
	TEXT("a\xc3(", "a\\xc3(");
	TEXT("\xc0\x9b", "\\xc0\\x9b"); /* ESC in an overlong form */
	TEXT("\xe0\x80\x9b", "\\xe0\\x80\\x9b");
	TEXT("\xed\xa0\x80", "\\xed\\xa0\\x80");	  /* a surrogate */
	TEXT("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond the last code point */
	TEXT("\xff\xfe", "\\xff\\xfe");
	TEXT("\xe2\x82", "\\xe2\\x82"); /* ends too early */
	TEXT("\x9b"
	     "31m",
	     "\\x9b31m"); /* CSI as a C1 byte */
}

/* Valid text whose code points steer or deceive. */
static void test_code_points(void)
{
	TEXT("\xc2\x80", "\\u{0080}");
	TEXT("\xc2\x9b", "\\u{009B}");	   /* CSI */
	TEXT("\xe2\x80\xae", "\\u{202E}"); /* right-to-left override */
	TEXT("\xe2\x80\xaa", "\\u{202A}");
	TEXT("\xe2\x81\xa6", "\\u{2066}"); /* isolates */
	TEXT("\xe2\x81\xa9", "\\u{2069}");
	TEXT("\xe2\x80\x8f", "\\u{200F}");
	TEXT("\xe2\x80\xa8", "\\u{2028}"); /* line separator */
	TEXT("\xe2\x80\xa9", "\\u{2029}");
	TEXT("\xe2\x80\x8b", "\\u{200B}"); /* zero width */
	TEXT("\xef\xbb\xbf", "\\u{FEFF}");
}

/* Whatever the bytes, what comes out has no control character, and printing it again changes nothing. */
static void test_every_pair(void)
{
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < 256; b++) {
			char text[2] = { (char)a, (char)b };
			char *once = written(text, 2), *twice = written(once, strlen(once));
			bool good = !strcmp(once, twice);

			for (const char *p = once; *p; p++)
				good &= (unsigned char)*p >= 0x20 && *p != 0x7f;
			if (!good)
				CHECK_EQ(a << 8 | b, 0x10000);
			free(once);
			free(twice);
		}
	}
	CHECK(true);
}

static void test_long(void)
{
	size_t len = 1 << 20;
	char *text = malloc(len), *got;

	if (!text)
		exit(1);
	memset(text, 'x', len);
	got = written(text, len);
	CHECK_EQ(strlen(got), len);
	free(got);
	memset(text, '\033', len);
	got = written(text, len);
	CHECK_EQ(strlen(got), 4 * len);
	free(got);
	free(text);
}

static void test_all(void)
{
	test_ascii();
	test_not_utf8();
	test_code_points();
	test_every_pair();
	test_long();
}

int main(void)
{
	/* No locale yet: nothing but ASCII passes. */
	TEXT("gr\xc3\xbc\xc3\x9f", "gr\\u{00FC}\\u{00DF}");
	test_all();
	if (!setlocale(LC_ALL, "C.UTF-8") && !setlocale(LC_ALL, "en_US.UTF-8")) {
		puts("no UTF-8 locale here");
		return check_status() ? 1 : 77;
	}
	safe_begin();
	TEXT("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	TEXT("a\xe2\x80\xae"
	     "b",
	     "a\\u{202E}b");
	test_all();
	return check_status();
}
