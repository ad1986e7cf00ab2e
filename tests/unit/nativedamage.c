/* SPDX-License-Identifier: BSD-2-Clause */
/* nativedamage.c -- native profiles cut and damaged everywhere, and hostile ones: an error or a sound profile, never more. */
#include "live.h"

/* ---- cut and damaged ------------------------------------------------------------------------------------------------- */

/* Where the sections begin without which nothing is to be understood, and those that may be missing. */
static void test_cut_live(void)
{
	struct live *f = make_live();
	uint64_t before = 0;
	size_t partial = 0;

	for (size_t size = 0; size <= sizeof(*f); size++) {
		struct mon_error err = { 0 };
		struct mon_profile *p = decode(f, size, &err);

		if (!p) {
			CHECK_EQ(err.code, MON_E_TRUNCATED);
			CHECK(err.offset <= size);
			CHECK(size < AT(function[0])); /* from there on only counts are cut off */
			continue;
		}
		check_sound(p);
		CHECK(p->ticks <= all_ticks && p->calls <= all_calls && p->calls >= before);
		before = p->calls;
		if (size < AT(unknown)) {
			CHECK(p->flags & MON_F_CUT);
			partial++;
		} else {
			CHECK(!(p->flags & MON_F_CUT) && p->ticks == all_ticks && p->calls == all_calls);
		}
		mon_profile_free(p);
	}
	CHECK_EQ(before, all_calls);
	CHECK_EQ(partial, AT(unknown) - AT(function[0]));
	free(f);
}

/* The checksum: no byte may be missing, no bit may be other than it was written. */
static void test_damage_finished(void)
{
	struct bytes b = make(finished, "be");
	struct mon_error err = { 0 };

	for (size_t size = 8; size < b.size; size++) {
		CHECK(!decode(b.data, size, &err));
		CHECK_EQ(err.code, MON_E_TRUNCATED);
	}
	for (size_t bit = 0; bit < 8 * b.size; bit++) {
		b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		if (!CHECK(!decode(b.data, b.size, &err)))
			printf("\tbit %zu of byte %zu\n", bit % 8, bit / 8);
		b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	b.data[b.size - 1] ^= 0x10;
	CHECK(!decode(b.data, b.size, &err));
	CHECK_EQ(err.code, MON_E_FORMAT);
	CHECK_HAS(err.text, "checksum");
	free(b.data);
}

static void test_damage_live(void)
{
	struct live *f = make_live();
	unsigned char *b = (unsigned char *)f;
	size_t accepted = 0;

	for (size_t bit = 0; bit < 8 * sizeof(*f); bit++) {
		struct mon_error err = { 0 };
		struct mon_profile *p;

		b[bit / 8] ^= (unsigned char)(1u << bit % 8);
		p = decode(f, sizeof(*f), &err);
		b[bit / 8] ^= (unsigned char)(1u << bit % 8);
		if (p)
			check_sound(p);
		accepted += p != NULL;
		mon_profile_free(p);
	}
	CHECK(accepted > 0 && accepted < 8 * sizeof(*f));
	free(f);
}

/* ---- hostile -------------------------------------------------------------------------------------------------------- */

static void change_object(struct live *f, unsigned i, size_t offset, uint64_t value, size_t width)
{
	memcpy(f->object[i] + offset, &value, width); /* of a small value the low bytes, of an all-ones value all */
}

#define OBJECT(i, member, value)                                                                                       \
	change_object(f, i, offsetof(struct monfmt_object, member), value, sizeof(((struct monfmt_object *)0)->member))

static void cycle_self(struct live *f)
{
	f->table[0].next = AT(table[0]);
}
static void cycle_back(struct live *f)
{
	f->table[1].next = AT(table[0]);
}
static void table_far(struct live *f)
{
	f->header.table = UINT64_MAX - 7;
}
static void table_full(struct live *f)
{
	f->table[0].nsection = 13;
}
static void table_huge(struct live *f)
{
	f->table[0].nsection = f->table[0].room = UINT32_MAX;
}
static void wraps(struct live *f)
{
	section_of(f, MONFMT_COUNT, 0)->offset = UINT64_MAX - 8;
}
static void overlaps(struct live *f)
{
	for (unsigned i = 0; i < 3; i++) {
		section_of(f, MONFMT_COUNT, i)->offset = 0;
		section_of(f, MONFMT_COUNT, i)->size = sizeof(*f) / 16 * 8;
	}
}
static void odd_size(struct live *f)
{
	section_of(f, MONFMT_COUNT, 1)->size = 12;
}
static void short_process(struct live *f)
{
	section_of(f, MONFMT_PROCESS, 0)->size = 16;
}
static void two_clocks(struct live *f)
{
	section_of(f, MONFMT_ARGUMENT, 0)->type = MONFMT_CLOCK;
}
static void object_far(struct live *f)
{
	section_of(f, MONFMT_OBJECT, 1)->of = 1u << 20;
}
static void object_twice(struct live *f)
{
	section_of(f, MONFMT_OBJECT, 1)->of = 0;
}
static void path_long(struct live *f)
{
	OBJECT(0, path_size, 17);
}
static void path_longest(struct live *f)
{
	OBJECT(1, path_size, UINT32_MAX);
}
static void id_long(struct live *f)
{
	OBJECT(0, build_id_size, 33);
}
static void text_back(struct live *f)
{
	OBJECT(0, low, 0x9000);
}
static void text_wraps(struct live *f)
{
	OBJECT(1, high, UINT64_MAX);
}
static void function_nowhere(struct live *f)
{
	f->function[0][0].object = 2;
}
static void page_twice(struct live *f)
{
	f->pages[0][1] = 3;
}
static void page_missing(struct live *f)
{
	f->pages[0][1] = 5;
}
static void page_beyond(struct live *f)
{
	section_of(f, MONFMT_PAGES, 1)->of = 9;
}
static void bin_beyond(struct live *f)
{
	f->pool[0][1][2] = 1;
}
static void pools_overlap(struct live *f)
{
	section_of(f, MONFMT_POOL, 1)->of = 2;
}
static void no_rate(struct live *f)
{
	f->clock.hz = 0;
}
static void high_rate(struct live *f)
{
	f->clock.hz = 10001;
}
static void bad_order(struct live *f)
{
	f->header.order = 0x02010403;
}
static void bad_word(struct live *f)
{
	f->header.word = 3;
}
static void bad_state(struct live *f)
{
	f->header.state = 3;
}
static void new_version(struct live *f)
{
	f->header.version = 2;
}
static void begun(struct live *f)
{
	f->header.order = 0;
}

static const struct hostile {
	void (*spoil)(struct live *);
	enum mon_errcode code;
	const char *says;
} hostile[] = {
	{ cycle_self, MON_E_FORMAT, "before it" },
	{ cycle_back, MON_E_FORMAT, "before it" },
	{ table_far, MON_E_TRUNCATED, "ends" },
	{ table_full, MON_E_FORMAT, "room for 12" },
	{ table_huge, MON_E_TRUNCATED, "4294967295" },
	{ wraps, MON_E_FORMAT, "outside" },
	{ overlaps, MON_E_FORMAT, "overlap" },
	{ odd_size, MON_E_FORMAT, "12 bytes" },
	{ short_process, MON_E_FORMAT, "process has 16" },
	{ two_clocks, MON_E_FORMAT, "" },
	{ object_far, MON_E_UNSUPPORTED, "1048576" },
	{ object_twice, MON_E_FORMAT, "twice" },
	{ path_long, MON_E_FORMAT, "path of 17" },
	{ path_longest, MON_E_FORMAT, "4294967295" },
	{ id_long, MON_E_FORMAT, "33" },
	{ text_back, MON_E_FORMAT, "backwards" },
	{ text_wraps, MON_E_FORMAT, "too large" },
	{ function_nowhere, MON_E_FORMAT, "object 2" },
	{ page_twice, MON_E_FORMAT, "two pages of text" },
	{ page_missing, MON_E_FORMAT, "page 5" },
	{ page_beyond, MON_E_FORMAT, "object 9" },
	{ bin_beyond, MON_E_FORMAT, "bin 98" },
	{ pools_overlap, MON_E_FORMAT, "page number 2" },
	{ no_rate, MON_E_FORMAT, "0 Hz" },
	{ high_rate, MON_E_FORMAT, "10001 Hz" },
	{ bad_order, MON_E_FORMAT, "order" },
	{ bad_word, MON_E_FORMAT, "3 bytes" },
	{ bad_state, MON_E_FORMAT, "state 3" },
	{ new_version, MON_E_UNSUPPORTED, "version 2" },
	{ begun, MON_E_TRUNCATED, "only begun" },
};

static void test_hostile(void)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct live *f = make_live();
		struct mon_error err = { 0 };
		struct mon_profile *p;

		hostile[i].spoil(f);
		p = decode(f, sizeof(*f), &err);
		if (!CHECK(!p) || !CHECK_EQ(err.code, hostile[i].code) || !CHECK_HAS(err.text, hostile[i].says))
			printf("\tcase %zu, \"%s\": %s\n", i, hostile[i].says, err.text);
		mon_profile_free(p);
		free(f);
	}
}

/* Finished files with something wrong and a checksum that is right. */
static const struct sealed {
	const char *text, *says;
} sealed[] = {
	{ "variant native-64-le\nclock 1\nobject 16 32\nbin 2 1\n", "bin 2" },
	{ "variant native-64-le\nclock 1\nsection 12 3 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0\nobject 16 32\n", "object 3" },
	{ "variant native-64-le\nclock 1\nsection 13 4294967295 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0\nobject 16 32\n",
	  "object 4294967295" },
	{ "variant native-64-le\nrate 10001\nclock 1\nobject 16 32\n", "10001" },
	{ "variant native-64-le\nclock 1\nobject 16 32\npoke 24 0\nseal\n", "0 bytes" },
	{ "variant native-64-le\nclock 1\nobject 16 32\npoke 32 0\nseal\n", "no table" },
};

static void test_sealed(void)
{
	for (size_t i = 0; i < sizeof(sealed) / sizeof(sealed[0]); i++) {
		struct bytes b = sample_bytes(sealed[i].text);
		struct mon_error err = { 0 };
		struct mon_profile *p = decode(b.data, b.size, &err);

		if (!CHECK(!p) || !CHECK_EQ(err.code, MON_E_FORMAT) || !CHECK_HAS(err.text, sealed[i].says))
			printf("\tcase %zu: %s\n", i, err.text);
		mon_profile_free(p);
		free(b.data);
	}
}

int main(void)
{
	test_cut_live();
	test_damage_finished();
	test_damage_live();
	test_hostile();
	test_sealed();
	return check_status();
}
