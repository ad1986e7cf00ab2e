/* SPDX-License-Identifier: BSD-2-Clause */
/* random.c -- 10 000 random profiles of random programs, their rows against a byte-by-byte count. */
#include "check.h"
#include "sample.h"

__extension__ typedef unsigned __int128 u128;

enum { SPAN = 1024, BASE = 0x4000, MOST_OWNERS = 64 }; /* bytes of the world; all else lies outside of it */

static uint64_t seed = 20261130;

static unsigned rnd(unsigned n) /* 0 .. n - 1 */
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((seed >> 33) % n);
}

/* A program whose every byte has a known owner: 0 .. MON_NPLACE - 1 a remainder, above: a function. */
struct world {
	struct bytes text; /* its description */
	unsigned char owner[SPAN];
	unsigned nowner;
	unsigned start[MOST_OWNERS]; /* of functions */
};

static void say(struct bytes *text, const char *format, const char *word, unsigned a, unsigned b)
{
	char line[96];

	snprintf(line, sizeof(line), format, word, a, b);
	bytes_add(text, line, strlen(line));
}

/* Of several functions that hold a byte the one that starts last owns it. */
static void own(struct world *w, unsigned at, unsigned end)
{
	unsigned me = w->nowner++;

	w->start[me] = at;
	for (unsigned i = at; i < end; i++)
		if (w->owner[i] < MON_NPLACE || w->start[w->owner[i]] < at)
			w->owner[i] = (unsigned char)me;
}

/* A function that starts inside the one at [at, at + size) and ends inside it or behind it, before end. */
static void add_inner(struct world *w, unsigned at, unsigned size, unsigned end)
{
	unsigned off = 1 + rnd(size - 1), length = 1 + rnd(end - at - off);
	char line[64];

	for (unsigned i = MON_NPLACE; i < w->nowner; i++)
		if (w->start[i] == at + off)
			return; /* that would be another name of the same function */
	snprintf(line, sizeof(line), "inner f%u %u %u\n", w->nowner, off, length);
	bytes_add(&w->text, line, strlen(line));
	own(w, at + off, at + off + length);
}

static void fill_section(struct world *w, unsigned at, unsigned end, unsigned char gap)
{
	static const char *const kinds[] = { "func f%s%u %u\n", "static f%s%u %u\n", "weak f%s%u %u\n" };

	memset(w->owner + at, gap, end - at);
	while (at < end) {
		unsigned size = 1 + rnd(rnd(4) ? 40 : 200);

		if (size > end - at)
			size = end - at;
		if (rnd(4) == 0 || w->nowner + 3 > MOST_OWNERS) {
			say(&w->text, "gap%s %u # %u\n", "", size, 0);
		} else {
			say(&w->text, kinds[rnd(3)], "", w->nowner, size);
			own(w, at, at + size);
			for (unsigned n = rnd(3); n > 0 && size > 1 && rnd(3) == 0; n--)
				add_inner(w, at, size, end);
		}
		at += size;
	}
}

static struct world make_world(void)
{
	struct world w = { .nowner = MON_NPLACE };
	unsigned text_end = 400 + rnd(300), plt = text_end + rnd(100);

	memset(w.owner, MON_OUTSIDE, sizeof(w.owner));
	say(&w.text, "file x%s.c # %u %u\nsection .text 0x4000\n", "", 0, 0);
	say(&w.text, "func first%s%u %u\n", "", 0, 5);
	own(&w, 0, 5);
	fill_section(&w, 5, text_end, MON_IN_GAP);
	say(&w.text, "section .plt%s %u # %u\n", "", BASE + plt, 0);
	memset(w.owner + plt, MON_IN_PLT, 64);
	say(&w.text, "gap%s %u # %u\n", "", 64, 0);
	bytes_fill(&w.text, 0, 1);
	return w;
}

/* Adds the part of the histogram that each byte of the world holds, in units of 1/num ticks, to sum. */
static void count_range(const struct mon_range *range, const struct world *w, u128 *sum)
{
	for (uint64_t i = 0; i < range->nbin; i++) {
		uint64_t count = mon_bins_get(range->bins, i);
		uint64_t at = i * range->width_num, end = at + range->width_num; /* in 1/den bytes from low */

		for (uint64_t byte = at / range->width_den; count > 0 && byte * range->width_den < end; byte++) {
			uint64_t from = byte * range->width_den, to = from + range->width_den;
			uint64_t pos = range->low + byte - BASE;
			unsigned owner = pos < SPAN ? w->owner[pos] : MON_OUTSIDE;

			sum[owner] += (u128)count * ((to < end ? to : end) - (from > at ? from : at));
		}
	}
}

/* The bins' width is the range's size over their number, in lowest terms. */
static void check_width(const struct mon_range *range)
{
	uint64_t a = range->high - range->low, b = range->nbin;

	CHECK((u128)range->width_num * b == (u128)range->width_den * a);
	while (b) {
		uint64_t t = a % b;

		a = b;
		b = t;
	}
	CHECK_EQ(range->width_num * a, range->high - range->low);
}

/* The function that starts here. */
static unsigned owner_of(const struct world *w, uint64_t start)
{
	unsigned i = MON_NPLACE;

	while (i + 1 < w->nowner && w->start[i] != start)
		i++;
	return i;
}

static bool check_against_bytes(const struct mon_profile *p, const struct mon_report *r, const struct world *w)
{
	u128 sum[MON_NPLACE + MOST_OWNERS + 1] = { 0 }, total = 0;
	uint64_t unit = p->range[0].width_num;
	bool good = true;

	count_range(&p->range[0], w, sum);
	for (size_t i = 0; i < r->nrow; i++) {
		const struct mon_ticks t = r->row[i].ticks;
		const struct mon_symbol *sym = r->row[i].sym;
		unsigned owner = sym ? owner_of(w, sym->addr - BASE) : r->row[i].place;

		/* whole + num/den == sum/unit */
		good &= t.den > 0 && t.num < t.den &&
			(u128)t.whole * unit * t.den + (u128)t.num * unit == sum[owner] * t.den;
		total += sum[owner];
		sum[owner] = 0;
	}
	for (size_t i = 0; i < sizeof(sum) / sizeof(sum[0]); i++)
		good &= sum[i] == 0; /* nobody is missing */
	return good && total == (u128)p->ticks * unit && r->total_ticks == p->ticks;
}

static void make_profile(struct bytes *text, unsigned *nbin)
{
	unsigned low = rnd(300), size = 20 + rnd(900);

	*nbin = 1 + rnd(rnd(2) ? size : size / 8 + 1);
	text->size = 0;
	say(text, "variant a64-le%s\nhist %u %u ", "", BASE - 100 + low, BASE - 100 + low + size);
	say(text, "%s%u # %u\n", "", *nbin, 0);
	for (unsigned i = 0; i < 12; i++)
		say(text, "bin%s %u %u\n", "", rnd(*nbin), rnd(3) ? rnd(100) : rnd(65536));
	bytes_fill(text, 0, 1);
}

static void test_random(void)
{
	struct bytes text = { 0 };
	unsigned wrong = 0, nbin;

	for (unsigned i = 0; i < 200; i++) {
		struct world w = make_world();
		struct mon_object *obj = sample_object((const char *)w.text.data);

		for (unsigned k = 0; k < 50 && wrong < 5; k++) {
			struct mon_profile *p;
			struct mon_report *r;

			make_profile(&text, &nbin);
			p = sample_profile((const char *)text.data, "a64-le");
			check_width(&p->range[0]);
			r = sample_report(p, obj, rnd(2), false);
			if (!CHECK(check_against_bytes(p, r, &w))) {
				printf("\tprogram:\n%s\tprofile:\n%s", (const char *)w.text.data,
				       (const char *)text.data);
				wrong++;
			}
			mon_report_free(r);
			mon_profile_free(p);
		}
		mon_object_close(obj);
		free(w.text.data);
	}
	free(text.data);
}

int main(void)
{
	test_random();
	return check_status();
}
