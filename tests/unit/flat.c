/* SPDX-License-Identifier: BSD-2-Clause */
/* flat.c -- the classic variants: every field from its place, in its order, and what is refused. */
#include "check.h"
#include "sample.h"

/* All classic variants can say this: 25/12 bytes a bin, a cell twice, one empty, one outside, room left, an odd tail. */
static const char common[] = "hist 0x1000 0x1064 48\n"
			     "bins 1 0 515 65535\n"
			     "bin 47 9\n"
			     "cell 0x1040 4294967295\n" /* counts of 2^31 and more are no negative numbers */
			     "cell 0x1010 7\n"
			     "hole 1\n"
			     "cell 0x1010 5\n"
			     "cell 0x9000 66\n"
			     "cells 8\n"
			     "raw 0x7f\n";

static void check_common(const struct mon_profile *p, const char *variant)
{
	static const uint64_t want[][2] = { { 0, 1 }, { 2, 515 }, { 3, 65535 }, { 47, 9 } };
	uint64_t index = 0, count = 0;

	CHECK_STR(p->variant->name, variant);
	CHECK_EQ(p->hz, p->variant->hz);
	CHECK_EQ(p->hz_source, MON_HZ_FAMILY);
	CHECK_EQ(p->nrange, 1);
	CHECK_EQ(p->range[0].low, 0x1000);
	CHECK_EQ(p->range[0].high, 0x1064);
	CHECK_EQ(p->range[0].nbin, 48);
	CHECK_EQ(p->range[0].width_num, 25); /* 100 / 48 in lowest terms */
	CHECK_EQ(p->range[0].width_den, 12);
	for (size_t i = 0; i < 4; i++, index++) {
		CHECK(mon_bins_next(p->range[0].bins, &index, &count));
		CHECK_EQ(index, want[i][0]);
		CHECK_EQ(count, want[i][1]);
	}
	CHECK(!mon_bins_next(p->range[0].bins, &index, &count));
	CHECK_EQ(p->ticks, 1 + 515 + 65535 + 9);
	CHECK_EQ(p->ncall, 2);
	CHECK_EQ(p->call[0].pc, 0x1010);
	CHECK_EQ(p->call[0].count, 12);
	CHECK_EQ(p->call[1].pc, 0x1040);
	CHECK_EQ(p->call[1].count, 4294967295);
	CHECK_EQ(p->calls, 4294967307);
	CHECK_EQ(p->narc, 0);
	CHECK_EQ(p->cells_reserved, 8);
	CHECK_EQ(p->cells_ignored, 1);
	CHECK_EQ(p->flags, MON_F_SATURATED | MON_F_ODD_TAIL | MON_F_GARBAGE_CELLS);
}

static const char *const classic[] = { "a16-pdp", "a32-le", "a32-be", "a64-le", "a64-be", "a64i-be" };
enum { NCLASSIC = sizeof(classic) / sizeof(classic[0]) };

static void test_fields(void)
{
	char text[1024];

	for (size_t i = 0; i < NCLASSIC; i++) {
		struct mon_profile *p;

		snprintf(text, sizeof(text), "variant %s\n%s", classic[i], common);
		p = sample_profile(text, classic[i]);
		check_common(p, classic[i]);
		mon_profile_free(p);
	}
}

/* What a 64-bit file can say and the others cannot. */
static void test_wide(void)
{
	struct mon_profile *p = sample_profile("variant a64-be\nhist 0xffffffff00000000 0xffffffff00001000 512\n"
					       "bin 511 3\ncell 0xffffffff00000ffe 0xfffffffffffffff0\n",
					       "a64-be");

	CHECK_EQ(p->range[0].low, 0xffffffff00000000);
	CHECK_EQ(p->range[0].high, 0xffffffff00001000);
	CHECK_EQ(p->range[0].width_num, 8);
	CHECK_EQ(p->range[0].width_den, 1);
	CHECK_EQ(p->ncall, 1);
	CHECK_EQ(p->call[0].count, 0xfffffffffffffff0);
	mon_profile_free(p);
}

/* A sum of counts that no number holds stops at the largest and says so. */
static void test_count_limit(void)
{
	struct mon_profile *p = sample_profile("variant a64-le\nhist 0x1000 0x1100 32\nbin 0 1\n"
					       "cell 0x1010 0xfffffffffffffff0\ncell 0x1010 0x20\n",
					       "a64-le");

	CHECK_EQ(p->ncall, 1);
	CHECK_EQ(p->call[0].count, UINT64_MAX);
	CHECK_EQ(p->calls, UINT64_MAX);
	CHECK(p->flags & MON_F_COUNT_LIMIT);
	mon_profile_free(p);
}

/* An int nfns leaves four bytes of padding that may hold anything. */
static void test_padding(void)
{
	struct mon_profile *p = sample_profile("variant a64i-be\nhist 0x1000 0x1100 32\nbin 4 3\ncell 0x1010 7\n"
					       "poke 20 0xde 0xad 0xbe 0xef\n",
					       "a64i-be");

	CHECK_EQ(p->cells_reserved, 1);
	CHECK_EQ(p->ncall, 1);
	CHECK_EQ(p->ticks, 3);
	mon_profile_free(p);
}

/* A realistic file of each variant is recognised from its bytes alone. */
static void test_guess(void)
{
	for (size_t i = 0; i < NCLASSIC; i++) {
		struct bytes b = { 0 };
		char line[64];
		struct mon_profile *p;

		snprintf(line, sizeof(line), "variant %s\nhist 0x2000 0x8000 3072\ncells 600\n", classic[i]);
		bytes_add(&b, line, strlen(line));
		for (unsigned n = 0; n < 40; n++) {
			snprintf(line, sizeof(line), "cell %u %u\nbin %u %u\n", 0x2008 + n * 540, 1 + n * n * 3,
				 n * 61 + 7, 1 + n % 9);
			bytes_add(&b, line, strlen(line));
		}
		bytes_fill(&b, 0, 1);
		p = sample_profile((const char *)b.data, NULL);
		CHECK_STR(p->variant->name, classic[i]);
		CHECK_EQ(p->ncall, 40);
		CHECK_EQ(p->cells_reserved, 600);
		mon_profile_free(p);
		free(b.data);
	}
}

/* The same bytes in both orders: nothing decides, so nothing is guessed, and -F does decide. */
static void test_ambiguous(void)
{
	static const char text[] = "variant a32-le\nhist 0x00010100 0x00020200 8192\nbin 3 0x201 40\n";
	struct mon_error err = { 0 };
	struct mon_profile *p = sample_decode(text, NULL, &err);

	CHECK(!p);
	CHECK_EQ(err.code, MON_E_AMBIGUOUS);
	CHECK_HAS(err.text, "a32-le");
	CHECK_HAS(err.text, "a32-be");
	mon_profile_free(p);
	p = sample_profile(text, "a32-le");
	CHECK_EQ(p->ticks, 40 * 0x201);
	mon_profile_free(p);
	p = sample_profile(text, "a32-be");
	CHECK_EQ(p->ticks, 40 * 0x102);
	mon_profile_free(p);
}

/* A file that keeps the rules of one layout only, but does nothing that its writers do, is not believed either. */
static void test_weak(void)
{
	static const char text[] = "variant a32-le\nhist 0x1001 0x2002 777\nbin 700 3\nraw 0\n";
	struct mon_error err = { 0 };
	struct mon_profile *p = sample_decode(text, NULL, &err);

	CHECK(!p);
	CHECK_EQ(err.code, MON_E_UNKNOWN);
	CHECK_HAS(err.text, "a32-le");
	mon_profile_free(p);
	p = sample_profile(text, "a32-le");
	CHECK_EQ(p->range[0].nbin, 777);
	mon_profile_free(p);
}

static void refuse(const char *text, const char *variant, enum mon_errcode code, enum mon_errcode or_code,
		   uint64_t offset)
{
	struct mon_error err = { 0 };
	struct mon_profile *p = sample_decode(text, variant, &err);

	if (!CHECK(!p && (err.code == code || err.code == or_code)))
		printf("\t%s: %s\n\tfor:\n%s", p ? "accepted" : mon_error_name(err.code), err.text, text);
	if (!p && offset != MON_NO_OFFSET)
		CHECK_EQ(err.offset, offset);
	CHECK(p || err.text[0]);
	CHECK(!strchr(err.text, '\n'));
	mon_profile_free(p);
}

static void test_refused(void)
{
	/* cells that do not fit into the file: the field stands at 16; the size it claims ends beyond any file */
	refuse("variant a64-le\nhist 0x1000 0x1100 32\nnfns 0x1000000000000000\n", "a64-le", MON_E_FORMAT,
	       MON_E_TRUNCATED, MON_NO_OFFSET);
	refuse("variant a64-le\nhist 0x1000 0x1100 32\nnfns 0xffffffffffffffff\n", "a64-le", MON_E_FORMAT,
	       MON_E_TRUNCATED, 16);
	refuse("variant a32-be\nhist 0x1000 0x1100 32\nnfns 0x80000000\n", "a32-be", MON_E_FORMAT, MON_E_TRUNCATED, 8);
	refuse("variant a32-le\nhist 0x1000 0x1100 32\nnfns 0x20000001\n", "a32-le", MON_E_FORMAT, MON_E_TRUNCATED,
	       MON_NO_OFFSET); /* 8 * nfns is 8 in 32 bits */
	refuse("variant a16-pdp\nhist 0x1000 0x1100 32\nnfns 0xffff\n", "a16-pdp", MON_E_FORMAT, MON_E_TRUNCATED, 4);
	refuse("variant a64-le\nhist 0x1100 0x1000 32\nbin 0 1\n", "a64-le", MON_E_FORMAT, MON_E_FORMAT, MON_NO_OFFSET);
	refuse("variant a64-le\nhist 0x1000 0x1000 32\nbin 0 1\n", "a64-le", MON_E_FORMAT, MON_E_FORMAT, MON_NO_OFFSET);
	/* shorter than a header */
	refuse("variant a64-le\nhist 0x1000 0x1100 0\ncut 1\n", "a64-le", MON_E_TRUNCATED, MON_E_TRUNCATED,
	       MON_NO_OFFSET);
	refuse("variant a64-le\nhist 0x1000 0x1100 0\ncut 24\n", "a64-le", MON_E_TRUNCATED, MON_E_TRUNCATED,
	       MON_NO_OFFSET);
	/* what no variant wrote */
	refuse("variant a64-le\nhist 0x1000 0x1100 0\ncut 24\n", NULL, MON_E_UNKNOWN, MON_E_TRUNCATED, MON_NO_OFFSET);
	refuse("variant a64-le\nhist 0 0 32\n", NULL, MON_E_UNKNOWN, MON_E_FORMAT, MON_NO_OFFSET);
}

/* Other kinds of files given as a profile are not some profile. */
static void test_foreign_files(void)
{
	static const char text[] =
	    "#!/bin/sh\n# a script that somebody gave as the profile by mistake\necho hello, world\n";
	struct mon_error err = { 0 };
	struct mon_profile *p = NULL;
	struct bytes elf = { 0 };

	CHECK(mon_profile_decode(text, sizeof(text) - 1, NULL, &p, &err) == -1);
	CHECK_EQ(err.code, MON_E_UNKNOWN);
	elfmake("section .text 0x401000\nfunc a 64\n", &elf);
	CHECK(mon_profile_decode(elf.data, elf.size, NULL, &p, &err) == -1);
	CHECK_EQ(err.code, MON_E_UNKNOWN);
	CHECK(!p);
	free(elf.data);
}

static void test_table(void)
{
	unsigned n = 0;

	for (const struct mon_variant *v = mon_variant_next(NULL); v; v = mon_variant_next(v), n++) {
		CHECK(v->name && v->title && v->systems && v->title[0] && v->systems[0]);
		CHECK(mon_variant_find(v->name) == v);
		CHECK(v->hz > 0);
		CHECK(v->word == 0 || v->word == 2 || v->word == 4 || v->word == 8);
	}
	CHECK(n >= NCLASSIC + 1);
	CHECK(!mon_variant_find("no-such-variant"));
}

int main(void)
{
	test_table();
	test_fields();
	test_wide();
	test_count_limit();
	test_padding();
	test_guess();
	test_ambiguous();
	test_weak();
	test_refused();
	test_foreign_files();
	return check_status();
}
