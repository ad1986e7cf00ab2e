/* SPDX-License-Identifier: BSD-2-Clause */
/* merge.c -- the sum of two profiles of one program.
 *
 * Everything is compared and all memory is had before the first number changes.  Numbers of modules differ from profile
 * to profile: the numbers in into stay, what from has is looked at through a copy of its lists with those numbers.
 */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

/* ---- do they belong together ------------------------------------------------------------------------------------- */

static bool is_empty(const struct mon_profile *p)
{
	return p->nrange == 0 && p->ncall == 0 && p->narc == 0 && p->nmodule == 0 && p->ticks == 0;
}

static double width(const struct mon_range *r)
{
	return r->nbin ? (double)r->width_num / (double)r->width_den : 0;
}

static int check_range(const struct mon_range *a, const struct mon_range *b, struct mon_error *err)
{
	if (a->low == b->low && a->high == b->high && a->nbin == b->nbin)
		return 0;
	return mon_error_set(
	    err, MON_E_MISMATCH, 0, MON_NO_OFFSET,
	    "the ranges differ: 0x%llx-0x%llx (%llu bins of %g bytes) and 0x%llx-0x%llx (%llu bins of %g bytes)",
	    (ull)a->low, (ull)a->high, (ull)a->nbin, width(a), (ull)b->low, (ull)b->high, (ull)b->nbin, width(b));
}

/* Of profiles without modules: there are no ranges but those that both have. */
static int check_ranges(const struct mon_profile *a, const struct mon_profile *b, struct mon_error *err)
{
	if (a->nrange != b->nrange)
		return mon_error_set(err, MON_E_MISMATCH, 0, MON_NO_OFFSET,
				     "the ranges differ: %zu from 0x%llx to 0x%llx, and %zu from 0x%llx to 0x%llx",
				     a->nrange, (ull)a->range[0].low, (ull)a->range[a->nrange - 1].high, b->nrange,
				     (ull)b->range[0].low, (ull)b->range[b->nrange - 1].high);
	for (size_t i = 0; i < a->nrange; i++)
		if (check_range(&a->range[i], &b->range[i], err))
			return -1;
	return 0;
}

static int check_programs(const struct mon_profile *a, const struct mon_profile *b, struct mon_error *err)
{
	char one[140], other[140];

	if (a->nmodule == 0 || b->nmodule == 0)
		return mon_error_set(
		    err, MON_E_MISMATCH, 0, MON_NO_OFFSET,
		    "only one of them says which program and objects it is of: the formats are %s and %s",
		    a->variant->name, b->variant->name);
	if (mon_module_is(&a->module[0], &b->module[0]))
		return 0;
	mon_module_describe(&a->module[0], one, sizeof(one));
	mon_module_describe(&b->module[0], other, sizeof(other));
	return mon_error_set(err, MON_E_MISMATCH, 0, MON_NO_OFFSET, "the programs differ: %s and %s", one, other);
}

/* It ended before its clock began to tick. */
static bool has_no_clock(const struct mon_profile *p)
{
	return p->hz_source == MON_HZ_FAMILY && p->ticks == 0;
}

static int check(const struct mon_profile *a, const struct mon_profile *b, struct mon_error *err)
{
	bool modules = a->nmodule > 0 || b->nmodule > 0;

	if (a->variant->word && b->variant->word && a->variant->word != b->variant->word)
		return mon_error_set(err, MON_E_MISMATCH, 0, MON_NO_OFFSET,
				     "the addresses differ: %u bits (%s) and %u bits (%s)", 8 * a->variant->word,
				     a->variant->name, 8 * b->variant->word, b->variant->name);
	if (modules && check_programs(a, b, err))
		return -1;
	if (!modules && (a->nrange == 0 || b->nrange == 0))
		return 0;
	if (a->hz != b->hz && !(modules && (has_no_clock(a) || has_no_clock(b))))
		return mon_error_set(err, MON_E_MISMATCH, 0, MON_NO_OFFSET, "the clock rates differ: %u Hz and %u Hz",
				     a->hz, b->hz);
	return modules ? 0 : check_ranges(a, b, err);
}

/* ---- from with into's numbers of modules ------------------------------------------------------------------------- */

/* Of the modules; a borrowed view of from where nothing had to change. */
struct view {
	uint32_t *map;		 /* owned; from's numbers to into's */
	size_t nmodule;		 /* of the sum */
	struct mon_call *call;	 /* owned */
	struct mon_range *range; /* owned, but not the bins */
	struct mon_profile p;	 /* from, with these */
};

static void view_free(struct view *v)
{
	free(v->map);
	free(v->call);
	free(v->range);
}

static int by_place(const void *a, const void *b)
{
	const struct mon_range *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->low < y->low ? -1 : x->low > y->low;
}

static int make_view(const struct mon_profile *into, const struct mon_profile *from, struct view *v,
		     struct mon_error *err)
{
	v->p = *from;
	if (from->nmodule == 0)
		return 0;
	v->map = malloc(from->nmodule * sizeof(*v->map));
	v->call = malloc((from->ncall + 1) * sizeof(*v->call));
	v->range = malloc((from->nrange + 1) * sizeof(*v->range));
	if (!v->map || !v->call || !v->range)
		return mon_error_nomem(err);
	if (mon_modules_map(into, from, v->map, &v->nmodule, err))
		return -1;
	for (size_t i = 0; i < from->ncall; i++) {
		v->call[i] = from->call[i];
		if (v->call[i].module != MON_NO_MODULE)
			v->call[i].module = v->map[v->call[i].module];
	}
	for (size_t i = 0; i < from->nrange; i++) {
		v->range[i] = from->range[i];
		v->range[i].module = v->map[v->range[i].module];
	}
	mon_calls_sort(v->call, from->ncall);
	if (from->nrange > 1)
		qsort(v->range, from->nrange, sizeof(*v->range), by_place);
	v->p.call = v->call;
	v->p.range = v->range;
	return 0;
}

/* ---- the sum ----------------------------------------------------------------------------------------------------- */

/* What the sum needs beyond into. */
struct plan {
	struct view from;
	struct mon_profile fresh; /* ranges that into lacks, and all modules of the sum */
	void *call, *arc;	  /* owned; NULL: into's have all that is needed */
	size_t ncall, narc;
	struct mon_range *range;       /* owned; room for all */
	struct mon_thread_row *thread; /* owned; all of both; NULL: into's will do */
	size_t nthread;
	struct mon_process process; /* its texts owned; from's, for an empty into */
};

static void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->fresh.nrange; i++)
		mon_bins_free(plan->fresh.range[i].bins);
	free(plan->fresh.range);
	mon_modules_free(plan->fresh.module, plan->fresh.nmodule);
	free(plan->range);
	free(plan->call);
	free(plan->arc);
	free(plan->thread);
	free(plan->process.program);
	free(plan->process.host);
	view_free(&plan->from);
}

/* into's range that r is to be added to; NULL: there is none.  Ranges come in order. */
static struct mon_range *partner(const struct mon_profile *into, const struct mon_range *r, size_t *at)
{
	while (*at < into->nrange && by_place(&into->range[*at], r) < 0)
		++*at;
	return *at < into->nrange && by_place(&into->range[*at], r) == 0 ? &into->range[*at] : NULL;
}

/* A range like r, without ticks. */
static int add_like(struct mon_profile *fresh, const struct mon_range *r, bool sparse, struct mon_error *err)
{
	struct mon_range like = *r;

	like.bins = sparse ? mon_bins_new_sparse(r->nbin, 0) : mon_bins_new(r->nbin);
	return like.bins ? mon_profile_take_range(fresh, &like, err) : mon_error_nomem(err);
}

static int plan_bins(const struct mon_profile *into, struct plan *plan, struct mon_error *err)
{
	const struct mon_profile *from = &plan->from.p;
	size_t at = 0;

	for (size_t i = 0; i < from->nrange; i++) {
		const struct mon_range *r = &from->range[i], *to = partner(into, r, &at);

		if (to && check_range(to, r, err))
			return -1;
		if (!to && add_like(&plan->fresh, r, from->nmodule > 0, err))
			return -1;
		if (!to)
			to = &plan->fresh.range[plan->fresh.nrange - 1];
		if (mon_bins_reserve(to->bins, r->bins))
			return mon_error_nomem(err);
	}
	plan->range = malloc((into->nrange + plan->fresh.nrange + 1) * sizeof(*plan->range));
	return plan->range ? 0 : mon_error_nomem(err);
}

static int plan_module(struct mon_module *to, const struct mon_module *m, struct mon_error *err)
{
	free(to->path);
	*to = *m;
	to->path = m->path ? strdup(m->path) : NULL;
	return m->path && !to->path ? mon_error_nomem(err) : 0;
}

/* A copy of the same file: what the two do not share is not known of their sum; of two paths one must be chosen. */
static int join_module(struct mon_module *to, const struct mon_module *m, struct mon_error *err)
{
	struct mon_module both = *to;

	if (to->high > 0 && m->high > 0 && (to->low != m->low || to->high != m->high))
		return mon_error_set(err, MON_E_MISMATCH, 0, MON_NO_OFFSET,
				     "the text of one object is 0x%llx-0x%llx and 0x%llx-0x%llx: %s", (ull)to->low,
				     (ull)to->high, (ull)m->low, (ull)m->high, to->path ? to->path : "");
	both.low = MON_MAX(to->low, m->low); /* 0 where it is not stated */
	both.high = MON_MAX(to->high, m->high);
	both.bias = to->bias == m->bias ? to->bias : 0;
	both.loaded = MON_MIN(to->loaded, m->loaded);
	both.unloaded = to->unloaded && m->unloaded ? MON_MAX(to->unloaded, m->unloaded) : 0;
	if (m->path && (!to->path || strcmp(m->path, to->path) < 0)) {
		both.path = strdup(m->path);
		if (!both.path)
			return mon_error_nomem(err);
		free(to->path);
	}
	*to = both;
	return 0;
}

static int plan_modules(const struct mon_profile *into, const struct mon_profile *from, struct plan *plan,
			struct mon_error *err)
{
	struct mon_profile *sum = &plan->fresh;

	if (plan->from.nmodule == 0)
		return 0;
	sum->module = calloc(plan->from.nmodule, sizeof(*sum->module));
	if (!sum->module)
		return mon_error_nomem(err);
	sum->nmodule = plan->from.nmodule;
	for (size_t i = 0; i < into->nmodule; i++)
		if (plan_module(&sum->module[i], &into->module[i], err))
			return -1;
	for (size_t i = 0; i < from->nmodule; i++) {
		struct mon_module *m = &sum->module[plan->from.map[i]];

		if (plan->from.map[i] < into->nmodule ? join_module(m, &from->module[i], err)
						      : plan_module(m, &from->module[i], err))
			return -1;
	}
	return mon_modules_group(sum->module, sum->nmodule, err);
}

static int plan_threads(const struct mon_profile *into, const struct mon_profile *from, struct plan *plan,
			struct mon_error *err)
{
	size_t more = MON_MIN(from->nthread, MON_THREAD_MAX - into->nthread);

	plan->nthread = into->nthread + more;
	if (more == 0)
		return 0;
	plan->thread = malloc(plan->nthread * sizeof(*plan->thread));
	if (!plan->thread)
		return mon_error_nomem(err);
	if (into->nthread > 0)
		memcpy(plan->thread, into->thread, into->nthread * sizeof(*plan->thread));
	memcpy(plan->thread + into->nthread, from->thread, more * sizeof(*plan->thread));
	return 0;
}

static int plan_process(const struct mon_process *from, struct mon_process *to, struct mon_error *err)
{
	*to = *from;
	to->program = from->program ? strdup(from->program) : NULL;
	to->host = from->host ? strdup(from->host) : NULL;
	return (from->program && !to->program) || (from->host && !to->host) ? mon_error_nomem(err) : 0;
}

static int make_plan(const struct mon_profile *into, const struct mon_profile *from, struct plan *plan,
		     struct mon_error *err)
{
	struct mon_list calls = mon_calls_list(into), arcs = mon_arcs_list(into), more_calls, more_arcs;

	if (make_view(into, from, &plan->from, err))
		return -1;
	more_calls = mon_calls_list(&plan->from.p);
	more_arcs = mon_arcs_list(&plan->from.p);
	if (mon_list_widen(&calls, &more_calls, &plan->call, &plan->ncall, err) ||
	    mon_list_widen(&arcs, &more_arcs, &plan->arc, &plan->narc, err) || plan_modules(into, from, plan, err) ||
	    plan_threads(into, from, plan, err) || plan_process(&from->process, &plan->process, err))
		return -1;
	return plan_bins(into, plan, err);
}

/* All ranges of the sum, in order, in the room that was planned. */
static void take_ranges(struct mon_profile *into, struct plan *plan)
{
	size_t i = 0, k = 0, n = 0;

	if (plan->fresh.nrange == 0)
		return;
	while (i < into->nrange || k < plan->fresh.nrange) {
		bool mine = k == plan->fresh.nrange ||
			    (i < into->nrange && by_place(&into->range[i], &plan->fresh.range[k]) < 0);

		plan->range[n++] = mine ? into->range[i++] : plan->fresh.range[k++];
	}
	free(into->range);
	into->range = plan->range;
	into->nrange = n;
	plan->range = NULL;
	plan->fresh.nrange = 0;
}

/* Let into have what was planned: still the same numbers, and zeros. */
static void take_plan(struct mon_profile *into, struct plan *plan)
{
	if (plan->call) {
		free(into->call);
		into->call = plan->call;
		into->ncall = plan->ncall;
		plan->call = NULL;
	}
	if (plan->arc) {
		free(into->arc);
		into->arc = plan->arc;
		into->narc = plan->narc;
		plan->arc = NULL;
	}
	if (plan->thread) {
		free(into->thread);
		into->thread = plan->thread;
		into->nthread = plan->nthread;
		plan->thread = NULL;
	}
	if (plan->fresh.nmodule > 0) {
		mon_modules_free(into->module, into->nmodule);
		into->module = plan->fresh.module;
		into->nmodule = plan->fresh.nmodule;
		plan->fresh.module = NULL;
		plan->fresh.nmodule = 0;
	}
	take_ranges(into, plan);
}

/* ---- process and clock ------------------------------------------------------------------------------------------- */

static enum mon_life worse(enum mon_life a, enum mon_life b)
{
	static const int rank[] = {
		[MON_LIFE_FINISHED] = 0,
		[MON_LIFE_RUNNING] = 1,
		[MON_LIFE_UNKNOWN] = 2,
		[MON_LIFE_DIED] = 3,
	};

	return rank[a] >= rank[b] ? a : b;
}

/* A text that both have, or none. */
static void join_text(char **into, const char *from)
{
	if (*into && from && strcmp(*into, from) == 0)
		return;
	free(*into);
	*into = NULL;
}

static void join_process(struct mon_process *p, const struct mon_process *q)
{
	p->life = worse(p->life, q->life);
	join_text(&p->program, q->program);
	join_text(&p->host, q->host);
	p->pid = p->pid == q->pid ? p->pid : 0;
	p->ppid = p->ppid == q->ppid ? p->ppid : 0;
	p->rank = p->rank == q->rank ? p->rank : -1;
	p->start = MON_MIN(p->start, q->start);
	p->end = p->end && q->end ? MON_MAX(p->end, q->end) : 0;
}

static void join_clock(struct mon_clock *c, const struct mon_clock *d, bool *limit)
{
	c->method = c->method == d->method ? c->method : MON_METHOD_UNKNOWN;
	c->user_only |= d->user_only;
	c->tick_bound |= d->tick_bound;
	c->cpu = c->cpu && d->cpu ? mon_add_limit(c->cpu, d->cpu, limit) : 0;
	c->unknown = mon_add_limit(c->unknown, d->unknown, limit);
	c->mcount = mon_add_limit(c->mcount, d->mcount, limit);
	c->vdso = mon_add_limit(c->vdso, d->vdso, limit);
	c->lost = mon_add_limit(c->lost, d->lost, limit);
	c->lost_calls = mon_add_limit(c->lost_calls, d->lost_calls, limit);
}

static void add(struct mon_profile *into, const struct mon_profile *from)
{
	struct mon_list calls = mon_calls_list(into), more_calls = mon_calls_list(from), arcs = mon_arcs_list(into),
			more_arcs = mon_arcs_list(from);
	bool limit = false;
	size_t at = 0;

	mon_list_add(&calls, &more_calls, &limit);
	mon_list_add(&arcs, &more_arcs, &limit);
	for (size_t i = 0; i < from->nrange; i++)
		mon_bins_merge(partner(into, &from->range[i], &at)->bins, from->range[i].bins, &limit);
	into->ticks = mon_add_limit(into->ticks, from->ticks, &limit);
	into->threads = mon_add_limit(into->threads, from->threads, &limit);
	into->cells_reserved = MON_MAX(into->cells_reserved, from->cells_reserved);
	into->cells_ignored = mon_add_limit(into->cells_ignored, from->cells_ignored, &limit);
	join_process(&into->process, &from->process);
	join_clock(&into->clock, &from->clock, &limit);
	into->flags |= from->flags | (limit ? MON_F_COUNT_LIMIT : 0u);
	mon_profile_sum_calls(into);
}

/* What is not a sum, of an into that held nothing. */
static void begin(struct mon_profile *into, const struct mon_profile *from, struct plan *plan)
{
	struct mon_process before = into->process;

	into->variant = from->variant;
	into->process = plan->process;
	plan->process = before;
	into->clock = from->clock;
}

int mon_profile_merge(struct mon_profile *into, const struct mon_profile *from, struct mon_error *err)
{
	bool empty = is_empty(into), no_rate = empty || (into->nmodule > 0 && has_no_clock(into));
	struct plan plan = { 0 };

	if (is_empty(from))
		return 0;
	if ((!empty && check(into, from, err)) || make_plan(into, from, &plan, err)) {
		plan_free(&plan);
		return -1;
	}
	if (no_rate || (into->nrange == 0 && from->nrange > 0)) {
		into->hz = from->hz;
		into->hz_source = from->hz_source;
	}
	take_plan(into, &plan);
	add(into, &plan.from.p);
	if (empty)
		begin(into, from, &plan);
	plan_free(&plan);
	return 0;
}
