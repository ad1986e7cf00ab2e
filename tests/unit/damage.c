/* SPDX-License-Identifier: BSD-2-Clause */
/* damage.c -- every variant's file cut at every byte and with every bit flipped: an error or a sound profile, never more.
 *
 * A classic file has no length of its own: bins go to the end of the file.  Cut among the bins it is a shorter profile (the
 * documented partial read), cut before them it is an error at the byte where the file ends. */
#include "check.h"
#include "sample.h"

static const struct sample {
	const char *variant, *text;
	size_t bins; /* where the bins start; 0: a gmon.out */
} samples[] = {
#define CLASSIC "hist 0x1000 0x1100 32\nbins 1 2 3 0 0 400 7\nbin 31 9\ncell 0x1010 5\ncell 0x1080 0x1234\ncells 4\n"
	{ "a16-pdp", "variant a16-pdp\n" CLASSIC, 6 + 4 * 6 },
	{ "a32-le", "variant a32-le\n" CLASSIC, 12 + 4 * 8 },
	{ "a32-be", "variant a32-be\n" CLASSIC, 12 + 4 * 8 },
	{ "a64-le", "variant a64-le\n" CLASSIC, 24 + 4 * 16 },
	{ "a64-be", "variant a64-be\n" CLASSIC, 24 + 4 * 16 },
	{ "a64i-be", "variant a64i-be\n" CLASSIC, 24 + 4 * 16 },
#define GMON                                                                                                           \
	"hist 0x1000 0x1040 16\nbins 1 2 3\nbin 15 9\narc 0x1010 0x1020 5\nhist 0x2000 0x2020 8\nbin 7 1\narc 1 "      \
	"0x2000 3\n"
	{ NULL, "variant g2-32-le\n" GMON, 0 },
	{ NULL, "variant g2-64-be\n" GMON, 0 },
};
enum { NSAMPLE = sizeof(samples) / sizeof(samples[0]) };

/* Decode from a block that ends where the bytes end, so that a sanitizer sees any step too far. */
static struct mon_profile *decode(const unsigned char *bytes, size_t size, const char *variant, struct mon_error *err)
{
	struct mon_read_opts opts = { .variant = variant ? mon_variant_find(variant) : NULL };
	unsigned char *exact = malloc(size + !size);
	struct mon_profile *p = NULL;

	if (!exact)
		exit(1);
	memcpy(exact, bytes, size);
	if (mon_profile_decode(exact, size, &opts, &p, err))
		CHECK(!p && err->code != MON_OK && err->text[0]);
	free(exact);
	return p;
}

/* The invariants of a profile (monread.h), whatever it was read from. */
static void check_sound(const struct mon_profile *p, size_t file_size)
{
	uint64_t ticks = 0, calls = 0, nbin = 0;
	bool good = p->variant && p->hz > 0;

	for (size_t r = 0; r < p->nrange; r++) {
		const struct mon_range *g = &p->range[r];
		uint64_t index = 0, count = 0;

		good &= g->low < g->high && (r == 0 || p->range[r - 1].high <= g->low);
		good &= g->nbin == 0 || (g->width_num > 0 && g->width_den > 0);
		for (; mon_bins_next(g->bins, &index, &count); index++) {
			good &= count > 0 && index < g->nbin;
			ticks += count;
		}
		nbin += g->nbin;
	}
	good &= nbin <= file_size / 2;
	for (size_t i = 0; i < p->ncall; i++) {
		good &= p->call[i].count > 0 && (i == 0 || p->call[i - 1].pc < p->call[i].pc);
		calls += p->call[i].count;
	}
	for (size_t i = 1; i < p->narc; i++)
		good &= p->arc[i - 1].to < p->arc[i].to ||
			(p->arc[i - 1].to == p->arc[i].to && p->arc[i - 1].from < p->arc[i].from);
	good &= ticks == p->ticks && (calls == p->calls || p->flags & MON_F_COUNT_LIMIT);
	CHECK(good);
}

static void test_cut(const struct sample *s)
{
	struct bytes b = sample_bytes(s->text);

	for (size_t size = 0; size < b.size; size++) {
		struct mon_error err = { 0 };
		struct mon_profile *p = decode(b.data, size, s->variant, &err);

		if (p)
			check_sound(p, size);
		if (s->bins > 0 && size >= s->bins + 2) {
			if (CHECK(p && p->nrange == 1))
				CHECK_EQ(p->range[0].nbin, (size - s->bins) / 2);
			CHECK(!p || !(p->flags & MON_F_ODD_TAIL) == (size % 2 == 0));
		} else if (s->bins > 0 && size < s->bins) {
			CHECK(!p);
			CHECK(err.code == MON_E_TRUNCATED && err.offset <= size);
		} else if (s->bins == 0 && !p && size >= 8) {
			CHECK(err.offset <= size);
		}
		mon_profile_free(p);
		memset(&err, 0, sizeof(err));
		p = decode(b.data, size, NULL, &err); /* and guessing */
		if (p)
			check_sound(p, size);
		mon_profile_free(p);
	}
	free(b.data);
}

/* A cut gmon.out is an error but where it was cut between two records: those before are a whole file. */
static void test_cut_records(void)
{
	struct bytes b = sample_bytes(samples[6].text);
	/* header 20, first histogram 1 + 8 + 8 + 16 + 32 bytes of bins, arc 1 + 12, second 1 + 32 + 16, arc 13 */
	static const size_t ends[] = { 20, 20 + 65, 20 + 65 + 13, 20 + 65 + 13 + 49, 20 + 65 + 13 + 49 + 13 };
	size_t next = 0;

	CHECK_EQ(b.size, ends[4]);
	for (size_t size = 20; size <= b.size; size++) {
		struct mon_error err = { 0 };
		struct mon_profile *p = decode(b.data, size, NULL, &err);

		if (size == ends[next]) {
			next++;
			if (!CHECK(p != NULL || size == 20))
				printf("\tat %zu: %s\n", size, err.text);
		} else if (!CHECK(!p)) {
			printf("\taccepted at %zu\n", size);
		}
		mon_profile_free(p);
	}
	free(b.data);
}

static void test_flip(const struct sample *s)
{
	struct bytes b = sample_bytes(s->text);

	for (size_t bit = 0; bit < 8 * b.size; bit++) {
		for (int guess = 0; guess < 2; guess++) {
			struct mon_error err = { 0 };
			struct mon_profile *p;

			b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
			p = decode(b.data, b.size, guess ? NULL : s->variant, &err);
			b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
			if (p)
				check_sound(p, b.size);
			mon_profile_free(p);
		}
	}
	free(b.data);
}

/* Every field replaced by the numbers that break arithmetic. */
static void test_fields(const struct sample *s)
{
	static const uint64_t values[] = { 0,
					   1,
					   0x7fff,
					   0x8000,
					   0xffff,
					   0x7fffffff,
					   0x80000000,
					   0xffffffff,
					   UINT64_MAX / 2,
					   UINT64_MAX / 2 + 1,
					   UINT64_MAX - 1,
					   UINT64_MAX };
	struct bytes b = sample_bytes(s->text);

	for (size_t at = 0; at + 8 <= b.size && at < 96; at++) {
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			for (unsigned width = 2; width <= 8; width *= 2) {
				unsigned char saved[8];
				struct mon_error err = { 0 };
				struct mon_profile *p;

				memcpy(saved, b.data + at, 8);
				bytes_poke(&b, at, values[v], width, v % 2 ? ORDER_BE : ORDER_LE);
				p = decode(b.data, b.size, s->variant, &err);
				memcpy(b.data + at, saved, 8);
				if (p)
					check_sound(p, b.size);
				mon_profile_free(p);
			}
		}
	}
	free(b.data);
}

int main(void)
{
	for (size_t i = 0; i < NSAMPLE; i++) {
		test_cut(&samples[i]);
		test_flip(&samples[i]);
		test_fields(&samples[i]);
	}
	test_cut_records();
	return check_status();
}
