/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.c -- the canonical profile: reading, what decoders build with, writing. */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *text;
} flags[MON_NFLAG] = {
#define FLAG_ROW(flag, what) [flag##_BIT] = { .name = #flag, .text = what },
	MON_FLAGS(FLAG_ROW)
#undef FLAG_ROW
};

const char *mon_flag_text(unsigned bit)
{
	return bit < MON_NFLAG ? flags[bit].text : "";
}

uint64_t mon_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

void mon_profile_free(struct mon_profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nrange; i++)
		mon_bins_free(p->range[i].bins);
	free(p->range);
	free(p->call);
	free(p->arc);
	mon_modules_free(p->module, p->nmodule);
	free(p->thread);
	free(p->process.program);
	free(p->process.host);
	free(p);
}

const char *mon_method_name(enum mon_method method)
{
	static const char *const names[] = {
		[MON_METHOD_UNKNOWN] = "unknown",	  [MON_METHOD_PERF] = "perf",
		[MON_METHOD_PERF_SIGNAL] = "perf-signal", [MON_METHOD_TIMER] = "timer",
		[MON_METHOD_ITIMER] = "itimer",
	};

	return (unsigned)method < sizeof(names) / sizeof(names[0]) ? names[method] : names[MON_METHOD_UNKNOWN];
}

void mon_profile_set_hz(struct mon_profile *p, unsigned hz)
{
	p->hz = hz;
	p->hz_source = MON_HZ_CALLER;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

int mon_grow(void **array, size_t n, size_t *room, size_t size, struct mon_error *err)
{
	size_t more = *room ? 2 * *room : 64;
	void *a;

	if (n < *room)
		return 0;
	if (more > SIZE_MAX / 2 / size)
		return mon_error_nomem(err);
	a = realloc(*array, more * size);
	if (!a)
		return mon_error_nomem(err);
	*array = a;
	*room = more;
	return 0;
}

int mon_profile_take_range(struct mon_profile *p, const struct mon_range *r, struct mon_error *err)
{
	struct mon_range *more = p->range;

	if ((p->nrange & (p->nrange - 1)) == 0) /* full: the room is the power of two at or above nrange */
		more = realloc(more, (p->nrange ? 2 * p->nrange : 1) * sizeof(*more));
	if (!more) {
		mon_bins_free(r->bins);
		return mon_error_nomem(err);
	}
	p->range = more;
	p->range[p->nrange++] = *r;
	return 0;
}

int mon_profile_add_range(struct mon_profile *p, uint64_t low, uint64_t high, uint64_t nbin, struct mon_error *err)
{
	uint64_t common = mon_gcd(high - low, nbin);
	struct mon_range r = { .low = low,
			       .high = high,
			       .nbin = nbin,
			       .width_num = (high - low) / common,
			       .width_den = nbin / common,
			       .bins = mon_bins_new(nbin) };

	return r.bins ? mon_profile_take_range(p, &r, err) : mon_error_nomem(err);
}

int mon_profile_load_bins(struct mon_profile *p, struct mon_range *r, struct mon_input *in, uint64_t off,
			  enum mon_order order, struct mon_error *err)
{
	struct mon_bins_sum sum = { .ticks = p->ticks };

	for (uint64_t page = 0; page * MON_PAGE < r->nbin; page++) {
		size_t n = (size_t)MON_MIN(r->nbin - page * MON_PAGE, (uint64_t)MON_PAGE);
		const unsigned char *b = mon_input_at(in, off, n * MON_BIN_SIZE, err);

		if (!b)
			return -1;
		if (mon_bins_add_words(r->bins, page, b, n, order, &sum))
			return mon_error_nomem(err);
		off += n * MON_BIN_SIZE;
	}
	p->ticks = sum.ticks;
	p->flags |= (sum.saturated ? MON_F_SATURATED : 0u) | (sum.limit ? MON_F_COUNT_LIMIT : 0u);
	return 0;
}

static int by_pc(const void *a, const void *b)
{
	const struct mon_call *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_ends(const void *a, const void *b)
{
	const struct mon_arc *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

struct mon_list mon_calls_list(const struct mon_profile *p)
{
	return (struct mon_list){ .item = (unsigned char *)p->call,
				  .n = p->ncall,
				  .size = sizeof(struct mon_call),
				  .count_at = offsetof(struct mon_call, count),
				  .compare = by_pc };
}

struct mon_list mon_arcs_list(const struct mon_profile *p)
{
	return (struct mon_list){ .item = (unsigned char *)p->arc,
				  .n = p->narc,
				  .size = sizeof(struct mon_arc),
				  .count_at = offsetof(struct mon_arc, count),
				  .compare = by_ends };
}

static void sort_by_pc(void *first, size_t n, void *ctx)
{
	(void)ctx;
	mon_sort(first, n, sizeof(struct mon_call), MON_KEY(struct mon_call, pc), NULL, NULL);
}

void mon_calls_sort(struct mon_call *call, size_t n)
{
	mon_sort(call, n, sizeof(*call), MON_KEY(struct mon_call, module), sort_by_pc, NULL);
}

static void sort_by_caller(void *first, size_t n, void *ctx)
{
	(void)ctx;
	mon_sort(first, n, sizeof(struct mon_arc), MON_KEY(struct mon_arc, from), NULL, NULL);
}

/* Every arc is a call of the function that holds its end. */
static int calls_from_arcs(struct mon_profile *p, struct mon_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < p->narc; i++)
		n += i == 0 || p->arc[i].to != p->arc[i - 1].to;
	p->call = calloc(n, sizeof(*p->call));
	if (!p->call)
		return mon_error_nomem(err);
	for (size_t i = 0; i < p->narc; i++) {
		struct mon_arc a = p->arc[i];
		bool limit = false;

		if (a.count == 0)
			continue;
		if (p->ncall > 0 && p->call[p->ncall - 1].pc == a.to)
			p->call[p->ncall - 1].count = mon_add_limit(p->call[p->ncall - 1].count, a.count, &limit);
		else
			p->call[p->ncall++] = (struct mon_call){ .pc = a.to, .count = a.count };
		p->flags |= limit ? MON_F_COUNT_LIMIT : 0u;
	}
	return 0;
}

void mon_profile_sum_calls(struct mon_profile *p)
{
	bool limit = false;

	p->calls = 0;
	for (size_t i = 0; i < p->ncall; i++)
		p->calls = mon_add_limit(p->calls, p->call[i].count, &limit);
	p->flags |= limit ? MON_F_COUNT_LIMIT : 0u;
}

int mon_profile_finish(struct mon_profile *p, struct mon_error *err)
{
	struct mon_list list;
	bool limit = false;

	mon_sort(p->arc, p->narc, sizeof(*p->arc), MON_KEY(struct mon_arc, to), sort_by_caller, NULL);
	list = mon_arcs_list(p);
	p->narc = mon_list_fold(&list, &limit);
	if (p->narc > 0 && calls_from_arcs(p, err))
		return -1;
	mon_calls_sort(p->call, p->ncall);
	list = mon_calls_list(p);
	p->ncall = mon_list_fold(&list, &limit);
	p->flags |= limit ? MON_F_COUNT_LIMIT : 0u;
	mon_profile_sum_calls(p);
	return mon_modules_group(p->module, p->nmodule, err);
}

/* ---- reading and writing ----------------------------------------------------------------------------------------- */

static int decode(struct mon_input *in, const struct mon_read_opts *opts, struct mon_profile **out,
		  struct mon_error *err)
{
	static const struct mon_read_opts none = { 0 };
	const struct mon_format *fmt;
	struct mon_profile *p;

	if (!opts)
		opts = &none;
	fmt = opts->variant ? (const struct mon_format *)opts->variant : mon_probe(in, opts->program, err);
	if (!fmt)
		return -1;
	p = calloc(1, sizeof(*p));
	if (!p)
		return mon_error_nomem(err);
	p->variant = &fmt->variant;
	p->hz = fmt->variant.hz;
	p->process.rank = -1;
	if (fmt->decode(fmt, in, opts, p, err) || mon_profile_finish(p, err)) {
		mon_profile_free(p);
		return -1;
	}
	*out = p;
	return 0;
}

int mon_profile_read(const char *path, const struct mon_read_opts *opts, struct mon_profile **out,
		     struct mon_error *err)
{
	struct mon_input in;
	int rc;

	if (mon_input_open(&in, path, err))
		return -1;
	rc = decode(&in, opts, out, err);
	mon_input_close(&in);
	return rc;
}

int mon_profile_decode(const void *bytes, size_t len, const struct mon_read_opts *opts, struct mon_profile **out,
		       struct mon_error *err)
{
	struct mon_input in;
	int rc;

	if (mon_input_memory(&in, bytes, len, err))
		return -1;
	rc = decode(&in, opts, out, err);
	mon_input_close(&in);
	return rc;
}

int mon_profile_write(const struct mon_profile *p, const struct mon_variant *variant, int fd, uint64_t *saturated,
		      struct mon_error *err)
{
	const struct mon_format *fmt = (const struct mon_format *)variant;
	uint64_t over = 0;

	if (!variant)
		return mon_error_set(err, MON_E_USAGE, 0, MON_NO_OFFSET, "no variant to write");
	if (!fmt->encode)
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET, "%s cannot be written", variant->name);
	if (fmt->encode(fmt, p, fd, &over, err))
		return -1;
	if (saturated)
		*saturated = over;
	return 0;
}
