/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.c -- the statistics of -s, on standard error. */
#include "prof.h"
#include "safe.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { MAX_RANGES = 8, MAX_OBJECTS = 64 };
static const double nsec = 1e9;

/* ---- clock ------------------------------------------------------------------------------------------------------------ */

static const char *const clock_source[] = {
	[MON_HZ_FAMILY] = "usual for the family, the file cannot say",
	[MON_HZ_FILE] = "stated by the file",
	[MON_HZ_CALLER] = "--hz",
};

static const char *const method_text[] = {
	[MON_METHOD_UNKNOWN] = "not stated, or not the same in all profiles",
	[MON_METHOD_PERF] = "the kernel samples the CPU time of each thread (perf)",
	[MON_METHOD_PERF_SIGNAL] = "the kernel samples the CPU time of each thread, a signal each (perf-signal)",
	[MON_METHOD_TIMER] = "a CPU-time timer of each thread (timer)",
	[MON_METHOD_ITIMER] = "one CPU-time timer of the process (itimer)",
};

static void print_clock(const struct mon_profile *p)
{
	const struct mon_clock *c = &p->clock;

	fprintf(stderr, "clock: %u Hz (%s)\n", p->hz, clock_source[p->hz_source]);
	if (p->nmodule == 0)
		return;
	fprintf(stderr, "method: %s\n", method_text[c->method]);
	if (c->user_only)
		fputs("method: sees user code only; time in system calls is missing\n", stderr);
	if (c->tick_bound)
		fputs("method: bound to the scheduler's tick; what runs only between two ticks is not seen\n", stderr);
	if (c->cpu > 0)
		fprintf(stderr, "achieved: %.1f ticks per second of CPU time (%" PRIu64 " in %.3f s)\n",
			(double)p->ticks / ((double)c->cpu / nsec), p->ticks, (double)c->cpu / nsec);
	fprintf(stderr, "lost: %" PRIu64 " ticks, %" PRIu64 " calls\n", c->lost, c->lost_calls);
}

/* ---- process ---------------------------------------------------------------------------------------------------------- */

static void put_time(uint64_t ns)
{
	time_t t = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[64];

	if (gmtime_r(&t, &tm) != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm) > 0)
		fputs(text, stderr);
	else
		fprintf(stderr, "%" PRIu64 " ns after 1970", ns);
}

static void put_life(const struct mon_process *p)
{
	static const char *const life[] = {
		[MON_LIFE_UNKNOWN] = "not finished when it was copied",
		[MON_LIFE_FINISHED] = "finished",
		[MON_LIFE_RUNNING] = "still running",
		[MON_LIFE_DIED] = "died",
	};

	if (p->life == MON_LIFE_FINISHED && p->pid > 0 && p->end == 0) {
		fputs("a copy made while it ran", stderr);
		return;
	}
	fputs(life[p->life], stderr);
	if (p->life == MON_LIFE_FINISHED && p->start > 0 && p->end >= p->start)
		fprintf(stderr, " after %.3f s", (double)(p->end - p->start) / nsec);
}

static void print_process(const struct mon_profile *p)
{
	const struct mon_process *q = &p->process;

	if (q->pid > 0)
		fprintf(stderr, "process: %" PRIu64, q->pid);
	else
		fputs("process: several", stderr);
	if (q->program != NULL) {
		fputs(" (", stderr);
		safe_puts(stderr, q->program);
		putc(')', stderr);
	}
	if (q->host != NULL) {
		fputs(" on ", stderr);
		safe_puts(stderr, q->host);
	}
	if (q->rank >= 0)
		fprintf(stderr, ", rank %" PRId64, q->rank);
	if (q->start > 0) {
		fputs(", started ", stderr);
		put_time(q->start);
	}
	fputs(", ", stderr);
	put_life(q);
	fprintf(stderr, "\nthreads: %" PRIu64, p->threads);
	if (p->threads > p->nthread)
		fprintf(stderr, " at least, %zu of them listed", p->nthread);
	putc('\n', stderr);
}

/* ---- what was profiled ------------------------------------------------------------------------------------------------ */

static void print_ranges(const struct mon_profile *p)
{
	for (size_t i = 0; i < p->nrange && i < MAX_RANGES; i++) {
		const struct mon_range *g = &p->range[i];

		fprintf(stderr, "range: 0x%" PRIx64 "-0x%" PRIx64 ", %" PRIu64 " bins", g->low, g->high, g->nbin);
		if (g->nbin > 0)
			fprintf(stderr, " of %.10g bytes", (double)g->width_num / (double)g->width_den);
		putc('\n', stderr);
	}
	if (p->nrange > MAX_RANGES)
		fprintf(stderr, "range: and %zu more\n", p->nrange - MAX_RANGES);
}

static void print_objects(const struct mon_profile *p)
{
	for (size_t i = 0; i < p->nmodule && i < MAX_OBJECTS; i++) {
		const struct mon_module *m = &p->module[i];

		fputs("object: ", stderr);
		safe_puts(stderr, m->path != NULL ? m->path : "without a name");
		fprintf(stderr, ", text 0x%" PRIx64 "-0x%" PRIx64, m->low, m->high);
		for (size_t k = 0; k < m->build_id_size; k++)
			fprintf(stderr, "%s%02x", k == 0 ? ", build-id " : "", m->build_id[k]);
		putc('\n', stderr);
	}
	if (p->nmodule > MAX_OBJECTS)
		fprintf(stderr, "object: and %zu more\n", p->nmodule - MAX_OBJECTS);
}

static void print_symbols(const struct prof_data *data)
{
	size_t nsymbol, nfunction = 0, nactive = 0;
	const struct mon_report *r = data->report;
	const struct mon_symbol *sym;

	if (data->obj == NULL) {
		fputs("symbols: none in the program\n", stderr);
		return;
	}
	sym = mon_object_symbols(data->obj, &nsymbol);
	for (size_t i = 0; i < nsymbol; i++)
		nfunction += !sym[i].alias;
	for (size_t i = 0; i < r->nrow; i++)
		nactive += r->row[i].sym != NULL && r->row[i].obj == data->obj &&
			   (r->row[i].ncell > 0 || mon_ticks_value(r->row[i].ticks) > 0);
	fprintf(stderr, "symbols: %zu functions, %zu with no time and no calls%s\n", nfunction, nfunction - nactive,
		mon_object_stripped(data->obj) ? " (exported ones only)" : "");
}

void summary_print(const struct prof_data *data, const struct prof_opts *opts)
{
	const struct mon_profile *p = data->profile;

	fflush(stdout);
	fputs("program: ", stderr);
	safe_puts(stderr, data->program);
	fprintf(stderr, "\nprofiles: %zu\n", opts->nprofile);
	fprintf(stderr, "format: %s (%s)\n", p->variant->name, p->variant->title);
	print_clock(p);
	fprintf(stderr, "time: %.2f s in %" PRIu64 " ticks\n", (double)p->ticks / p->hz, p->ticks);
	fprintf(stderr, "calls: %" PRIu64 "\n", p->calls);
	fprintf(stderr, "cells: %zu used, %" PRIu64 " reserved, %" PRIu64 " ignored\n", p->ncall, p->cells_reserved,
		p->cells_ignored);
	if (p->nmodule > 0) {
		print_process(p);
		print_objects(p);
	} else {
		print_ranges(p);
	}
	print_symbols(data);
}
