/* SPDX-License-Identifier: BSD-2-Clause */
/* gmon.c -- gmon.out of the GNU system, version 0 and 1: records of histograms, arcs and basic blocks.
 *
 * The file states neither the width of an address nor, but for its version, a byte order.  The four shapes are tried:
 * the records of the right one end exactly at the end of the file.
 */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

#define MAX_TEXT (UINT64_C(1) << 46) /* bytes; half of what user addresses have on any machine */

enum {
	HEADER = 20,
	DIMENSION = 16, /* bytes of the unit's name and letter */
	COUNT = 4,	/* bytes of a count of bins, blocks or calls */
	MAX_HZ = 1000000,
	MAX_RANGE = 1 << 16, /* ranges of different addresses */
};
enum tag { TAG_HIST, TAG_ARC, TAG_BLOCKS };

/* A file read with one width and order. */
struct shape {
	unsigned word;
	enum mon_order order;
	bool whole;	/* its records end at the end of the file */
	bool plausible; /* and its histograms can be true */
	uint64_t reach; /* where reading failed */
	size_t nhist, narc;
};

struct hist {
	uint64_t low; /* first: hists are sorted by it */
	uint64_t high, off;
	uint32_t nbin, rate;
};

/* ---- records ----------------------------------------------------------------------------------------------------- */

static int get_hist(struct mon_cursor *c, unsigned word, struct hist *h, struct mon_error *err)
{
	uint64_t start = c->off, nbin, rate;

	if (mon_cursor_get(c, word, &h->low, err) || mon_cursor_get(c, word, &h->high, err) ||
	    mon_cursor_get(c, COUNT, &nbin, err) || mon_cursor_get(c, COUNT, &rate, err) ||
	    !mon_input_at(c->in, c->off, DIMENSION, err))
		return -1;
	c->off += DIMENSION;
	if (nbin > INT32_MAX)
		return mon_error_set(err, MON_E_FORMAT, 0, start + 2 * word,
				     "a histogram of a negative number of bins (0x%llx)", (ull)nbin);
	if (nbin * MON_BIN_SIZE > c->in->size - c->off)
		return mon_error_set(err, MON_E_TRUNCATED, 0, c->in->size,
				     "the file ends after %llu bytes, inside the %llu bins that start at byte %llu",
				     (ull)c->in->size, (ull)nbin, (ull)c->off);
	h->nbin = (uint32_t)nbin;
	h->rate = (uint32_t)rate;
	h->off = c->off;
	c->off += nbin * MON_BIN_SIZE;
	return 0;
}

static int get_arc(struct mon_cursor *c, unsigned word, struct mon_arc *a, struct mon_error *err)
{
	const unsigned char *b = mon_input_at(c->in, c->off, 2 * word + COUNT, err);

	if (!b)
		return -1;
	a->from = mon_get(b, word, c->order);
	a->to = mon_get(b + word, word, c->order);
	a->count = mon_get(b + 2 * word, COUNT, c->order);
	c->off += 2 * word + COUNT;
	return 0;
}

static int skip_blocks(struct mon_cursor *c, unsigned word, struct mon_error *err)
{
	uint64_t n;

	if (mon_cursor_get(c, COUNT, &n, err))
		return -1;
	if (n > (c->in->size - c->off) / (2 * word))
		return mon_error_set(
		    err, MON_E_TRUNCATED, 0, c->in->size,
		    "the file ends after %llu bytes, inside the %llu basic blocks that start at byte %llu",
		    (ull)c->in->size, (ull)n, (ull)c->off);
	c->off += n * 2 * word;
	return 0;
}

/* What a histogram must be, whatever its place in the file. */
static int check_hist(const struct hist *h, unsigned word, struct mon_error *err)
{
	uint64_t at = h->off - DIMENSION - 2 * COUNT - 2 * word, range = h->high - h->low;

	if (h->low > h->high || (h->low == h->high && h->nbin > 0))
		return mon_error_set(err, MON_E_FORMAT, 0, at,
				     "the range 0x%llx-0x%llx of a histogram is backwards or empty", (ull)h->low,
				     (ull)h->high);
	if (h->nbin > range || (h->nbin == 0 && range > 0))
		return mon_error_set(err, MON_E_FORMAT, 0, at + 2 * word, "%lu bins for the %llu bytes 0x%llx-0x%llx",
				     (unsigned long)h->nbin, (ull)range, (ull)h->low, (ull)h->high);
	if (range > MAX_TEXT)
		return mon_error_set(err, MON_E_FORMAT, 0, at,
				     "the range 0x%llx-0x%llx of a histogram is larger than any program's text",
				     (ull)h->low, (ull)h->high);
	if (h->rate == 0 || h->rate > MAX_HZ)
		return mon_error_set(err, MON_E_FORMAT, 0, at + 2 * word + COUNT,
				     "a clock rate of %ld Hz cannot be: 1 to %d are believed", (long)(int32_t)h->rate,
				     MAX_HZ);
	return 0;
}

/* ---- which shape ------------------------------------------------------------------------------------------------- */

/* One record, wherever it leads. */
static int walk_record(struct mon_cursor *c, struct shape *s, struct mon_error *err)
{
	struct mon_arc arc;
	struct hist hist;
	uint64_t tag;

	if (mon_cursor_get(c, 1, &tag, err))
		return -1;
	switch (tag) {
	case TAG_HIST:
		if (get_hist(c, s->word, &hist, err))
			return -1;
		s->nhist++;
		s->plausible &= check_hist(&hist, s->word, NULL) == 0;
		return 0;
	case TAG_ARC:
		s->narc++;
		return get_arc(c, s->word, &arc, err);
	case TAG_BLOCKS:
		return skip_blocks(c, s->word, err);
	default:
		return mon_error_set(err, MON_E_FORMAT, 0, c->off - 1, "a record of the unknown kind %llu", (ull)tag);
	}
}

static void walk(struct mon_input *in, struct shape *s, struct mon_error *err)
{
	struct mon_cursor c = { .in = in, .order = s->order, .off = HEADER };

	s->plausible = true;
	while (c.off < in->size) {
		s->reach = c.off;
		if (walk_record(&c, s, err))
			return;
	}
	s->whole = true;
}

enum { NSHAPE = 4 };

/* The one shape that fits, by the strongest evidence that leaves just one; NULL: none or several. */
static const struct shape *choose(const struct shape *s, const struct mon_object *program)
{
	const struct shape *whole = NULL, *plausible = NULL, *asked = NULL;
	size_t nwhole = 0, nplausible = 0;

	for (size_t i = 0; i < NSHAPE; i++) {
		bool wanted = program && s[i].word == program->word && (s[i].order == MON_BE) == program->big_endian;

		if (!s[i].whole)
			continue;
		nwhole++;
		whole = &s[i];
		if (wanted)
			asked = &s[i];
		if (!s[i].plausible)
			continue;
		nplausible++;
		plausible = &s[i];
	}
	if (asked && (asked->plausible || nplausible == 0))
		return asked;
	if (nplausible == 1)
		return plausible;
	/* without a record all shapes say the same */
	return nwhole == 1 || (nwhole > 0 && whole->nhist + whole->narc == 0) ? whole : NULL;
}

/* No shape fits: the error of the one that came furthest, of the program's shape if that is one of them. */
static int explain(const struct shape *s, const struct mon_error *why, const struct mon_object *program,
		   struct mon_error *err)
{
	size_t best = 0, nwhole = 0;

	for (size_t i = 0; i < NSHAPE; i++) {
		bool wanted = program && s[i].word == program->word && (s[i].order == MON_BE) == program->big_endian;

		nwhole += s[i].whole;
		if (s[i].reach > s[best].reach || (s[i].reach == s[best].reach && wanted))
			best = i;
	}
	if (nwhole > 0)
		return mon_error_set(err, MON_E_AMBIGUOUS, 0, MON_NO_OFFSET,
				     "its records fit several address widths or byte orders; name its program too");
	return mon_error_set(err, why[best].code, why[best].sys, why[best].offset, "%s", why[best].text);
}

static int check_version(struct mon_input *in, struct shape *s, struct mon_error *err)
{
	const unsigned char *b = mon_input_at(in, 0, HEADER, err);
	uint64_t le, be;

	if (!b)
		return -1;
	if (memcmp(b, "gmon", 4))
		return mon_error_set(err, MON_E_FORMAT, 0, 0, "does not begin with the word gmon");
	le = mon_get(b + 4, 4, MON_LE);
	be = mon_get(b + 4, 4, MON_BE);
	if (le == 0x1ffff || be == 0x1ffff)
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, 4,
				     "is a profile of a shared object by ld.so (LD_PROFILE), which is "
				     "not yet readable; sprof reads it");
	if (le > 1 && be > 1)
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, 4, "is a gmon.out of the unknown version %llu",
				     (ull)MON_MIN(le, be));
	for (size_t i = 0; i < NSHAPE; i++) /* version 1 tells the order, version 0 does not */
		s[i].whole = mon_get(b + 4, 4, s[i].order) <= 1;
	return 0;
}

static int find_shape(struct mon_input *in, const struct mon_object *program, struct shape *out, struct mon_error *err)
{
	struct shape s[NSHAPE] = {
		{ .word = 8, .order = MON_LE },
		{ .word = 4, .order = MON_LE },
		{ .word = 8, .order = MON_BE },
		{ .word = 4, .order = MON_BE },
	};
	struct mon_error why[NSHAPE] = { 0 };
	const struct shape *best;

	if (check_version(in, s, err))
		return -1;
	for (size_t i = 0; i < NSHAPE; i++) {
		if (!s[i].whole)
			continue;
		s[i].whole = false;
		walk(in, &s[i], &why[i]);
	}
	best = choose(s, program);
	if (!best)
		return explain(s, why, program, err);
	*out = *best;
	return 0;
}

/* ---- histograms -------------------------------------------------------------------------------------------------- */

/* Make the ranges of the profile from the headers of its histograms, several of which may have one range. */
static int add_ranges(struct mon_profile *p, const struct hist *hist, size_t n, struct mon_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct hist *h = &hist[i];
		const struct mon_range *last = p->nrange ? &p->range[p->nrange - 1] : NULL;

		if (h->nbin == 0)
			continue;
		if (last && last->low == h->low && last->high == h->high && last->nbin == h->nbin)
			continue;
		if (last && h->low < last->high)
			return mon_error_set(
			    err, MON_E_FORMAT, 0, h->off,
			    "its histograms 0x%llx-0x%llx (%llu bins) and 0x%llx-0x%llx (%lu bins) overlap",
			    (ull)last->low, (ull)last->high, (ull)last->nbin, (ull)h->low, (ull)h->high,
			    (unsigned long)h->nbin);
		if (p->nrange == MAX_RANGE)
			return mon_error_set(err, MON_E_UNSUPPORTED, 0, h->off, "more than %d histograms", MAX_RANGE);
		if (mon_profile_add_range(p, h->low, h->high, h->nbin, err))
			return -1;
	}
	return 0;
}

static struct mon_range *find_range(const struct mon_profile *p, uint64_t low)
{
	size_t from = 0, to = p->nrange;

	while (to - from > 1) {
		size_t mid = from + (to - from) / 2;

		if (p->range[mid].low <= low)
			from = mid;
		else
			to = mid;
	}
	return &p->range[from];
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

/* All records once more: the headers of the histograms, checked, and the arcs. */
static int load_records(struct mon_profile *p, struct mon_cursor c, const struct shape *s, struct hist *hist,
			struct mon_error *err)
{
	size_t n = 0;
	uint64_t tag;

	while (c.off < c.in->size) {
		if (mon_cursor_get(&c, 1, &tag, err))
			return -1;
		if (tag == TAG_HIST) {
			struct hist *h = &hist[n++];

			if (get_hist(&c, s->word, h, err) || check_hist(h, s->word, err))
				return -1;
			if (h->rate != hist[0].rate)
				return mon_error_set(err, MON_E_FORMAT, 0, h->off - DIMENSION - COUNT,
						     "its histograms have the different rates %lu and %lu Hz",
						     (unsigned long)hist[0].rate, (unsigned long)h->rate);
		} else if (tag == TAG_ARC ? get_arc(&c, s->word, &p->arc[p->narc++], err)
					  : skip_blocks(&c, s->word, err)) {
			return -1;
		}
	}
	return 0;
}

/* And again: the bins, in the order of the file, which is not that of the ranges. */
static int load_bins(struct mon_profile *p, struct mon_cursor c, const struct shape *s, struct mon_error *err)
{
	struct mon_arc arc;
	struct hist h;
	uint64_t tag;

	while (c.off < c.in->size) {
		if (mon_cursor_get(&c, 1, &tag, err))
			return -1;
		if (tag == TAG_HIST) {
			if (get_hist(&c, s->word, &h, err) ||
			    (h.nbin > 0 && mon_profile_load_bins(p, find_range(p, h.low), c.in, h.off, s->order, err)))
				return -1;
		} else if (tag == TAG_ARC ? get_arc(&c, s->word, &arc, err) : skip_blocks(&c, s->word, err)) {
			return -1;
		}
	}
	return 0;
}

static int load(struct mon_profile *p, struct mon_input *in, const struct shape *s, struct hist *hist,
		struct mon_error *err)
{
	const struct mon_cursor start = { .in = in, .order = s->order, .off = HEADER };

	if (load_records(p, start, s, hist, err))
		return -1;
	if (s->nhist == 0)
		return 0;
	p->hz = hist[0].rate;
	p->hz_source = MON_HZ_FILE;
	mon_sort(hist, s->nhist, sizeof(*hist), MON_KEY(struct hist, low), NULL, NULL);
	if (add_ranges(p, hist, s->nhist, err))
		return -1;
	return load_bins(p, start, s, err);
}

int mon_gmon_decode(const struct mon_format *fmt, struct mon_input *in, const struct mon_read_opts *opts,
		    struct mon_profile *p, struct mon_error *err)
{
	struct hist *hist;
	struct shape s;
	int rc;

	(void)fmt;
	if (find_shape(in, opts->program, &s, err))
		return -1;
	hist = calloc(s.nhist + 1, sizeof(*hist));
	p->arc = calloc(s.narc + 1, sizeof(*p->arc));
	rc = hist && p->arc ? load(p, in, &s, hist, err) : mon_error_nomem(err);
	free(hist);
	return rc;
}
