/* SPDX-License-Identifier: BSD-2-Clause */
/* merge.c -- adding profiles: sums, what must agree, and that a refusal changes nothing. */
#include "check.h"
#include "sample.h"

static const char one[] =
    "variant a64-le\nhist 0x1000 0x1100 32\nbins 1 2 65535\ncell 0x1010 5\ncell 0x1080 7\ncells 10\n";
static const char two[] =
    "variant a64-le\nhist 0x1000 0x1100 32\nbins 10 0 65535 4\ncell 0x1040 1\ncell 0x1080 70\ncells 4\n";

static bool same_bins(const struct mon_range *a, const struct mon_range *b)
{
	for (uint64_t i = 0; i < a->nbin; i++)
		if (mon_bins_get(a->bins, i) != mon_bins_get(b->bins, i))
			return false;
	return a->nbin == b->nbin && a->low == b->low && a->high == b->high;
}

static void check_same(const struct mon_profile *a, const struct mon_profile *b)
{
	CHECK_EQ(a->nrange, b->nrange);
	for (size_t i = 0; i < a->nrange && i < b->nrange; i++)
		CHECK(same_bins(&a->range[i], &b->range[i]));
	CHECK_EQ(a->ticks, b->ticks);
	CHECK_EQ(a->calls, b->calls);
	CHECK_EQ(a->ncall, b->ncall);
	for (size_t i = 0; i < a->ncall && i < b->ncall; i++)
		CHECK(a->call[i].pc == b->call[i].pc && a->call[i].count == b->call[i].count);
	CHECK_EQ(a->narc, b->narc);
	for (size_t i = 0; i < a->narc && i < b->narc; i++)
		CHECK(!memcmp(&a->arc[i], &b->arc[i], sizeof(a->arc[i])));
}

static void test_sum(void)
{
	struct mon_profile *a = sample_profile(one, "a64-le"), *b = sample_profile(two, "a64-le");
	struct mon_profile *c = sample_profile(two, "a64-le"), *d = sample_profile(one, "a64-le");
	struct mon_error err = { 0 };

	CHECK(mon_profile_merge(a, b, &err) == 0);
	CHECK_EQ(mon_bins_get(a->range[0].bins, 0), 11);
	CHECK_EQ(mon_bins_get(a->range[0].bins, 1), 2);
	CHECK_EQ(mon_bins_get(a->range[0].bins, 2), 131070); /* more than the file's bins can hold */
	CHECK_EQ(mon_bins_get(a->range[0].bins, 3), 4);
	CHECK_EQ(a->ticks, 131087);
	CHECK_EQ(a->ncall, 3);
	if (a->ncall == 3) {
		CHECK_EQ(a->call[0].pc, 0x1010);
		CHECK_EQ(a->call[0].count, 5);
		CHECK_EQ(a->call[1].pc, 0x1040);
		CHECK_EQ(a->call[2].count, 77);
	}
	CHECK_EQ(a->calls, 83);
	CHECK(a->flags & MON_F_SATURATED);
	CHECK_EQ(b->ticks, 10 + 65535 + 4); /* from is only read */
	CHECK(mon_profile_merge(c, d, &err) == 0);
	check_same(a, c); /* the order does not matter */
	mon_profile_free(a);
	mon_profile_free(b);
	mon_profile_free(c);
	mon_profile_free(d);
}

/* A sum of many stays exact in 64 bits. */
static void test_many(void)
{
	struct mon_profile *sum = sample_profile(one, "a64-le"), *more = sample_profile(one, "a64-le");
	struct mon_error err = { 0 };
	bool good = true;

	for (unsigned i = 1; i < 100000 && good; i++)
		good = mon_profile_merge(sum, more, &err) == 0;
	CHECK(good);
	CHECK_EQ(mon_bins_get(sum->range[0].bins, 2), 6553500000);
	CHECK_EQ(sum->ticks, 100000 * UINT64_C(65538));
	CHECK_EQ(sum->calls, 1200000);
	mon_profile_free(sum);
	mon_profile_free(more);
}

/* Doubling 64 times reaches the largest number: it stays there and is flagged. */
static void test_limit(void)
{
	struct mon_profile *a = sample_profile(one, "a64-le"), *b = sample_profile(one, "a64-le");
	struct mon_error err = { 0 };
	int r = 0;

	for (unsigned i = 0; i < 66 && !r; i++) {
		r = mon_profile_merge(a, b, &err);
		if (!r)
			r = mon_profile_merge(b, a, &err);
	}
	CHECK_EQ(r, 0);
	CHECK_EQ(mon_bins_get(a->range[0].bins, 2), UINT64_MAX);
	CHECK_EQ(a->ticks, UINT64_MAX);
	CHECK_EQ(a->call[1].count, UINT64_MAX);
	CHECK(a->flags & MON_F_COUNT_LIMIT);
	mon_profile_free(a);
	mon_profile_free(b);
}

static void test_gmon(void)
{
	static const char x[] =
	    "variant g2-32-be\nhist 0x1000 0x1010 4\nbins 1 2 3 4\narc 0x1000 0x1004 5\narc 0x1000 0x1008 1\n";
	static const char y[] =
	    "variant g2-32-be\nhist 0x1000 0x1010 4\nbins 4 3 2 1\narc 0x1000 0x1004 6\narc 0x1001 0x1004 2\n";
	struct mon_profile *a = sample_profile(x, NULL), *b = sample_profile(y, NULL);
	struct mon_error err = { 0 };

	CHECK(mon_profile_merge(a, b, &err) == 0);
	CHECK_EQ(a->ticks, 20);
	CHECK_EQ(a->calls, 14);
	CHECK_EQ(a->narc, 3);
	if (a->narc == 3 && a->ncall == 2) {
		CHECK_EQ(a->arc[0].count, 11);
		CHECK_EQ(a->arc[1].from, 0x1001);
		CHECK_EQ(a->call[0].count, 13);
	}
	mon_profile_free(a);
	mon_profile_free(b);
}

static const struct pair {
	const char *why, *into, *from, *from_variant;
	const char *values[2]; /* both must be named */
} pairs[] = {
	{ "other range", one, "variant a64-le\nhist 0x9000 0x9100 32\nbin 0 1\n", "a64-le", { "1000", "9000" } },
	{ "other end", one, "variant a64-le\nhist 0x1000 0x1200 32\nbin 0 1\n", "a64-le", { "1100", "1200" } },
	{ "other width", one, "variant a64-le\nhist 0x1000 0x1100 64\nbin 0 1\n", "a64-le", { "32", "64" } },
	{ "other address width", one, "variant a32-le\nhist 0x1000 0x1100 32\nbin 0 1\n", "a32-le", { "", "" } },
	{ "other rate",
	  "variant g2-64-le\nhist 0x1000 0x1010 4\nbins 1 2 3 4\n",
	  "variant g2-64-le\nrate 1000\nhist 0x1000 0x1010 4\nbins 1 2 3 4\n",
	  NULL,
	  { "100", "1000" } },
	{ "one range more",
	  "variant g2-64-le\nhist 0x1000 0x1010 4\nbins 1 2 3 4\n",
	  "variant g2-64-le\nhist 0x1000 0x1010 4\nhist 0x2000 0x2010 4\nbin 0 1\n",
	  NULL,
	  { "", "" } },
};

static void test_mismatch(void)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const char *variant = pairs[i].from_variant ? "a64-le" : NULL;
		struct mon_profile *into = sample_profile(pairs[i].into, variant);
		struct mon_profile *before = sample_profile(pairs[i].into, variant);
		struct mon_profile *from = sample_profile(pairs[i].from, pairs[i].from_variant);
		struct mon_error err = { 0 };

		if (!CHECK(mon_profile_merge(into, from, &err) == -1))
			printf("\t%s\n", pairs[i].why);
		CHECK_EQ(err.code, MON_E_MISMATCH);
		CHECK_HAS(err.text, pairs[i].values[0]);
		CHECK_HAS(err.text, pairs[i].values[1]);
		check_same(into, before);
		CHECK_EQ(into->flags, before->flags);
		mon_profile_free(into);
		mon_profile_free(before);
		mon_profile_free(from);
	}
}

/* The rate that the caller set is the rate. */
static void test_set_hz(void)
{
	struct mon_profile *a = sample_profile(one, "a64-le"), *b = sample_profile(one, "a64-le");
	struct mon_error err = { 0 };

	mon_profile_set_hz(a, 1234);
	CHECK_EQ(a->hz, 1234);
	CHECK_EQ(a->hz_source, MON_HZ_CALLER);
	CHECK(mon_profile_merge(a, b, &err) == -1);
	CHECK_EQ(err.code, MON_E_MISMATCH);
	mon_profile_set_hz(b, 1234);
	CHECK(mon_profile_merge(a, b, &err) == 0);
	mon_profile_free(a);
	mon_profile_free(b);
	mon_profile_free(NULL);
}

int main(void)
{
	test_sum();
	test_many();
	test_limit();
	test_gmon();
	test_mismatch();
	test_set_hz();
	return check_status();
}
