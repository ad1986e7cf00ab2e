/* SPDX-License-Identifier: BSD-2-Clause */
/* native.c -- the native profile (monfmt.h): header, list of sections, and what live and finished files have in common.
 *
 * A section must lie in the file, and no two sections can need more bytes than the file has: so whatever a file claims,
 * what is read of it is not more than it is long.  Only a file that its process still had in use may end early; what
 * stood behind the end is then missing (MON_F_CUT), unless nothing can be understood without it.
 */
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { NTYPE = MONFMT_SUM + 1 };

static const struct kind {
	const char *name;
	uint32_t unit, least; /* bytes of an element, and of the first; unit 0: a type that is not read */
	bool once;
} kinds[NTYPE] = {
	[MONFMT_PROCESS] = { "process", 1, sizeof(struct monfmt_process), true },
	[MONFMT_PROGRAM] = { "program", 1, 1, true },
	[MONFMT_ARGUMENT] = { "argument", 1, 1, true },
	[MONFMT_HOST] = { "host", 1, 1, true },
	[MONFMT_CLOCK] = { "clock", 1, sizeof(struct monfmt_clock), true },
	[MONFMT_OBJECT] = { "object", 1, sizeof(struct monfmt_object), false },
	[MONFMT_FUNCTION] = { "functions", sizeof(struct monfmt_function), 0, false },
	[MONFMT_COUNT] = { "counts", sizeof(uint64_t), 0, false },
	[MONFMT_PAGES] = { "pages", sizeof(uint32_t), 0, false },
	[MONFMT_POOL] = { "pool", MONFMT_PAGE_BINS * sizeof(uint64_t), 0, false },
	[MONFMT_THREAD] = { "threads", sizeof(struct monfmt_thread), 0, false },
	[MONFMT_CALLS] = { "calls", sizeof(struct monfmt_call), 0, false },
	[MONFMT_BINS] = { "bins", sizeof(struct monfmt_bin), 0, false },
	[MONFMT_SUM] = { "sum", 1, sizeof(struct monfmt_sum), true },
};

static const struct kind *kind_of(uint32_t type)
{
	return type < NTYPE && kinds[type].unit > 0 ? &kinds[type] : NULL;
}

bool mon_is_native(const unsigned char *head, size_t len)
{
	return len >= 8 && !memcmp(head, MONFMT_MAGIC, 8);
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

static int check_order(struct mon_native *n, const unsigned char *h, struct mon_error *err)
{
	n->order = MON_MEMBER(h, MON_LE, monfmt_header, order) == MONFMT_ORDER ? MON_LE : MON_BE;
	if (MON_MEMBER(h, n->order, monfmt_header, order) == MONFMT_ORDER)
		return 0;
	if (MON_MEMBER(h, n->order, monfmt_header, order) == 0)
		return mon_error_set(err, MON_E_TRUNCATED, 0, offsetof(struct monfmt_header, order),
				     "its process had only begun to make the file: it holds nothing yet");
	return mon_error_set(err, MON_E_FORMAT, 0, offsetof(struct monfmt_header, order),
			     "the mark of its byte order, 0x%llx, is none",
			     (ull)MON_MEMBER(h, MON_BE, monfmt_header, order));
}

static int read_header(struct mon_native *n, struct mon_error *err)
{
	const unsigned char *h = mon_input_at(n->in, 0, sizeof(struct monfmt_header), err);
	uint64_t version, word;

	if (!h)
		return -1;
	if (!mon_is_native(h, sizeof(struct monfmt_header)))
		return mon_error_set(err, MON_E_FORMAT, 0, 0, "does not begin with the mark of a native profile");
	if (check_order(n, h, err))
		return -1;
	version = MON_MEMBER(h, n->order, monfmt_header, version);
	word = MON_MEMBER(h, n->order, monfmt_header, word);
	n->state = (uint32_t)MON_MEMBER(h, n->order, monfmt_header, state);
	n->crc = (uint32_t)MON_MEMBER(h, n->order, monfmt_header, crc);
	n->size = MON_MEMBER(h, n->order, monfmt_header, size);
	n->table = MON_MEMBER(h, n->order, monfmt_header, table);
	if (version > MONFMT_VERSION)
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, offsetof(struct monfmt_header, version),
				     "is a native profile of version %llu; versions up to %d are read", (ull)version,
				     MONFMT_VERSION);
	if (word != 4 && word != 8)
		return mon_error_set(err, MON_E_FORMAT, 0, offsetof(struct monfmt_header, word),
				     "addresses of %llu bytes", (ull)word);
	if (n->state != MONFMT_LIVE && n->state != MONFMT_FINISHED)
		return mon_error_set(err, MON_E_FORMAT, 0, offsetof(struct monfmt_header, state),
				     "the unknown state %lu", (unsigned long)n->state);
	return 0;
}

/* A file that was finished is all there and as it was written.  One that could only be marked as finished, because the
 * compact one could not be written, has no checksum. */
static int check_whole(struct mon_native *n, struct mon_error *err)
{
	uint32_t crc;

	if (n->state != MONFMT_FINISHED)
		return 0;
	if (n->size < sizeof(struct monfmt_header))
		return mon_error_set(err, MON_E_FORMAT, 0, offsetof(struct monfmt_header, size), "a size of %llu bytes",
				     (ull)n->size);
	if (n->size > n->in->size)
		return mon_error_set(err, MON_E_TRUNCATED, 0, n->in->size, "the file ends after %llu bytes of its %llu",
				     (ull)n->in->size, (ull)n->size);
	if (n->crc == 0 && n->counting)
		return 0;
	if (mon_input_crc(n->in, n->size, offsetof(struct monfmt_header, crc), &crc, err))
		return -1;
	if (crc != n->crc)
		return mon_error_set(err, MON_E_FORMAT, 0, offsetof(struct monfmt_header, crc),
				     "is damaged: its checksum is 0x%08lx, and the file states 0x%08lx",
				     (unsigned long)crc, (unsigned long)n->crc);
	return 0;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

const struct mon_native_section *mon_native_next(const struct mon_native *n, enum monfmt_type type,
						 const struct mon_native_section *before)
{
	const struct mon_native_section *s = before ? before + 1 : n->section, *end = n->section + n->nsection;

	while (s < end && s->type != type)
		s++;
	return s < end ? s : NULL;
}

uint64_t mon_native_total(const struct mon_native *n, enum monfmt_type type)
{
	const struct mon_native_section *s = NULL;
	uint64_t size = 0;

	while ((s = mon_native_next(n, type, s)))
		size += s->size; /* all together are not larger than the file */
	return size;
}

static int bad_size(const struct mon_native_section *s, uint64_t at, struct mon_error *err)
{
	const struct kind *kind = kind_of(s->type);

	if (s->size < kind->least)
		return mon_error_set(err, MON_E_FORMAT, 0, at, "a section of %s has %llu bytes, fewer than %u",
				     kind->name, (ull)s->size, kind->least);
	return mon_error_set(err, MON_E_FORMAT, 0, at, "a section of %s has %llu bytes, no multiple of %u", kind->name,
			     (ull)s->size, kind->unit);
}

/* See that the section, whose entry in the table is at at, lies in the file; cut it where the file ends. */
static int check_section(struct mon_native *n, struct mon_native_section *s, uint64_t at, struct mon_error *err)
{
	const struct kind *kind = kind_of(s->type);
	uint64_t end = n->in->size;

	if (s->size < kind->least || s->size % kind->unit)
		return bad_size(s, at, err);
	if (s->offset > UINT64_MAX - s->size || (n->state == MONFMT_FINISHED && s->offset + s->size > n->size))
		return mon_error_set(err, MON_E_FORMAT, 0, at,
				     "a section of %s, %llu bytes at byte %llu, lies outside the file's %llu bytes",
				     kind->name, (ull)s->size, (ull)s->offset, (ull)n->size);
	if (s->offset + s->size <= end)
		return 0;
	if (kind->least > 0 || n->state == MONFMT_FINISHED)
		return mon_error_set(err, MON_E_TRUNCATED, 0, end,
				     "the file ends after %llu bytes, before or inside its section of %s (%llu bytes "
				     "at byte %llu)",
				     (ull)end, kind->name, (ull)s->size, (ull)s->offset);
	n->cut = true;
	s->offset = MON_MIN(s->offset, end);
	s->size = (end - s->offset) / kind->unit * kind->unit;
	return 0;
}

/* What all sections and tables together may still need. */
static int spend(uint64_t *left, uint64_t size, uint64_t at, struct mon_error *err)
{
	if (size > *left)
		return mon_error_set(err, MON_E_FORMAT, 0, at,
				     "its sections together need more bytes than the file has: some overlap");
	*left -= size;
	return 0;
}

static int take_section(struct mon_native *n, const unsigned char *b, uint64_t at, uint64_t *left, size_t *room,
			struct mon_error *err)
{
	struct mon_native_section s = { .type = (uint32_t)MON_MEMBER(b, n->order, monfmt_section, type),
					.of = (uint32_t)MON_MEMBER(b, n->order, monfmt_section, of),
					.offset = MON_MEMBER(b, n->order, monfmt_section, offset),
					.size = MON_MEMBER(b, n->order, monfmt_section, size) };

	if (!kind_of(s.type))
		return 0;
	if (check_section(n, &s, at, err) || spend(left, s.size, at, err) ||
	    mon_grow((void **)&n->section, n->nsection, room, sizeof(s), err))
		return -1;
	if (kind_of(s.type)->once && mon_native_next(n, s.type, NULL))
		return mon_error_set(err, MON_E_FORMAT, 0, at, "two sections of %s", kind_of(s.type)->name);
	n->counting |= s.type == MONFMT_COUNT || s.type == MONFMT_PAGES || s.type == MONFMT_FUNCTION;
	n->section[n->nsection++] = s;
	return 0;
}

/* One table, and where the next one is.  A table is never before the one that names it. */
static int read_table(struct mon_native *n, uint64_t *at, uint64_t *left, size_t *room, struct mon_error *err)
{
	const size_t head = sizeof(struct monfmt_table), each = sizeof(struct monfmt_section);
	const unsigned char *b = mon_input_at(n->in, *at, head, err);
	uint64_t next, nsection, off = *at + head;

	if (!b)
		return -1;
	next = MON_MEMBER(b, n->order, monfmt_table, next);
	nsection = MON_MEMBER(b, n->order, monfmt_table, nsection);
	if (nsection > MON_MEMBER(b, n->order, monfmt_table, room))
		return mon_error_set(err, MON_E_FORMAT, 0, *at, "%llu sections in a table with room for %llu",
				     (ull)nsection, (ull)MON_MEMBER(b, n->order, monfmt_table, room));
	if (next != 0 && next <= *at)
		return mon_error_set(err, MON_E_FORMAT, 0, *at, "a table that is followed by one before it, at %llu",
				     (ull)next);
	if (nsection * each > n->in->size - off) /* 32 bits: no overflow */
		return mon_error_set(err, MON_E_TRUNCATED, 0, n->in->size,
				     "the file ends after %llu bytes, inside its table of %llu sections",
				     (ull)n->in->size, (ull)nsection);
	if (spend(left, head + nsection * each, *at, err))
		return -1;
	for (uint64_t i = 0; i < nsection; i++, off += each) {
		b = mon_input_at(n->in, off, each, err);
		if (!b || take_section(n, b, off, left, room, err))
			return -1;
	}
	*at = next;
	return 0;
}

int mon_native_index(struct mon_native *n, struct mon_error *err)
{
	uint64_t at = n->table, left = n->in->size;
	size_t room = 0;

	free(n->section);
	n->section = NULL;
	n->nsection = 0;
	n->cut = n->counting = false;
	if (at == 0 && n->state == MONFMT_FINISHED)
		return mon_error_set(err, MON_E_FORMAT, 0, offsetof(struct monfmt_header, table), "has no table");
	while (at != 0)
		if (read_table(n, &at, &left, &room, err))
			return -1;
	return 0;
}

/* ---- what finished files have ------------------------------------------------------------------------------------ */

uint64_t mon_native_nbin(const struct mon_module *m)
{
	return (m->high - m->low) / MONFMT_BIN_TEXT + ((m->high - m->low) % MONFMT_BIN_TEXT > 0);
}

/* The module that a section belongs to must be known, but for code that no object holds. */
static int check_owner(const struct mon_native *n, const struct mon_native_section *s, bool none, struct mon_error *err)
{
	if (s->of < n->p->nmodule || (none && s->of == MONFMT_NO_OBJECT))
		return 0;
	return mon_error_set(err, MON_E_FORMAT, 0, s->offset, "%s of object %lu, and it has %zu objects",
			     kinds[s->type].name, (unsigned long)s->of, n->p->nmodule);
}

static int load_calls(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	const size_t each = sizeof(struct monfmt_call);
	struct mon_profile *p = n->p;

	if (check_owner(n, s, true, err))
		return -1;
	for (uint64_t off = s->offset; off < s->offset + s->size; off += each) {
		const unsigned char *b = mon_input_at(n->in, off, each, err);
		struct mon_call c = { .module = s->of };

		if (!b)
			return -1;
		c.pc = MON_MEMBER(b, n->order, monfmt_call, pc);
		c.count = MON_MEMBER(b, n->order, monfmt_call, count);
		if (c.count > 0)
			p->call[p->ncall++] = c;
	}
	return 0;
}

static int load_bins(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	const size_t each = sizeof(struct monfmt_bin);
	uint64_t nbin = mon_native_nbin(&n->p->module[s->of]);

	for (uint64_t off = s->offset; off < s->offset + s->size; off += each) {
		const unsigned char *b = mon_input_at(n->in, off, each, err);
		uint64_t index, count;

		if (!b)
			return -1;
		index = MON_MEMBER(b, n->order, monfmt_bin, index);
		count = MON_MEMBER(b, n->order, monfmt_bin, count);
		if (index >= nbin)
			return mon_error_set(err, MON_E_FORMAT, 0, off,
					     "bin %llu of object %lu, whose text has room for %llu", (ull)index,
					     (unsigned long)s->of, (ull)nbin);
		if (count > 0)
			mon_bins_append(n->bins[s->of], index, count);
	}
	return 0;
}

/* Make room for the bins of every module that has some. */
static int room_for_bins(struct mon_native *n, struct mon_error *err)
{
	const struct mon_native_section *s = NULL;
	uint64_t *room = calloc(n->p->nmodule + 1, sizeof(*room));
	int rc = room ? 0 : mon_error_nomem(err);

	while (rc == 0 && (s = mon_native_next(n, MONFMT_BINS, s))) {
		rc = check_owner(n, s, false, err);
		if (rc == 0)
			room[s->of] += s->size / sizeof(struct monfmt_bin);
	}
	for (size_t i = 0; rc == 0 && i < n->p->nmodule; i++) {
		if (room[i] == 0)
			continue;
		n->bins[i] = mon_bins_new_sparse(mon_native_nbin(&n->p->module[i]), (size_t)room[i]);
		rc = n->bins[i] ? 0 : mon_error_nomem(err);
	}
	free(room);
	return rc;
}

static int load_finished(struct mon_native *n, struct mon_error *err)
{
	const struct mon_native_section *s = NULL;

	if (mon_native_describe(n, err) || room_for_bins(n, err))
		return -1;
	n->p->call =
	    calloc((size_t)(mon_native_total(n, MONFMT_CALLS) / sizeof(struct monfmt_call)) + 1, sizeof(*n->p->call));
	if (!n->p->call)
		return mon_error_nomem(err);
	while ((s = mon_native_next(n, MONFMT_CALLS, s)))
		if (load_calls(n, s, err))
			return -1;
	while ((s = mon_native_next(n, MONFMT_BINS, s)))
		if (load_bins(n, s, err))
			return -1;
	return 0;
}

/* ---- both together ----------------------------------------------------------------------------------------------- */

/* The program always has a range, other modules when there are ticks in them. */
static int make_range(struct mon_native *n, size_t module, struct mon_error *err)
{
	const struct mon_module *m = &n->p->module[module];
	uint64_t nbin = mon_native_nbin(m);
	struct mon_range r = { .module = (uint32_t)module,
			       .low = m->low,
			       .high = m->low + nbin * MONFMT_BIN_TEXT,
			       .nbin = nbin,
			       .width_num = MONFMT_BIN_TEXT,
			       .width_den = 1,
			       .bins = n->bins[module] };
	uint64_t index = 0, count;

	n->bins[module] = NULL;
	if (!r.bins && module == 0 && nbin > 0) {
		r.bins = mon_bins_new_sparse(nbin, 0);
		if (!r.bins)
			return mon_error_nomem(err);
	}
	if (!r.bins)
		return 0;
	mon_bins_settle(r.bins, &n->sum);
	if (module > 0 && !mon_bins_next(r.bins, &index, &count)) {
		mon_bins_free(r.bins);
		return 0;
	}
	return mon_profile_take_range(n->p, &r, err);
}

static int load(struct mon_native *n, struct mon_error *err)
{
	struct mon_profile *p = n->p;
	const struct mon_clock *c = &p->clock;

	if (read_header(n, err) || mon_native_index(n, err) || check_whole(n, err) ||
	    (n->counting || n->state == MONFMT_LIVE ? mon_live_load(n, err) : load_finished(n, err)))
		return -1;
	for (size_t i = 0; i < p->nmodule; i++)
		if (make_range(n, i, err))
			return -1;
	p->ticks = mon_add_limit(n->sum.ticks, c->unknown, &n->sum.limit);
	p->ticks = mon_add_limit(p->ticks, c->mcount, &n->sum.limit);
	p->ticks = mon_add_limit(p->ticks, c->vdso, &n->sum.limit);
	p->flags |= (n->sum.limit ? MON_F_COUNT_LIMIT : 0u) | (n->cut ? MON_F_CUT : 0u);
	if (n->counting && n->flags & MONFMT_F_PRIVATE)
		p->flags |= MON_F_PRIVATE;
	return 0;
}

int mon_native_decode(const struct mon_format *fmt, struct mon_input *in, const struct mon_read_opts *opts,
		      struct mon_profile *p, struct mon_error *err)
{
	struct mon_native n = { .in = in, .p = p };
	int rc;

	(void)fmt;
	(void)opts;
	rc = load(&n, err);
	for (size_t i = 0; n.bins && i < p->nmodule; i++)
		mon_bins_free(n.bins[i]);
	free(n.bins);
	free(n.section);
	return rc;
}
