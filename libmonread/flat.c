/* SPDX-License-Identifier: BSD-2-Clause */
/* flat.c -- header, call cells, bins to the end of the file: one decoder and one encoder for every flat layout. */
#include "monread_impl.h"

#include <stdlib.h>

typedef unsigned long long ull; /* for %llu and %llx */

static uint64_t field_max(struct mon_field f)
{
	return UINT64_MAX >> (64 - 8 * f.width);
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

/* The cells must lie in the file; a count is signed wherever it was written. */
static int check_cells(const struct mon_layout *l, struct mon_input *in, struct mon_flat *f, struct mon_error *err)
{
	uint64_t room = in->size - l->header_size;

	if (f->ncell > field_max(l->ncell) / 2)
		return mon_error_set(err, MON_E_FORMAT, 0, l->ncell.offset,
				     "the number of call cells is negative (0x%llx)", (ull)f->ncell);
	if (f->ncell > room / l->cell_size) {
		if (f->ncell > f->high - f->low)
			return mon_error_set(
			    err, MON_E_FORMAT, 0, l->ncell.offset,
			    "the header states %llu call cells, more than the range 0x%llx-0x%llx has bytes",
			    (ull)f->ncell, (ull)f->low, (ull)f->high);
		return mon_error_set(err, MON_E_TRUNCATED, 0, in->size,
				     "the file ends after %llu bytes, inside its %llu call cells", (ull)in->size,
				     (ull)f->ncell);
	}
	return 0;
}

static int check_bins(struct mon_input *in, struct mon_flat *f, struct mon_error *err)
{
	uint64_t range = f->high - f->low;

	if (f->nbin == 0)
		return mon_error_set(err, MON_E_TRUNCATED, 0, in->size,
				     "the file ends after %llu bytes, before its first histogram bin", (ull)in->size);
	if (f->nbin > range)
		return mon_error_set(err, MON_E_FORMAT, 0, f->bins_off, "%llu bins for the %llu bytes 0x%llx-0x%llx",
				     (ull)f->nbin, (ull)range, (ull)f->low, (ull)f->high);
	if (f->nbin < range / MON_WIDTH_MAX || (range % MON_WIDTH_MAX && f->nbin == range / MON_WIDTH_MAX))
		return mon_error_set(
		    err, MON_E_TRUNCATED, 0, in->size,
		    "the file ends after %llu bytes: %llu bins are too few for the %llu bytes 0x%llx-0x%llx",
		    (ull)in->size, (ull)f->nbin, (ull)range, (ull)f->low, (ull)f->high);
	return 0;
}

int mon_flat_header(const struct mon_layout *l, struct mon_input *in, struct mon_flat *f, struct mon_error *err)
{
	const unsigned char *h;

	if (in->size < l->header_size)
		return mon_error_set(err, MON_E_TRUNCATED, 0, in->size,
				     "the file ends after %llu bytes, inside its header of %u bytes", (ull)in->size,
				     l->header_size);
	h = mon_input_at(in, 0, l->header_size, err);
	if (!h)
		return -1;
	f->low = mon_get_field(h, l->low, l->order);
	f->high = mon_get_field(h, l->high, l->order);
	f->ncell = mon_get_field(h, l->ncell, l->order);
	if (f->low == 0 || f->low >= f->high)
		return mon_error_set(err, MON_E_FORMAT, 0, l->low.offset,
				     "the range 0x%llx-0x%llx is empty, backwards or starts at 0", (ull)f->low,
				     (ull)f->high);
	if (check_cells(l, in, f, err))
		return -1;
	f->bins_off = l->header_size + f->ncell * l->cell_size;
	f->nbin = (in->size - f->bins_off) / MON_BIN_SIZE;
	f->tail = (unsigned)((in->size - f->bins_off) % MON_BIN_SIZE);
	return check_bins(in, f, err);
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

/* A cell counts when it stands in the range, or close behind it, and was used.  Blocks of cells that old systems
 * allocated without clearing hold anything else. */
static int take_cell(const struct mon_flat *f, uint64_t pc, uint64_t count, struct mon_profile *p, size_t *room,
		     struct mon_error *err)
{
	if (pc == 0 && count == 0)
		return 0;
	if (count == 0 || pc < f->low || (pc >= f->high && pc - f->high >= MON_SLACK)) {
		p->cells_ignored++;
		p->flags |= MON_F_GARBAGE_CELLS;
		return 0;
	}
	if (mon_grow((void **)&p->call, p->ncall, room, sizeof(*p->call), err))
		return -1;
	p->call[p->ncall++] = (struct mon_call){ .pc = pc, .count = count };
	return 0;
}

static int load_cells(const struct mon_layout *l, const struct mon_flat *f, struct mon_input *in, struct mon_profile *p,
		      struct mon_error *err)
{
	uint64_t off = l->header_size;
	size_t room = 0;

	for (uint64_t i = 0; i < f->ncell; i++, off += l->cell_size) {
		const unsigned char *cell = mon_input_at(in, off, l->cell_size, err);

		if (!cell || take_cell(f, mon_get_field(cell, l->cell_pc, l->order),
				       mon_get_field(cell, l->cell_count, l->order), p, &room, err))
			return -1;
	}
	return 0;
}

int mon_flat_decode(const struct mon_format *fmt, struct mon_input *in, const struct mon_read_opts *opts,
		    struct mon_profile *p, struct mon_error *err)
{
	struct mon_flat f;

	(void)opts; /* the layout decides everything */
	if (mon_flat_header(&fmt->layout, in, &f, err) || load_cells(&fmt->layout, &f, in, p, err) ||
	    mon_profile_add_range(p, f.low, f.high, f.nbin, err) ||
	    mon_profile_load_bins(p, &p->range[0], in, f.bins_off, fmt->layout.order, err))
		return -1;
	p->cells_reserved = f.ncell;
	if (f.tail > 0)
		p->flags |= MON_F_ODD_TAIL;
	return 0;
}

/* ---- encoding ---------------------------------------------------------------------------------------------------- */

static int put_cells(const struct mon_layout *l, const struct mon_profile *p, uint64_t ncell, struct mon_sink *s,
		     uint64_t *saturated, struct mon_error *err)
{
	uint64_t max = field_max(l->cell_count);

	for (uint64_t i = 0; i < ncell; i++) {
		unsigned char *b = mon_sink_next(s, l->cell_size, err);
		struct mon_call c = { 0 };

		if (!b)
			return -1;
		if (i < p->ncall)
			c = p->call[i];
		*saturated += c.count > max;
		mon_put(b + l->cell_pc.offset, c.pc, l->cell_pc.width, l->order);
		mon_put(b + l->cell_count.offset, MON_MIN(c.count, max), l->cell_count.width, l->order);
	}
	return 0;
}

static int put_bins(const struct mon_layout *l, const struct mon_range *r, struct mon_sink *s, uint64_t *saturated,
		    struct mon_error *err)
{
	uint64_t counts[MON_PAGE];
	size_t n;

	for (uint64_t i = 0; i < r->nbin; i += n) {
		unsigned char *b;

		n = mon_bins_page(r->bins, i / MON_PAGE, MON_BIN_MAX, counts, saturated);
		b = mon_sink_next(s, n * MON_BIN_SIZE, err);
		if (!b)
			return -1;
		for (size_t k = 0; k < n; k++)
			mon_put(b + k * MON_BIN_SIZE, counts[k], MON_BIN_SIZE, l->order);
	}
	return 0;
}

/* The layout knows one program only: nothing may have been counted elsewhere. */
static int check_one_program(const struct mon_format *fmt, const struct mon_profile *p, struct mon_error *err)
{
	uint64_t other = 0;

	for (size_t i = 0; i < p->nrange; i++)
		other += p->range[i].module != 0;
	for (size_t i = 0; i < p->ncall; i++)
		other += p->call[i].module != 0;
	if (other == 0 && p->clock.unknown == 0 && p->clock.mcount == 0 && p->clock.vdso == 0)
		return 0;
	return mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET,
			     "%s holds the time and calls of one program; this profile also has some of shared objects "
			     "or of no object",
			     fmt->variant.name);
}

/* Can the layout say what the profile holds? */
static int check_fit(const struct mon_format *fmt, const struct mon_profile *p, uint64_t ncell, struct mon_error *err)
{
	const struct mon_layout *l = &fmt->layout;
	uint64_t top = p->nrange ? p->range[0].high : 0;

	if (check_one_program(fmt, p, err))
		return -1;
	if (p->nrange != 1 || p->range[0].nbin == 0 || p->range[0].low == 0)
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET,
				     "%s holds exactly one histogram that starts above 0; this profile has %zu",
				     fmt->variant.name, p->nrange);
	if (p->ncall > 0)
		top = MON_MAX(top, p->call[p->ncall - 1].pc);
	if (top > field_max(l->high))
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET, "%s has no room for the address 0x%llx",
				     fmt->variant.name, (ull)top);
	if (ncell > field_max(l->ncell) / 2)
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET, "%s has no room for %llu call cells",
				     fmt->variant.name, (ull)ncell);
	return 0;
}

static int put_all(const struct mon_layout *l, const struct mon_profile *p, uint64_t ncell, struct mon_sink *s,
		   uint64_t *saturated, struct mon_error *err)
{
	unsigned char *h = mon_sink_next(s, l->header_size, err);

	if (!h)
		return -1;
	mon_put(h + l->low.offset, p->range[0].low, l->low.width, l->order);
	mon_put(h + l->high.offset, p->range[0].high, l->high.width, l->order);
	mon_put(h + l->ncell.offset, ncell, l->ncell.width, l->order);
	if (put_cells(l, p, ncell, s, saturated, err) || put_bins(l, &p->range[0], s, saturated, err))
		return -1;
	return mon_sink_flush(s, err);
}

int mon_flat_encode(const struct mon_format *fmt, const struct mon_profile *p, int fd, uint64_t *saturated,
		    struct mon_error *err)
{
	uint64_t ncell = MON_MAX(p->cells_reserved, p->ncall);
	struct mon_sink *s;
	int rc;

	if (check_fit(fmt, p, ncell, err))
		return -1;
	s = mon_sink_new(fd, err);
	if (!s)
		return -1;
	rc = put_all(&fmt->layout, p, ncell, s, saturated, err);
	free(s);
	return rc;
}
