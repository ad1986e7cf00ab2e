/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.c -- the statistics of -s, on standard error. */
#include "prof.h"
#include "safe.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_RANGES = 8 };

static const char *const clock_source[] = {
	[MON_HZ_FAMILY] = "usual for the family, the file cannot say",
	[MON_HZ_FILE] = "stated by the file",
	[MON_HZ_CALLER] = "--hz",
};

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

static void print_symbols(const struct prof_data *data)
{
	size_t nsymbol, nfunction = 0, nactive = 0;
	const struct mon_symbol *sym = mon_object_symbols(data->obj, &nsymbol);
	const struct mon_report *r = data->report;

	for (size_t i = 0; i < nsymbol; i++)
		nfunction += !sym[i].alias;
	for (size_t i = 0; i < r->nrow; i++)
		nactive += r->row[i].sym != NULL && (r->row[i].ncell > 0 || mon_ticks_value(r->row[i].ticks) > 0);
	fprintf(stderr, "symbols: %zu functions, %zu with no time and no calls%s\n", nfunction, nfunction - nactive,
		mon_object_stripped(data->obj) ? " (exported ones only)" : "");
}

void summary_print(const struct prof_data *data, const struct prof_opts *opts)
{
	const struct mon_profile *p = data->profile;

	fflush(stdout);
	fputs("program: ", stderr);
	safe_puts(stderr, opts->program);
	fprintf(stderr, "\nprofiles: %zu\n", opts->nprofile);
	fprintf(stderr, "format: %s (%s)\n", p->variant->name, p->variant->title);
	fprintf(stderr, "clock: %u Hz (%s)\n", p->hz, clock_source[p->hz_source]);
	fprintf(stderr, "time: %.2f s in %" PRIu64 " ticks\n", (double)p->ticks / p->hz, p->ticks);
	fprintf(stderr, "calls: %" PRIu64 "\n", p->calls);
	fprintf(stderr, "cells: %zu used, %" PRIu64 " reserved, %" PRIu64 " ignored\n", p->ncall, p->cells_reserved,
		p->cells_ignored);
	print_ranges(p);
	print_symbols(data);
}
