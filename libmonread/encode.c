/* SPDX-License-Identifier: BSD-2-Clause */
/* encode.c -- writing the native profile: a finished file, in the byte order of this machine.
 *
 * The checksum stands in front of what it is of: everything is made twice, the first time only to be summed up.
 */
#include "monfmt.h"
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_HZ = 10000,
	MAX_MODULE = 65536,
	FIXED = 7, /* sections beside those of objects, at most: see plan_sections */
};

struct piece {
	struct monfmt_section section;
	size_t at; /* index of what is in it: the module, the range, the first call */
};

struct encoder {
	const struct mon_profile *p;
	struct mon_sink *sink;
	struct piece *piece; /* owned */
	uint32_t npiece;
	uint64_t size; /* of the file */
};

/* ---- what there will be ------------------------------------------------------------------------------------------ */

static void plan(struct encoder *e, enum monfmt_type type, uint32_t of, size_t at, uint64_t size)
{
	if (size > 0)
		e->piece[e->npiece++] = (struct piece){ .section = { .type = type, .of = of, .size = size }, .at = at };
}

/* Where they will be: behind the table, each at a multiple of 8. */
static void place(struct encoder *e)
{
	e->size = sizeof(struct monfmt_header) + sizeof(struct monfmt_table) +
		  e->npiece * (uint64_t)sizeof(struct monfmt_section);
	for (uint32_t i = 0; i < e->npiece; i++) {
		struct monfmt_section *s = &e->piece[i].section;

		s->offset = (e->size + 7) / 8 * 8;
		e->size = s->offset + s->size;
	}
}

static uint64_t bins_in_use(const struct mon_range *r)
{
	uint64_t n = 0, count;

	for (uint64_t i = 0; mon_bins_next(r->bins, &i, &count); i++)
		n++;
	return n;
}

/* The end of the calls of the module that the call at i is of. */
static size_t calls_end(const struct mon_profile *p, size_t i)
{
	size_t end = i;

	while (end < p->ncall && p->call[end].module == p->call[i].module)
		end++;
	return end;
}

static uint64_t text_size(const char *text)
{
	return text ? strlen(text) : 0;
}

static struct monfmt_sum sum_of(const struct mon_profile *p)
{
	struct monfmt_sum s = { .threads = p->threads };

	if (p->process.life != MON_LIFE_FINISHED)
		s.life = p->process.life == MON_LIFE_DIED ? MONFMT_L_DIED : MONFMT_L_UNKNOWN;
	s.flags |= p->flags & MON_F_PRIVATE ? MONFMT_S_PRIVATE : 0u;
	s.flags |= p->flags & MON_F_CUT ? MONFMT_S_CUT : 0u;
	s.flags |= p->flags & MON_F_COUNT_LIMIT ? MONFMT_S_LIMIT : 0u;
	return s;
}

static void plan_sections(struct encoder *e)
{
	const struct mon_profile *p = e->p;
	struct monfmt_sum sum = sum_of(p);

	plan(e, MONFMT_PROCESS, 0, 0, sizeof(struct monfmt_process));
	plan(e, MONFMT_ARGUMENT, 0, 0, text_size(p->process.program));
	plan(e, MONFMT_HOST, 0, 0, text_size(p->process.host));
	if (p->hz_source != MON_HZ_FAMILY)
		plan(e, MONFMT_CLOCK, 0, 0, sizeof(struct monfmt_clock));
	if (sum.life != MONFMT_L_FINISHED || sum.flags || p->threads != p->nthread)
		plan(e, MONFMT_SUM, 0, 0, sizeof(struct monfmt_sum));
	for (size_t i = 0; i < p->nmodule; i++)
		plan(e, MONFMT_OBJECT, (uint32_t)i, i, sizeof(struct monfmt_object) + text_size(p->module[i].path));
	plan(e, MONFMT_THREAD, 0, 0, p->nthread * sizeof(struct monfmt_thread));
	for (size_t i = 0, end; i < p->ncall; i = end) {
		end = calls_end(p, i);
		plan(e, MONFMT_CALLS, p->call[i].module, i, (end - i) * sizeof(struct monfmt_call));
	}
	for (size_t i = 0; i < p->nrange; i++)
		plan(e, MONFMT_BINS, p->range[i].module, i, bins_in_use(&p->range[i]) * sizeof(struct monfmt_bin));
	place(e);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static int put_process(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	const struct mon_process *p = &e->p->process;
	const struct monfmt_process out = { .pid = p->pid,
					    .ppid = p->ppid,
					    .start = p->start,
					    .end = p->end,
					    .rank = p->rank,
					    .flags = e->p->flags & MON_F_SIGPROF ? MONFMT_F_SIGPROF : 0u,
					    .lost_calls = e->p->clock.lost_calls };

	(void)piece;
	return mon_sink_put(e->sink, &out, sizeof(out), err);
}

static int put_argument(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	return mon_sink_put(e->sink, e->p->process.program, (size_t)piece->section.size, err);
}

static int put_host(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	return mon_sink_put(e->sink, e->p->process.host, (size_t)piece->section.size, err);
}

static int put_clock(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	static const uint32_t methods[] = {
		[MON_METHOD_PERF] = MONFMT_PERF,
		[MON_METHOD_PERF_SIGNAL] = MONFMT_PERF_SIGNAL,
		[MON_METHOD_TIMER] = MONFMT_TIMER,
		[MON_METHOD_ITIMER] = MONFMT_ITIMER,
	};
	const struct mon_clock *c = &e->p->clock;
	bool limit = false;
	const struct monfmt_clock out = { .method = methods[c->method],
					  .hz = e->p->hz,
					  .flags = (c->user_only ? MONFMT_C_USER_ONLY : 0u) |
						   (c->tick_bound ? MONFMT_C_TICK_BOUND : 0u),
					  .ticks = mon_add_limit(e->p->ticks, c->lost, &limit),
					  .outside = c->unknown,
					  .mcount = c->mcount,
					  .vdso = c->vdso,
					  .lost = c->lost,
					  .cpu = c->cpu };

	(void)piece;
	return mon_sink_put(e->sink, &out, sizeof(out), err);
}

static int put_sum(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	struct monfmt_sum out = sum_of(e->p);

	(void)piece;
	return mon_sink_put(e->sink, &out, sizeof(out), err);
}

static int put_object(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	const struct mon_module *m = &e->p->module[piece->at];
	struct monfmt_object out = { .low = m->low,
				     .high = m->high,
				     .bias = m->bias,
				     .loaded = m->loaded,
				     .unloaded = m->unloaded,
				     .build_id_size = (uint32_t)m->build_id_size,
				     .path_size = (uint32_t)text_size(m->path) };

	memcpy(out.build_id, m->build_id, m->build_id_size);
	return mon_sink_put(e->sink, &out, sizeof(out), err) || mon_sink_put(e->sink, m->path, out.path_size, err) ? -1
														   : 0;
}

static int put_threads(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	(void)piece;
	for (size_t i = 0; i < e->p->nthread; i++) {
		const struct mon_thread_row *t = &e->p->thread[i];
		struct monfmt_thread out = { .tid = t->tid,
					     .born = t->born,
					     .ended = t->ended,
					     .ticks = t->ticks,
					     .user = t->user,
					     .system = t->system,
					     .wait = t->wait };

		memcpy(out.name, t->name, sizeof(out.name));
		if (mon_sink_put(e->sink, &out, sizeof(out), err))
			return -1;
	}
	return 0;
}

static int put_calls(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	for (size_t i = 0; i < piece->section.size / sizeof(struct monfmt_call); i++) {
		const struct mon_call *c = &e->p->call[piece->at + i];
		const struct monfmt_call out = { .pc = c->pc, .count = c->count };

		if (mon_sink_put(e->sink, &out, sizeof(out), err))
			return -1;
	}
	return 0;
}

static int put_bins(struct encoder *e, const struct piece *piece, struct mon_error *err)
{
	const struct mon_range *r = &e->p->range[piece->at];
	uint64_t count;

	for (uint64_t i = 0; mon_bins_next(r->bins, &i, &count); i++) {
		const struct monfmt_bin out = { .index = i, .count = count };

		if (mon_sink_put(e->sink, &out, sizeof(out), err))
			return -1;
	}
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static int put_head(struct encoder *e, uint32_t crc, struct mon_error *err)
{
	const struct monfmt_header h = { .magic = MONFMT_MAGIC,
					 .order = MONFMT_ORDER,
					 .version = MONFMT_VERSION,
					 .word = sizeof(uint64_t),
					 .state = MONFMT_FINISHED,
					 .crc = crc,
					 .size = e->size,
					 .table = sizeof(h) };
	const struct monfmt_table t = { .nsection = e->npiece, .room = e->npiece };

	if (mon_sink_put(e->sink, &h, sizeof(h), err) || mon_sink_put(e->sink, &t, sizeof(t), err))
		return -1;
	for (uint32_t i = 0; i < e->npiece; i++)
		if (mon_sink_put(e->sink, &e->piece[i].section, sizeof(e->piece[i].section), err))
			return -1;
	return 0;
}

/* All of it to fd, or, dry, to be summed up only: *crc becomes that of the file with the *crc given in it. */
static int put_file(struct encoder *e, int fd, bool dry, uint32_t *crc, struct mon_error *err)
{
	static int (*const put[])(struct encoder *, const struct piece *, struct mon_error *) = {
		[MONFMT_PROCESS] = put_process, [MONFMT_ARGUMENT] = put_argument, [MONFMT_HOST] = put_host,
		[MONFMT_CLOCK] = put_clock,	[MONFMT_SUM] = put_sum,		  [MONFMT_OBJECT] = put_object,
		[MONFMT_THREAD] = put_threads,	[MONFMT_CALLS] = put_calls,	  [MONFMT_BINS] = put_bins,
	};
	int rc;

	e->sink = mon_sink_new(fd, err);
	if (!e->sink)
		return -1;
	e->sink->dry = dry;
	rc = put_head(e, *crc, err);
	for (uint32_t i = 0; rc == 0 && i < e->npiece; i++) {
		size_t gap = (size_t)(e->piece[i].section.offset - e->sink->size);

		rc = mon_sink_next(e->sink, gap, err) ? put[e->piece[i].section.type](e, &e->piece[i], err) : -1;
	}
	if (rc == 0)
		rc = mon_sink_flush(e->sink, err);
	*crc = e->sink->crc;
	free(e->sink);
	return rc;
}

/* Can a native file say what the profile holds? */
static int check_fit(const struct mon_profile *p, struct mon_error *err)
{
	bool fits = p->narc == 0 && p->nmodule <= MAX_MODULE && p->hz <= MAX_HZ;

	for (size_t i = 0; i < p->nrange; i++) {
		const struct mon_range *r = &p->range[i];

		fits &= r->module < p->nmodule && r->low == p->module[r->module].low &&
			r->width_num == MONFMT_BIN_TEXT && r->width_den == 1 &&
			(i == 0 || p->range[i - 1].module < r->module);
	}
	for (size_t i = 0; i < p->ncall; i++)
		fits &= p->call[i].module < p->nmodule || p->call[i].module == MON_NO_MODULE;
	if (fits)
		return 0;
	return mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET,
			     "a native profile names its objects, has bins of %d bytes of text and at most %d ticks a "
			     "second; this profile is of another kind (%s)",
			     MONFMT_BIN_TEXT, MAX_HZ, p->variant->name);
}

int mon_native_encode(const struct mon_format *fmt, const struct mon_profile *p, int fd, uint64_t *saturated,
		      struct mon_error *err)
{
	struct encoder e = { .p = p };
	uint32_t crc = 0;
	int rc;

	(void)fmt;
	(void)saturated;
	if (check_fit(p, err))
		return -1;
	e.piece = calloc(FIXED + 2 * p->nmodule + 1 + p->nrange, sizeof(*e.piece));
	if (!e.piece)
		return mon_error_nomem(err);
	plan_sections(&e);
	rc = put_file(&e, fd, true, &crc, err);
	if (rc == 0)
		rc = put_file(&e, fd, false, &crc, err);
	free(e.piece);
	return rc;
}
