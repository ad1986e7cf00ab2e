/* SPDX-License-Identifier: BSD-2-Clause */
/* gmon.c -- gmon.out, GNU version 1: both widths and orders, records in any order, and what is refused. */
#include "check.h"
#include "sample.h"

static const char *const shapes[] = { "g2-32-le", "g2-32-be", "g2-64-le", "g2-64-be" };

/* Two histograms, the higher first, arcs before, between and after; two arcs of one pair; one callee with two callers. */
static const char records[] = "arc 0x1010 0x3004 5\n"
			      "rate 250\n"
			      "hist 0x3000 0x3064 48\n"
			      "bins 1 0 515 65535\n"
			      "arc 0x1020 0x3004 2\n"
			      "hist 0x1000 0x1100 64\n"
			      "bin 63 9\n"
			      "arc 0x1010 0x3004 4294967295\n"
			      "arc 0x3000 0x1004 1\n";

static void check_records(const struct mon_profile *p)
{
	CHECK_EQ(p->hz, 250);
	CHECK_EQ(p->hz_source, MON_HZ_FILE);
	CHECK_EQ(p->ticks, 1 + 515 + 65535 + 9);
	CHECK_EQ(p->nrange, 2);
	if (p->nrange != 2 || p->narc != 3 || p->ncall != 2) {
		CHECK_EQ(p->narc, 3);
		CHECK_EQ(p->ncall, 2);
		return;
	}
	CHECK_EQ(p->range[0].low, 0x1000);
	CHECK_EQ(p->range[0].high, 0x1100);
	CHECK_EQ(p->range[0].width_num, 4);
	CHECK_EQ(p->range[0].width_den, 1);
	CHECK_EQ(mon_bins_get(p->range[0].bins, 63), 9);
	CHECK_EQ(mon_bins_get(p->range[0].bins, 64), 0);
	CHECK_EQ(p->range[1].low, 0x3000);
	CHECK_EQ(p->range[1].nbin, 48);
	CHECK_EQ(p->range[1].width_num, 25);
	CHECK_EQ(p->range[1].width_den, 12);
	CHECK_EQ(mon_bins_get(p->range[1].bins, 2), 515);
	CHECK_EQ(p->call[0].pc, 0x1004);
	CHECK_EQ(p->call[0].count, 1);
	CHECK_EQ(p->call[1].pc, 0x3004);
	CHECK_EQ(p->call[1].count, 5 + 2 + 4294967295);
	CHECK_EQ(p->calls, 1 + 5 + 2 + 4294967295);
	CHECK_EQ(p->arc[0].to, 0x1004);
	CHECK_EQ(p->arc[0].from, 0x3000);
	CHECK_EQ(p->arc[1].from, 0x1010);
	CHECK_EQ(p->arc[1].count, 5 + 4294967295);
	CHECK_EQ(p->arc[2].from, 0x1020);
	CHECK_EQ(p->arc[2].to, 0x3004);
	CHECK_EQ(p->arc[2].count, 2);
	CHECK_EQ(p->cells_reserved, 0);
	CHECK(p->flags & MON_F_SATURATED);
}

static void test_shapes(void)
{
	char text[1024];

	for (size_t i = 0; i < 4; i++) {
		struct mon_profile *p;

		snprintf(text, sizeof(text), "variant %s\n%s", shapes[i], records);
		p = sample_profile(text,
				   NULL); /* width and order: only one makes the records end at the end of the file */
		CHECK(p->variant->caps & MON_HAS_ARCS && p->variant->caps & MON_HAS_HZ);
		check_records(p);
		mon_profile_free(p);
	}
}

/* Basic-block records are stepped over: tag 2, u32 number, then address and count of the width each. */
static void test_blocks(void)
{
	struct mon_profile *p =
	    sample_profile("variant g2-32-le\nraw 2 2 0 0 0 0x10 0x20 0 0 7 0 0 0 0x20 0x20 0 0 1 0 0 0\n"
			   "hist 0x1000 0x1010 4\nbins 1 2 3 4\nraw 2 0 0 0 0\narc 0x1000 0x1004 9\n",
			   NULL);

	CHECK_EQ(p->ticks, 10);
	CHECK_EQ(p->calls, 9);
	mon_profile_free(p);
}

/* A file without time: no bins recorded, but a valid header; calls alone; version 0, which was written once. */
static void test_sparse(void)
{
	struct mon_profile *p = sample_profile("variant g2-64-le\nversion 0\nhist 0x1000 0x1010 4\n", NULL);

	CHECK_EQ(p->ticks, 0);
	CHECK_EQ(p->calls, 0);
	CHECK_EQ(p->nrange, 1);
	mon_profile_free(p);
	p = sample_profile("variant g2-64-le\narc 0x1000 0x1004 3\narc 0x1000 0x1008 4\n", NULL);
	CHECK_EQ(p->nrange, 0);
	CHECK_EQ(p->calls, 7);
	CHECK(p->hz > 0);
	mon_profile_free(p);
}

static const struct bad {
	const char *why, *text;
	enum mon_errcode code, or_code;
} bad[] = {
	{ "two gigabins in a small file", "variant g2-64-le\nhist 0x1000 0x1010 4\nnbins 0x7fffffff\n", MON_E_TRUNCATED,
	  MON_E_FORMAT },
	{ "negative number of bins", "variant g2-64-le\nhist 0x1000 0x1010 4\nnbins 0xffffffff\n", MON_E_TRUNCATED,
	  MON_E_FORMAT },
	{ "rate 0", "variant g2-64-le\nrate 0\nhist 0x1000 0x1010 4\nbin 0 1\n", MON_E_FORMAT, MON_E_FORMAT },
	{ "two rates", "variant g2-64-le\nhist 0x1000 0x1010 4\nbin 0 1\nrate 50\nhist 0x2000 0x2010 4\n", MON_E_FORMAT,
	  MON_E_MISMATCH },
	{ "high below low", "variant g2-64-le\nhist 0x1010 0x1000 4\nbin 0 1\n", MON_E_FORMAT, MON_E_FORMAT },
	{ "empty range", "variant g2-64-le\nhist 0x1000 0x1000 4\nbin 0 1\n", MON_E_FORMAT, MON_E_FORMAT },
	{ "ranges that overlap in part", "variant g2-64-le\nhist 0x1000 0x1010 4\nhist 0x1008 0x1018 4\nbin 0 1\n",
	  MON_E_FORMAT, MON_E_MISMATCH },
	{ "unknown tag", "variant g2-64-le\nhist 0x1000 0x1010 4\nbin 0 1\nraw 9\n", MON_E_FORMAT, MON_E_TRUNCATED },
	{ "unknown version", "variant g2-64-le\nversion 77\nhist 0x1000 0x1010 4\nbin 0 1\n", MON_E_UNSUPPORTED,
	  MON_E_FORMAT },
	{ "cut in the bins", "variant g2-64-le\nhist 0x1000 0x1010 4\nbin 0 1\ncut 3\n", MON_E_TRUNCATED,
	  MON_E_FORMAT },
	{ "cut in an arc", "variant g2-64-le\nhist 0x1000 0x1010 4\nbin 0 1\narc 0x1000 0x1004 3\ncut 1\n",
	  MON_E_TRUNCATED, MON_E_FORMAT },
};

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mon_error err = { 0 };
		struct mon_profile *p = sample_decode(bad[i].text, NULL, &err);

		if (!CHECK(!p && (err.code == bad[i].code || err.code == bad[i].or_code)))
			printf("\t%s: %s: %s\n", bad[i].why, p ? "accepted" : mon_error_name(err.code), err.text);
		CHECK(p || err.text[0]);
		mon_profile_free(p);
	}
}

/* The same range twice adds up: so a profile does that was written in two parts. */
static void test_same_range(void)
{
	struct mon_error err = { 0 };
	struct mon_profile *p = sample_decode("variant g2-32-be\nhist 0x1000 0x1010 4\nbins 1 2 3 4\n"
					      "hist 0x1000 0x1010 4\nbins 10 20 30 40\n",
					      NULL, &err);

	if (!CHECK(p != NULL)) {
		printf("\t%s\n", err.text);
		return;
	}
	CHECK_EQ(p->nrange, 1);
	CHECK_EQ(p->ticks, 110);
	CHECK_EQ(mon_bins_get(p->range[0].bins, 2), 33);
	mon_profile_free(p);
}

/* The program's class and order decide where the bytes alone cannot: an empty chain fits every shape. */
static void test_program_decides(void)
{
	struct mon_object *obj = sample_object("class 32\norder be\nsection .text 0x1000\nfunc a 256\n");
	struct bytes b = sample_bytes("variant g2-32-be\nhist 0x1000 0x1100 64\nbin 3 7\narc 0x1000 0x1004 2\n");
	struct mon_read_opts opts = { .program = obj };
	struct mon_error err = { 0 };
	struct mon_profile *p = NULL;

	CHECK(mon_profile_decode(b.data, b.size, &opts, &p, &err) == 0);
	if (p) {
		CHECK_EQ(p->ticks, 7);
		CHECK_EQ(p->calls, 2);
	}
	mon_profile_free(p);
	mon_object_close(obj);
	free(b.data);
}

int main(void)
{
	test_shapes();
	test_blocks();
	test_sparse();
	test_bad();
	test_same_range();
	test_program_decides();
	return check_status();
}
