/* SPDX-License-Identifier: BSD-2-Clause */
/* match.c -- does a profile come from a program?  Its content answers; names and times of files are not asked.
 *
 * A build-id settles it.  Where there is none two things are looked at.  Start-up code profiles from the start of the text to its end, and people choose functions
 * as ends: another program's ends lie somewhere else.  And every call cell stands where the function's call of the
 * counting routine returns, a few bytes behind its entry, one cell a function: cells of another program fall anywhere.
 */
#include "monread_impl.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

enum { ROUNDING = 8 }; /* start-up code moves the ends to multiples of at most this many bytes */

/* What an end of the profile's range is in the program. */
enum edge {
	EDGE_NONE,
	EDGE_FUNCTION, /* an end of a function */
	EDGE_TEXT,     /* an end of the text or of one of its sections */
};

struct cells {
	size_t n;
	size_t good;   /* close behind an entry, and the first in its function */
	size_t common; /* of these: at the distance that most have */
	unsigned distance;
};

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static bool is_start(uint64_t low, uint64_t addr)
{
	return low <= addr && addr - low < ROUNDING;
}

static bool is_end(uint64_t high, uint64_t addr)
{
	return high >= addr && high - addr < ROUNDING;
}

static enum edge low_edge(const struct mon_object *obj, uint64_t low)
{
	const struct mon_section *s = mon_object_section(obj, obj->entry);
	size_t hint = 0;
	struct mon_piece p;

	/* the start of the file's image stands for the start of its text in position-independent programs */
	if (is_start(low, obj->base) || is_start(low, obj->text_low) || is_start(low, obj->entry) ||
	    (s && is_start(low, s->addr)))
		return EDGE_TEXT;
	p = mon_object_piece(obj, low, &hint);
	if (p.sym < obj->nsym && low > p.from) /* inside it: is the next one meant? */
		p = mon_object_piece(obj, p.to, &hint);
	if (p.sym == obj->nsym || !is_start(low, p.from))
		return EDGE_NONE;
	return p.sym == 0 ? EDGE_TEXT : EDGE_FUNCTION;
}

static enum edge high_edge(const struct mon_object *obj, uint64_t high)
{
	uint64_t last = high - 1; /* a range is not empty */
	size_t hint = 0;
	struct mon_piece p;

	if (is_end(high, obj->text_high))
		return EDGE_TEXT;
	for (size_t i = 0; i < obj->nsection; i++)
		if (is_end(high, obj->section[i].end))
			return EDGE_TEXT;
	p = mon_object_piece(obj, high, &hint);
	if (p.sym < obj->nsym && p.from == high)
		return EDGE_FUNCTION;
	for (unsigned back = 0; back < ROUNDING && back <= last; back++) {
		hint = 0;
		p = mon_object_piece(obj, last - back, &hint);
		if (p.sym < obj->nsym && last - back >= p.from)
			return is_end(high, p.to) ? EDGE_FUNCTION : EDGE_NONE;
	}
	return EDGE_NONE;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static struct cells look_at_cells(const struct mon_profile *p, uint32_t module, const struct mon_object *obj)
{
	size_t at[MON_SLACK] = { 0 }, hint = 0, before = obj->nsym;
	struct cells c = { 0 };

	for (size_t i = 0; i < p->ncall; i++) {
		uint64_t pc = p->call[i].pc;
		struct mon_piece piece;
		bool inside;

		if (p->call[i].module != module)
			continue;
		piece = mon_object_piece(obj, pc, &hint);
		inside = piece.sym < obj->nsym && pc >= piece.from;
		if (!inside && obj->stripped)
			continue; /* a static function that nobody knows any more */
		c.n++;
		if (!inside)
			continue;
		if (piece.sym != before && pc - obj->sym[piece.sym].addr < MON_SLACK) {
			c.good++;
			at[pc - obj->sym[piece.sym].addr]++;
		}
		before = piece.sym;
	}
	for (unsigned d = 0; d < MON_SLACK; d++)
		if (at[d] > c.common) {
			c.common = at[d];
			c.distance = d;
		}
	return c;
}

/* Too many to be good at the same distance by chance. */
static bool cells_convince(const struct cells *c)
{
	if (c->good < c->n)
		return false;
	return (c->n >= 3 && c->common * 10 >= c->n * 9) || (c->n >= 5 && c->common * 2 >= c->n) ||
	       (c->n >= 8 && c->common * 3 >= c->n);
}

static bool cells_fit(const struct cells *c)
{
	return c->n > 0 && c->good * 10 >= c->n * 9;
}

/* Too far from entries, or at all distances alike: in real profiles every second cell has the common one. */
static bool cells_contradict(const struct cells *c)
{
	return c->n > 0 && (c->good * 4 <= c->n * 3 || (c->n >= 4 && c->common * 3 < c->n));
}

/* ---- verdict ----------------------------------------------------------------------------------------------------- */

/* What cells alone tell. */
static enum mon_match judge_cells(const struct cells *c)
{
	return cells_convince(c) ? MON_MATCH_YES : cells_contradict(c) ? MON_MATCH_FOREIGN : MON_MATCH_UNSURE;
}

static enum mon_match judge(const struct mon_object *obj, enum edge low, enum edge high, uint64_t end,
			    const struct cells *c)
{
	if (high == EDGE_TEXT) {
		if (!cells_contradict(c))
			return MON_MATCH_YES;
		return c->n >= 4 && c->good * 2 < c->n ? MON_MATCH_FOREIGN : MON_MATCH_UNSURE;
	}
	if (low == EDGE_TEXT && high == EDGE_NONE) { /* all of some text, but not of this one? */
		if (cells_convince(c))
			return MON_MATCH_UNSURE;
		return c->n == 0 && end > obj->text_high ? MON_MATCH_UNSURE : MON_MATCH_FOREIGN;
	}
	if (low == EDGE_FUNCTION && high == EDGE_FUNCTION && (c->n == 0 || cells_fit(c)))
		return MON_MATCH_YES;
	return judge_cells(c);
}

static const char *edge_text(enum edge edge, bool high)
{
	static const char *const text[][2] = {
		[EDGE_NONE] = { "inside a function or nowhere", "inside a function or nowhere" },
		[EDGE_FUNCTION] = { "at a function", "at the end of a function" },
		[EDGE_TEXT] = { "at the start of the text", "at the end of the text" },
	};

	return text[edge][high];
}

/* Where the profile has something of the module, from the first address to the last. */
struct extent {
	uint64_t from, to; /* 0, 0: no histogram */
	bool touches;	   /* some of it is text of the program */
};

static struct extent find_extent(const struct mon_profile *p, uint32_t module, const struct mon_object *obj)
{
	struct extent e = { 0 };

	for (size_t i = 0; i < p->nrange; i++) {
		const struct mon_range *r = &p->range[i];

		if (r->module != module)
			continue;
		e.from = e.to == 0 ? r->low : e.from;
		e.to = r->high;
		e.touches |= r->low < obj->text_high && r->high > obj->text_low;
	}
	if (e.to == 0 && module < p->nmodule && p->module[module].high > 0) {
		e.from = p->module[module].low;
		e.to = p->module[module].high;
		e.touches = e.from < obj->text_high && e.to > obj->text_low;
	}
	return e;
}

/* What the content of a profile tells that states no build-id. */
static enum mon_match match_content(const struct mon_profile *p, uint32_t module, const struct mon_object *obj,
				    char *text, size_t size)
{
	struct cells c = look_at_cells(p, module, obj);
	struct extent e = find_extent(p, module, obj);
	char cells[128] = "";
	enum edge low, high;

	if (c.n > 0)
		snprintf(cells, sizeof(cells),
			 "; %zu of %zu call cells stand close behind an entry, %zu of them by %u bytes", c.good, c.n,
			 c.common, c.distance);
	if (e.to == 0) {
		if (text)
			snprintf(text, size, "the profile has no histogram; text 0x%llx-0x%llx%s", (ull)obj->text_low,
				 (ull)obj->text_high, cells);
		return judge_cells(&c);
	}
	low = low_edge(obj, e.from);
	high = high_edge(obj, e.to);
	if (text && !e.touches)
		snprintf(text, size, "range 0x%llx-0x%llx lies outside the program's text 0x%llx-0x%llx", (ull)e.from,
			 (ull)e.to, (ull)obj->text_low, (ull)obj->text_high);
	else if (text)
		snprintf(text, size, "range 0x%llx-0x%llx, text 0x%llx-0x%llx: starts %s, ends %s%s", (ull)e.from,
			 (ull)e.to, (ull)obj->text_low, (ull)obj->text_high, edge_text(low, false),
			 edge_text(high, true), cells);
	return e.touches ? judge(obj, low, high, e.to, &c) : MON_MATCH_OUTSIDE;
}

static void put_id(char hex[65], const unsigned char *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
}

enum mon_match mon_profile_match(const struct mon_profile *p, uint32_t module, const struct mon_object *obj, char *text,
				 size_t size)
{
	const struct mon_module *m = module < p->nmodule ? &p->module[module] : NULL;
	char wanted[65], found[65];
	bool same;

	if (!m || m->build_id_size == 0 || obj->build_id_size == 0)
		return match_content(p, module, obj, text, size);
	same = m->build_id_size == obj->build_id_size && !memcmp(m->build_id, obj->build_id, m->build_id_size);
	put_id(wanted, m->build_id, m->build_id_size);
	put_id(found, obj->build_id, obj->build_id_size);
	if (text && same)
		snprintf(text, size, "both have the build-id %s", found);
	else if (text)
		snprintf(text, size, "the profile names the build-id %s, the file has %s", wanted, found);
	return same ? MON_MATCH_YES : MON_MATCH_FOREIGN;
}
