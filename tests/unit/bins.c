/* SPDX-License-Identifier: BSD-2-Clause */
/* bins.c -- counters: whatever their size and place, they say what an array would. */
#include "bytes.h"
#include "check.h"
#include "monread_impl.h"

#include <stdlib.h>

static uint64_t seed = 42;

static uint64_t rnd(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 20) % n;
}

/* Every counter, one by one and by walking, against the array. */
static void check_all(const struct mon_bins *bins, const uint64_t *want, uint64_t n)
{
	uint64_t index = 0, count = 0, at = 0;
	bool good = true;

	for (uint64_t i = 0; i < n && good; i++)
		good = CHECK_EQ(mon_bins_get(bins, i), want[i]);
	for (; mon_bins_next(bins, &index, &count); index++) {
		for (; at < index && at < n; at++)
			if (want[at] != 0)
				CHECK_EQ(at, index); /* stepped over one */
		if (!CHECK(index < n))
			return;
		CHECK_EQ(count, want[index]);
		at = index + 1;
	}
	for (; at < n; at++)
		CHECK_EQ(want[at], 0);
	CHECK_EQ(mon_bins_get(bins, n), 0);
	CHECK_EQ(mon_bins_get(bins, UINT64_MAX), 0);
	index = UINT64_MAX;
	CHECK(!mon_bins_next(bins, &index, &count));
}

/* Additions of every magnitude at random places; the pages widen as they must. */
static void test_add(void)
{
	static const uint64_t sizes[] = { 1, 2, 511, 512, 513, 1024, 5000 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint64_t n = sizes[s], *want = calloc(n, sizeof(*want));
		struct mon_bins *bins = mon_bins_new(n);
		bool limit = false;

		check_all(bins, want, n);
		for (unsigned i = 0; i < 400; i++) {
			uint64_t at = rnd(n), count = rnd(UINT64_C(1) << (1 + rnd(40)));

			want[at] += count;
			CHECK_EQ(mon_bins_add(bins, at, count, &limit), 0);
		}
		CHECK(!limit);
		check_all(bins, want, n);
		mon_bins_free(bins);
		free(want);
	}
	mon_bins_free(NULL);
}

/* At each width's edge: one less, equal, one more. */
static void test_edges(void)
{
	static const uint64_t edges[] = { 0xff, 0xffff, 0xffffffff };

	for (size_t i = 0; i < 3; i++) {
		struct mon_bins *bins = mon_bins_new(3);
		bool limit = false;

		CHECK_EQ(mon_bins_add(bins, 0, 1, &limit), 0);
		CHECK_EQ(mon_bins_add(bins, 1, edges[i] - 1, &limit), 0);
		for (uint64_t k = 0; k < 3; k++) {
			CHECK_EQ(mon_bins_get(bins, 1), edges[i] - 1 + k);
			CHECK_EQ(mon_bins_add(bins, 1, 1, &limit), 0);
		}
		CHECK_EQ(mon_bins_get(bins, 0), 1);
		CHECK_EQ(mon_bins_get(bins, 2), 0);
		mon_bins_free(bins);
	}
}

static void test_limit(void)
{
	struct mon_bins *bins = mon_bins_new(2), *more = mon_bins_new(2);
	bool limit = false;

	mon_bins_add(bins, 1, UINT64_MAX - 1, &limit);
	mon_bins_add(bins, 1, 1, &limit);
	CHECK(!limit);
	CHECK_EQ(mon_bins_get(bins, 1), UINT64_MAX);
	mon_bins_add(bins, 1, 1, &limit);
	CHECK(limit);
	CHECK_EQ(mon_bins_get(bins, 1), UINT64_MAX);
	mon_bins_add(more, 1, UINT64_MAX, &limit);
	limit = false;
	CHECK_EQ(mon_bins_reserve(bins, more), 0);
	mon_bins_merge(bins, more, &limit);
	CHECK(limit);
	CHECK_EQ(mon_bins_get(bins, 1), UINT64_MAX);
	mon_bins_free(bins);
	mon_bins_free(more);
}

/* Words of a file, page by page, in both orders. */
static void test_words(void)
{
	enum { N = 2 * MON_PAGE + 7 };
	uint64_t want[N] = { 0 };

	for (int order = 0; order < 2; order++) {
		struct mon_bins_sum sum = { 0 };
		struct mon_bins *bins = mon_bins_new(N);
		struct bytes b = { 0 };
		uint64_t total = 0;

		for (uint64_t i = 0; i < N; i++) {
			want[i] = rnd(3) ? 0 : rnd(65535);
			total += want[i];
			bytes_number(&b, want[i], 2, order ? ORDER_BE : ORDER_LE);
		}
		for (uint64_t page = 0; page < 3; page++) {
			size_t n = page < 2 ? MON_PAGE : 7;

			CHECK_EQ(mon_bins_add_words(bins, page, b.data + page * MON_PAGE * 2, n,
						    order ? MON_BE : MON_LE, &sum),
				 0);
		}
		CHECK_EQ(sum.ticks, total);
		CHECK(!sum.saturated && !sum.limit);
		check_all(bins, want, N);
		bytes_poke(&b, 2, 0xffff, 2, ORDER_LE);
		CHECK_EQ(mon_bins_add_words(bins, 0, b.data, 3, order ? MON_BE : MON_LE, &sum), 0);
		CHECK(sum.saturated);
		CHECK_EQ(mon_bins_get(bins, 1), want[1] + 0xffff);
		CHECK_EQ(mon_bins_get(bins, 2), 2 * want[2]);
		mon_bins_free(bins);
		free(b.data);
	}
}

/* merge(a, b) is the sum of the arrays; from is not touched, reserve changes nothing. */
static void test_merge(void)
{
	enum { N = 3 * MON_PAGE };
	uint64_t a[N] = { 0 }, b[N] = { 0 }, sum[N];
	struct mon_bins *into = mon_bins_new(N), *from = mon_bins_new(N);
	bool limit = false;

	for (unsigned i = 0; i < 300; i++) {
		uint64_t at = rnd(2 * MON_PAGE), count = rnd(UINT64_C(1) << (1 + rnd(33)));

		a[at] += count;
		mon_bins_add(into, at, count, &limit);
		at = MON_PAGE + rnd(2 * MON_PAGE);
		b[at] += count;
		mon_bins_add(from, at, count, &limit);
	}
	CHECK_EQ(mon_bins_reserve(into, from), 0);
	check_all(into, a, N);
	mon_bins_merge(into, from, &limit);
	for (size_t i = 0; i < N; i++)
		sum[i] = a[i] + b[i];
	check_all(into, sum, N);
	check_all(from, b, N);
	CHECK(!limit);
	mon_bins_free(into);
	mon_bins_free(from);
}

/* What is written: the counters of a page, cut at the largest a file can hold. */
static void test_page(void)
{
	struct mon_bins *bins = mon_bins_new(MON_PAGE + 10);
	uint64_t counts[MON_PAGE], saturated = 0;
	bool limit = false;

	mon_bins_add(bins, 3, 7, &limit);
	mon_bins_add(bins, 4, 65535, &limit);
	mon_bins_add(bins, 5, 65536, &limit);
	mon_bins_add(bins, 6, UINT64_MAX, &limit);
	CHECK_EQ(mon_bins_page(bins, 0, 0xffff, counts, &saturated), MON_PAGE);
	CHECK_EQ(counts[2], 0);
	CHECK_EQ(counts[3], 7);
	CHECK_EQ(counts[4], 65535);
	CHECK_EQ(counts[5], 65535);
	CHECK_EQ(counts[6], 65535);
	CHECK_EQ(saturated, 2);
	CHECK_EQ(mon_bins_page(bins, 1, 0xffff, counts, &saturated), 10);
	CHECK_EQ(counts[9], 0);
	mon_bins_free(bins);
}

/* Kept one by one: few or many, evenly or in heaps, some several times; then the sum of two. */
static void test_sparse(void)
{
	static const uint64_t sizes[] = { 1, 2, 33, 1000, 100000 };

	for (size_t s = 0; s < 4 * sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint64_t n = sizes[s / 4], *want = calloc(n, sizeof(*want));
		size_t room = 1 + rnd(n < 500 ? n : 500), heap = s % 2 ? n : 1 + n / 50;
		struct mon_bins *one = mon_bins_new_sparse(n, room), *two = mon_bins_new_sparse(n, room);
		struct mon_bins_sum sum = { 0 };
		bool limit = false;

		for (size_t i = 0; i < 2 * room; i++) {
			uint64_t at = n - 1 - rnd(heap), count = 1 + rnd(1000000000000);

			mon_bins_append(i % 2 ? one : two, at, count);
			want[at] += count;
		}
		mon_bins_settle(one, &sum);
		mon_bins_settle(two, &sum);
		CHECK_EQ(mon_bins_reserve(one, two), 0);
		mon_bins_merge(one, two, &limit);
		check_all(one, want, n);
		for (uint64_t i = 0; i < n; i++)
			sum.ticks -= want[i];
		CHECK_EQ(sum.ticks, 0);
		CHECK(!limit && !sum.limit);
		mon_bins_free(one);
		mon_bins_free(two);
		free(want);
	}
}

int main(void)
{
	test_add();
	test_edges();
	test_limit();
	test_words();
	test_merge();
	test_page();
	test_sparse();
	return check_status();
}
