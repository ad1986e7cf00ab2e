/* SPDX-License-Identifier: BSD-2-Clause */
/* attrib.c -- ticks and calls to rows: shares, remainders, folding, orders, worked out by hand. */
#include "check.h"
#include "sample.h"

__extension__ typedef unsigned __int128 u128;

static const struct mon_row *find_row(const struct mon_report *r, const char *name)
{
	for (size_t i = 0; i < r->nrow; i++) {
		const char *n =
		    r->row[i].sym ? mon_symbol_name(r->row[i].obj, r->row[i].sym) : mon_place_name(r->row[i].place);

		if (!strcmp(n, name))
			return &r->row[i];
	}
	return NULL;
}

/* The row's ticks are whole + num/den, its calls come from ncell cells. */
static void check_row(const struct mon_report *r, const char *name, uint64_t whole, uint64_t num, uint64_t den,
		      uint64_t calls)
{
	const struct mon_row *row = find_row(r, name);

	if (!CHECK(row != NULL)) {
		printf("\tno row %s\n", name);
		return;
	}
	CHECK_EQ(row->ticks.whole, whole);
	if (!CHECK((u128)row->ticks.num * den == (u128)num * row->ticks.den))
		printf("\t%s: %llu/%llu, not %llu/%llu\n", name, (unsigned long long)row->ticks.num,
		       (unsigned long long)row->ticks.den, (unsigned long long)num, (unsigned long long)den);
	CHECK_EQ(row->calls, calls);
}

/* Bins of 8 bytes over functions that end inside them:
 *	bytes	00-13 a, 14-1f b, 20-27 gap, 28-3f c; the section ends at 40, .plt is 50-5f; the range is 00-7f
 *	bins	0: 10 to a; 1: 3 to a; 2: 7 half a (10-13), half b (14-17); 3: 4 to b; 4: 5 gap; 5..7: 1 each to c;
 *		8, 9: 2, 2 outside (40-4f); 10, 11: 6, 0 plt; 12..15: 0, 0, 0, 1 outside */
static const char by_hand_program[] = "section .text 0x1000\nfunc a 0x14\nfunc b 0x0c\ngap 8\nstatic c 0x18\n"
				      "section .plt 0x1050\ngap 0x10\n";
static const char by_hand_profile[] = "variant a64-le\nhist 0x1000 0x1080 16\nbins 10 3 7 4 5 1 1 1 2 2 6 0 0 0 0 1\n"
				      "cell 0x1000 4\ncell 0x1013 1\ncell 0x1014 100\ncell 0x1022 9\n";

static void test_by_hand(void)
{
	struct mon_object *obj = sample_object(by_hand_program);
	struct mon_profile *p = sample_profile(by_hand_profile, "a64-le");
	struct mon_report *r = sample_report(p, obj, false, false);

	CHECK_EQ(r->total_ticks, 43);
	CHECK_EQ(r->total_calls, 114);
	check_row(r, "a", 16, 1, 2, 5); /* entry inclusive, several cells add up */
	check_row(r, "b", 7, 1, 2, 100);
	check_row(r, "c", 3, 0, 1, 0);
	check_row(r, "[gap]", 5, 0, 1, 9);
	check_row(r, "[plt]", 6, 0, 1, 0);
	check_row(r, "[outside text]", 5, 0, 1, 0);
	CHECK_EQ(r->nrow, 6);
	CHECK_EQ(find_row(r, "a")->ncell, 2);
	CHECK_EQ(find_row(r, "c")->ncell, 0);
	CHECK_EQ(r->hz, p->hz);
	CHECK_EQ(r->ticks_folded.whole + r->ticks_folded.num + r->calls_folded, 0);
	mon_report_free(r);
	mon_profile_free(p);
	mon_object_close(obj);
}

/* A static's ticks go to the global before it, its calls nowhere; the report says how much that was. */
static void test_fold(void)
{
	struct mon_object *obj =
	    sample_object("section .text 0x1000\nstatic first 8\nfunc a 8\nstatic s1 4\nstatic s2 4\nfunc b 8\n"
			  "static s3 8\n");
	struct mon_profile *p = sample_profile("variant a64-le\nhist 0x1000 0x1028 5\nbins 64 1 3 8 16\n"
					       "cell 0x1008 7\ncell 0x1010 5\ncell 0x1020 2\n",
					       "a64-le");
	struct mon_report *r = sample_report(p, obj, false, true);

	check_row(r, "a", 4, 0, 1, 7);
	check_row(r, "b", 24, 0, 1, 0);
	CHECK(!find_row(r, "s1") && !find_row(r, "s2") && !find_row(r, "s3"));
	CHECK_EQ(r->ticks_folded.whole, 19 + (find_row(r, "first") ? 0 : 64));
	CHECK_EQ(r->calls_folded, 7);
	CHECK_EQ(r->total_ticks, 92);
	CHECK_EQ(r->total_calls, 14);
	mon_report_free(r);
	mon_profile_free(p);
	mon_object_close(obj);
}

static void test_zeros(void)
{
	struct mon_object *obj =
	    sample_object("section .text 0x1000\nfunc a 8\nfunc idle 8\nalias func idle_too\nfunc called 8\n");
	struct mon_profile *p =
	    sample_profile("variant a64-le\nhist 0x1000 0x1018 3\nbins 5 0 0\ncell 0x1010 1\n", "a64-le");
	struct mon_report *r = sample_report(p, obj, false, false);

	CHECK_EQ(r->nrow, 2);
	mon_report_free(r);
	r = sample_report(p, obj, true, false);
	CHECK_EQ(r->nrow, 3); /* an alias is no row */
	check_row(r, "idle", 0, 0, 1, 0);
	mon_report_free(r);
	mon_profile_free(p);
	mon_object_close(obj);
}

/* The first bin that stands at its largest value is named by its address. */
static void test_saturated(void)
{
	struct mon_object *obj = sample_object("section .text 0x1000\nfunc a 0x40\n");
	struct mon_profile *p =
	    sample_profile("variant a64-le\nhist 0x1000 0x1040 8\nbins 1 65534 3 65535 0 65535\n", "a64-le");
	struct mon_report *r = sample_report(p, obj, false, false);

	CHECK(r->flags & MON_F_SATURATED);
	CHECK_EQ(r->saturated_bin, 0x1018);
	mon_report_free(r);
	mon_profile_free(p);
	mon_object_close(obj);
}

static void check_order(struct mon_report *r, enum mon_sort key, const char *want)
{
	char got[256] = "";

	mon_report_sort(r, key);
	for (size_t i = 0; i < r->nrow; i++) {
		size_t n = strlen(got);

		snprintf(got + n, sizeof(got) - n, "%s%s", i ? " " : "",
			 r->row[i].sym ? mon_symbol_name(r->row[i].obj, r->row[i].sym)
				       : mon_place_name(r->row[i].place));
	}
	CHECK_STR(got, want);
}

/* Ties go by time, calls, address, name; remainders come last by address and by name. */
static void test_sort(void)
{
	struct mon_object *obj =
	    sample_object("section .text 0x1000\nfunc z 8\nfunc y 8\nfunc x 8\nfunc w 8\nfunc v 8\ngap 8\n");
	struct mon_profile *p = sample_profile("variant a64-le\nhist 0x1000 0x1038 7\nbins 5 5 9 5 1 7 6\n"
					       "cell 0x1000 2\ncell 0x1008 3\ncell 0x1018 3\ncell 0x1020 3\n",
					       "a64-le");
	struct mon_report *r = sample_report(p, obj, false, false);

	check_order(r, MON_SORT_CALLS, "y w v z x [gap] [outside text]");
	check_order(r, MON_SORT_ADDRESS, "z y x w v [gap] [outside text]");
	check_order(r, MON_SORT_NAME, "v w x y z [gap] [outside text]");
	check_order(r, MON_SORT_TIME, "x [gap] [outside text] y w z v");
	mon_report_free(r);
	r = sample_report(p, obj, false, false);
	CHECK_STR(mon_symbol_name(obj, r->row[0].sym), "x"); /* rows come sorted by time */
	mon_report_free(r);
	mon_profile_free(p);
	mon_object_close(obj);
}

static void test_ticks(void)
{
	struct mon_ticks half = { 3, 1, 2 }, same = { 3, 500, 1000 }, more = { 3, 501, 1000 }, whole = { 4, 0, 1 };
	struct mon_ticks big = { 3, UINT64_MAX / 2 + 1, UINT64_MAX }, less = { 3, UINT64_MAX / 2, UINT64_MAX };

	CHECK(mon_ticks_compare(half, same) == 0);
	CHECK(mon_ticks_compare(half, more) < 0);
	CHECK(mon_ticks_compare(whole, more) > 0);
	CHECK(mon_ticks_compare(big, half) > 0);
	CHECK(mon_ticks_compare(less, half) < 0);
	CHECK(mon_ticks_compare(less, big) < 0);
	CHECK(mon_ticks_value(half) > 3.4999999 && mon_ticks_value(half) < 3.5000001);
}

/* Overlapping functions, several widths, folding: whatever the owners, the sum is the whole to the last tick. */
static void test_sum_is_whole(void)
{
	struct mon_object *obj =
	    sample_object("section .text 0x1000\nfunc a 100\ninner b 30 40\nstatic c 77\nfunc d 3\nfunc e 120\n");
	struct mon_profile *p = sample_profile("variant g2-64-le\nhist 0x1000 0x1065 7\nbins 11 13 17 19 23 29 31\n"
					       "hist 0x1065 0x1100 11\nbins 1 2 3 4 5 6 7 8 9 10 11\n",
					       NULL);

	for (int fold = 0; fold < 2; fold++) {
		struct mon_report *r = sample_report(p, obj, false, fold);
		u128 num = 0,
		     den = 101 * 155; /* widths are 101/7 and 155/11: every share is a multiple of 1/101 or 1/155 */
		uint64_t whole = 0;

		for (size_t i = 0; i < r->nrow; i++) {
			struct mon_ticks t = r->row[i].ticks;

			whole += t.whole;
			CHECK(den % t.den == 0);
			num += (u128)t.num * (den / t.den);
		}
		CHECK_EQ(num % den, 0);
		CHECK_EQ(whole + (uint64_t)(num / den), 143 + 66);
		CHECK(!(r->flags & MON_F_ROUNDED));
		mon_report_free(r);
	}
	mon_profile_free(p);
	mon_object_close(obj);
}

/* Widths without a common measure in 64 bits: shares are rounded and that is said, but nothing is lost. */
static void test_rounded(void)
{
	/* four histograms of a prime number of bytes and two bins each; their product has 69 bits */
	static const unsigned prime[] = { 131071, 131101, 131111, 131113 };
	struct bytes text = { 0 };
	struct mon_object *obj =
	    sample_object("section .text 0x10000\nfunc a 100000\nfunc b 100001\nfunc c 100002\nfunc d 224393\n");
	struct mon_profile *p;
	struct mon_report *r;
	uint64_t whole = 0, den, num = 0;
	double off;

	bytes_add(&text, "variant g2-64-le\n", 17);
	for (unsigned i = 0, low = 0x10000; i < 4; low += prime[i++]) {
		char line[96];

		snprintf(line, sizeof(line), "hist %u %u 2\nbins %u %u\n", low, low + prime[i], 7 + i, 1000 + i);
		bytes_add(&text, line, strlen(line));
	}
	bytes_fill(&text, 0, 1);
	p = sample_profile((const char *)text.data, NULL);
	r = sample_report(p, obj, false, false);
	CHECK(r->flags & MON_F_ROUNDED);
	CHECK_EQ(r->nrow, 4);
	den = r->row[0].ticks.den;
	for (size_t i = 0; i < r->nrow; i++) {
		struct mon_ticks t = r->row[i].ticks;

		CHECK_EQ(t.den, den);
		CHECK(t.num < t.den);
		whole += t.whole;
		whole += (uint64_t)(((u128)num + t.num) / den);
		num = (uint64_t)(((u128)num + t.num) % den);
	}
	CHECK_EQ(whole, 7 + 8 + 9 + 10 + 1000 + 1001 + 1002 + 1003);
	CHECK_EQ(num, 0);
	/* a has the first bin, of 65535.5 bytes, and 34464.5 of the second */
	off = mon_ticks_value(find_row(r, "a")->ticks) - (7 + 1000 * 34464.5 / 65535.5);
	CHECK(off > -1e-6 && off < 1e-6);
	mon_report_free(r);
	mon_profile_free(p);
	mon_object_close(obj);
	free(text.data);
}

int main(void)
{
	test_by_hand();
	test_fold();
	test_zeros();
	test_saturated();
	test_sort();
	test_ticks();
	test_sum_is_whole();
	test_rounded();
	mon_report_free(NULL);
	return check_status();
}
