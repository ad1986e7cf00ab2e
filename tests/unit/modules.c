/* SPDX-License-Identifier: BSD-2-Clause */
/* modules.c -- profiles of several objects: adding up, reports, matching, writing. */
#include "check.h"
#include "sample.h"

#include <sys/mman.h>

/* The same program and library in three processes, which loaded them in another order, at other places or not at all. */
#define LIBX "path /lib/libx.so\nbuild-id 9 9 9 9\n"
static const char one[] =
    "variant native-64-le\nprocess 10 1 500 900 0\nargument prog\nhost left\n"
    "clock 1 0 1000000000 1 2 3 4\nobject 0x1000 0x1100 0x7000\npath /bin/prog\nbuild-id 1 2 3 4\n"
    "bins 1 2 3\ncell 0x1010 5\ncell 0x1080 7\n"
    "object 0x400 0x480 0x9000\npath /lib/liby.so\nbin 2 50\ncell 0x410 1\n"
    "object 0x0 0x80 0xa000\n" LIBX "bin 15 60\ncell 0x8 2\n"
    "thread 10 3 1 1\nthread 11 4\n";
static const char two[] =
    "variant native-64-be\nprocess 20 1 400 950 0\nargument prog\nhost right\n"
    "clock 1 2 500000000 10 0 0 0\nobject 0x1000 0x1100 0x8000\npath /usr/bin/prog\nbuild-id 1 2 3 4\n"
    "bins 10 0 30\ncell 0x1010 1\ncell 0x1090 3\n"
    "object 0x0 0x80 0xb000\n" LIBX "bin 15 6\nbin 0 9\ncell 0x10 4\n"
    "object 0x0 0x80 0xc000 5 6\n" LIBX "bin 1 7\n" /* loaded a second time */
    "thread 20 9\n";
static const char three[] = "variant native-64-le\nlive\nprocess 30 1 600 0 1\nargument prog\nhost left\n"
			    "clock 3 1 0 0 0 0 0\nobject 0x1000 0x1100 0x8000\npath /bin/prog\nbuild-id 1 2 3 4\n"
			    "bin 31 100\nobject 0x400 0x480 0xd000\npath /lib/liby.so\nbin 2 1\n";
static const char *const all[] = { one, two, three };

static struct mon_profile *profile(const char *text)
{
	return sample_profile(text, NULL);
}

static int merge(struct mon_profile *into, const char *text, struct mon_error *err)
{
	struct mon_profile *p = profile(text);
	int r = mon_profile_merge(into, p, err);

	mon_profile_free(p);
	return r;
}

static void test_sum(void)
{
	struct mon_profile *p = profile(one);
	struct mon_error err = { 0 };

	if (!CHECK(merge(p, two, &err) == 0))
		printf("\t%s\n", err.text);
	CHECK_EQ(p->ticks, 6 + 50 + 60 + 6 + 40 + 15 + 7 + 10);
	CHECK_EQ(p->calls, 12 + 1 + 2 + 4 + 4);
	if (CHECK_EQ(p->nmodule, 4)) {
		CHECK_STR(p->module[0].path, "/bin/prog"); /* of two, the first in the alphabet */
		CHECK_EQ(p->module[0].bias, 0);		   /* not one any more */
		CHECK_STR(p->module[1].path, "/lib/liby.so");
		CHECK_EQ(p->module[1].bias, 0x9000);
		CHECK(p->module[2].first == 2 && p->module[3].first == 2 && p->module[3].loaded == 5);
	}
	if (CHECK_EQ(p->nrange, 4)) {
		CHECK_EQ(mon_bins_get(p->range[0].bins, 0), 11);
		CHECK_EQ(mon_bins_get(p->range[0].bins, 2), 33);
		CHECK_EQ(mon_bins_get(p->range[2].bins, 0), 9);
		CHECK_EQ(mon_bins_get(p->range[2].bins, 15), 66);
		CHECK_EQ(mon_bins_get(p->range[3].bins, 1), 7);
	}
	if (CHECK_EQ(p->ncall, 6)) {
		CHECK(p->call[0].module == 0 && p->call[0].pc == 0x1010 && p->call[0].count == 6);
		CHECK(p->call[4].module == 2 && p->call[4].pc == 0x8 && p->call[4].count == 2);
		CHECK(p->call[5].module == 2 && p->call[5].pc == 0x10 && p->call[5].count == 4);
	}
	CHECK(p->clock.unknown == 11 && p->clock.mcount == 2 && p->clock.vdso == 3 && p->clock.lost == 4);
	CHECK(p->clock.cpu == 1500000000 && p->clock.method == MON_METHOD_PERF && p->clock.tick_bound);
	CHECK(p->nthread == 3 && p->threads == 3);
	CHECK(p->process.pid == 0 && p->process.ppid == 1 && p->process.start == 400 && p->process.end == 950);
	CHECK(!p->process.host && p->process.life == MON_LIFE_FINISHED);
	CHECK_STR(p->process.program, "prog");
	mon_profile_free(p);
}

/* ---- in any order -------------------------------------------------------------------------------------------------- */

/* What a report shows, as text. */
static char *shown(const struct mon_profile *p)
{
	struct mon_report *r = NULL;
	struct mon_error err = { 0 };
	const struct mon_object **obj = calloc(p->nmodule, sizeof(struct mon_object *));
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || !obj || mon_report_build(p, obj, p->nmodule, NULL, &r, &err)) {
		printf("no report: %s\n", err.text);
		exit(1);
	}
	for (int key = MON_SORT_TIME; key <= MON_SORT_NAME; key++) {
		mon_report_sort(r, (enum mon_sort)key);
		for (size_t i = 0; i < r->nrow; i++) {
			const struct mon_row *row = &r->row[i];

			fprintf(out, "%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", mon_place_name(row->place),
				row->module < p->nmodule ? p->module[row->module].path : "-", row->ticks.whole,
				row->calls, row->ncell);
		}
	}
	fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %" PRIu64 " %" PRIu64 " %s\n", p->ticks, p->calls,
		p->threads, p->process.life, p->clock.method, p->process.start, p->clock.cpu,
		p->process.host ? p->process.host : "-");
	fclose(out);
	mon_report_free(r);
	free(obj);
	return text;
}

/* a + b + c, or a + (b + c). */
static char *sum_shown(const unsigned order[3], bool last_two_first)
{
	struct mon_profile *a = profile(all[order[0]]), *b = profile(all[order[1]]), *c = profile(all[order[2]]);
	struct mon_error err = { 0 };
	char *text;

	if (last_two_first)
		CHECK(mon_profile_merge(b, c, &err) == 0 && mon_profile_merge(a, b, &err) == 0);
	else
		CHECK(mon_profile_merge(a, b, &err) == 0 && mon_profile_merge(a, c, &err) == 0);
	text = shown(a);
	mon_profile_free(a);
	mon_profile_free(b);
	mon_profile_free(c);
	return text;
}

static void test_any_order(void)
{
	static const unsigned orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	char *first = sum_shown(orders[0], false);

	CHECK_HAS(first, "[object] /lib/libx.so 82 6 2\n"); /* 60 + 6 + 9 + 7 ticks, both copies in one row */
	CHECK_HAS(first, "[object] /lib/liby.so 51 1 1\n");
	CHECK_HAS(first, "[object] /bin/prog 146 16 3\n");
	CHECK_HAS(first, "[unknown] - 11 0 0\n");
	CHECK_HAS(first, "[mcount] - 2 0 0\n");
	CHECK_HAS(first, "[vdso] - 3 0 0\n");
	for (size_t i = 0; i < 12; i++) {
		char *text = sum_shown(orders[i / 2], i % 2);

		CHECK_STR(text, first);
		free(text);
	}
	free(first);
}

/* Any profile into one that is empty is that profile. */
static void test_into_nothing(void)
{
	struct mon_profile *p = profile("variant native-64-le\nprocess 1\n"), *q = profile(one);
	struct mon_error err = { 0 };
	char *a, *b;

	CHECK(mon_profile_merge(p, q, &err) == 0);
	CHECK(p->process.pid == 10 && p->hz_source == MON_HZ_FILE && p->nmodule == 3 && p->module[2].bias == 0xa000);
	a = shown(p);
	b = shown(q);
	CHECK_STR(a, b);
	free(a);
	free(b);
	CHECK(merge(q, "variant native-64-le\nprocess 1\n", &err) == 0);
	CHECK_EQ(q->process.pid, 10);
	mon_profile_free(p);
	mon_profile_free(q);
}

static const struct pair {
	const char *from, *says, *too;
} pairs[] = {
	{ "variant native-64-le\nclock 1\nobject 0x1000 0x1100\npath /bin/other\nbuild-id 5 6\n",
	  "/bin/prog (build-id 01020304)", "/bin/other (build-id 0506)" },
	{ "variant native-64-le\nclock 1\nobject 0x1000 0x1100\npath /bin/prog\n", "01020304", "0x1000-0x1100" },
	{ "variant native-64-le\nrate 1000\nclock 1\nobject 0x1000 0x1100\nbuild-id 1 2 3 4\n", "250 Hz", "1000 Hz" },
	{ "variant native-64-le\nclock 1\nobject 0x1000 0x1108\nbuild-id 1 2 3 4\n", "0x1100", "0x1108" },
	{ "variant a64-le\nhist 0x1000 0x1100 32\nbin 0 1\ncell 0x1004 9\ncells 600\n", "native", "a64-le" },
};

static void test_mismatch(void)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct mon_profile *p = profile(one), *before = profile(one);
		struct mon_error err = { 0 };
		char *a, *b;

		CHECK(merge(p, pairs[i].from, &err) == -1);
		CHECK_EQ(err.code, MON_E_MISMATCH);
		CHECK_HAS(err.text, pairs[i].says);
		CHECK_HAS(err.text, pairs[i].too);
		a = shown(p);
		b = shown(before);
		CHECK_STR(a, b);
		free(a);
		free(b);
		mon_profile_free(p);
		mon_profile_free(before);
	}
}

/* Threads are listed up to a limit, and then only counted. */
static void test_many_threads(void)
{
	struct mon_profile *p = profile(one), *q = profile(one);
	struct mon_error err = { 0 };
	uint64_t threads = 2;
	bool good = true;

	for (unsigned i = 0; i < 10 && good; i++) { /* fib(20) and fib(21) times two */
		good = mon_profile_merge(p, q, &err) == 0 && mon_profile_merge(q, p, &err) == 0;
	}
	for (unsigned i = 0; i < 4 && good; i++)
		good = mon_profile_merge(q, p, &err) == 0;
	CHECK(good);
	threads = q->threads;
	CHECK_EQ(q->calls, threads / 2 * 15); /* each profile has 2 threads and 15 calls */
	CHECK(threads > MON_THREAD_MAX);
	CHECK_EQ(q->nthread, MON_THREAD_MAX);
	mon_profile_free(p);
	mon_profile_free(q);
}

/* ---- reports -------------------------------------------------------------------------------------------------------- */

static const struct mon_row *find_row(const struct mon_report *r, uint32_t module, const char *name)
{
	for (size_t i = 0; i < r->nrow; i++) {
		const struct mon_row *row = &r->row[i];
		const char *n = row->sym ? mon_symbol_name(row->obj, row->sym) : mon_place_name(row->place);

		if (row->module == module && !strcmp(n, name))
			return row;
	}
	printf("no row %s of module %u\n", name, module);
	exit(1);
}

static void test_report(void)
{
	struct mon_object *prog = sample_object("section .text 0x1000\nfunc main 0x80\nfunc f 0x40\ngap 0x40\n");
	struct mon_object *libx = sample_object("section .text 0x0\nfunc f 0x40\nstatic g 0x3c\ngap 4\n");
	struct mon_profile *p = profile(two);
	const struct mon_object *obj[3] = { prog, libx, NULL }; /* the second copy has what the first one has */
	struct mon_report *r = NULL;
	struct mon_error err = { 0 };

	CHECK(mon_report_build(p, obj, 3, NULL, &r, &err) == 0);
	CHECK_EQ(find_row(r, 0, "main")->ticks.whole, 40);
	CHECK_EQ(find_row(r, 0, "main")->calls, 1);
	CHECK_EQ(find_row(r, 0, "f")->calls, 3);
	CHECK_EQ(find_row(r, 1, "f")->ticks.whole, 16); /* 9 of the one copy, 7 of the other */
	CHECK_EQ(find_row(r, 1, "f")->calls, 4);
	CHECK_EQ(find_row(r, 1, "g")->ticks.whole, 3); /* half of the last bin */
	CHECK_EQ(find_row(r, 1, "[gap]")->ticks.whole, 3);
	CHECK(find_row(r, 1, "[gap]")->obj == libx);
	CHECK_EQ(find_row(r, MON_NO_MODULE, "[unknown]")->ticks.whole, 10);
	CHECK_EQ(r->nrow, 6);
	mon_report_sort(r, MON_SORT_ADDRESS);
	CHECK(r->row[0].module == 0 && r->row[1].module == 0 && r->row[2].module == 1 && r->row[2].sym);
	mon_report_sort(r, MON_SORT_NAME);
	CHECK(r->row[0].module == 0 && r->row[1].module == 1 && !r->row[4].sym && !r->row[5].sym);
	mon_report_free(r);
	CHECK(mon_report_build(p, obj, 1, NULL, &r, &err) == 0); /* the program only */
	CHECK_EQ(find_row(r, 1, "[object]")->ticks.whole, 22);
	mon_report_free(r);
	CHECK(mon_report_build(p, obj, 2, NULL, &r, &err) == -1);
	CHECK_EQ(err.code, MON_E_USAGE);
	mon_profile_free(p);
	p = profile("variant a64-le\nhist 0x1000 0x1100 32\nbin 0 1\ncell 0x1004 9\ncells 600\n");
	CHECK(mon_report_build(p, obj + 2, 1, NULL, &r, &err) == -1);
	mon_profile_free(p);
	mon_object_close(prog);
	mon_object_close(libx);
}

/* Equal build-ids settle it, whatever the symbols say; so do different ones. */
static void test_match(void)
{
	struct mon_object *right = sample_object("section .text 0x8000\nfunc main 0x80\nbuild-id 01020304\n");
	struct mon_object *wrong = sample_object("section .text 0x1000\nfunc main 0x100\nbuild-id 01020305\n");
	struct mon_object *silent = sample_object("section .text 0x1000\nfunc main 0x100\n");
	struct mon_object *far = sample_object("section .text 0x9000\nfunc main 0x100\n");
	struct mon_profile *p = profile(three);
	const unsigned char *id;
	char text[200];
	size_t size;

	id = mon_object_build_id(right, &size);
	CHECK(size == 4 && !memcmp(id, "\1\2\3\4", 4));
	mon_object_build_id(silent, &size);
	CHECK_EQ(size, 0);
	CHECK_EQ(mon_profile_match(p, 0, right, text, sizeof(text)), MON_MATCH_YES);
	CHECK_HAS(text, "01020304");
	CHECK_EQ(mon_profile_match(p, 0, wrong, text, sizeof(text)), MON_MATCH_FOREIGN);
	CHECK_HAS(text, "01020304");
	CHECK_HAS(text, "01020305");
	CHECK_EQ(mon_profile_match(p, 0, silent, text, sizeof(text)), MON_MATCH_YES); /* both ends fit */
	CHECK_EQ(mon_profile_match(p, 0, far, NULL, 0), MON_MATCH_OUTSIDE);
	CHECK_EQ(mon_profile_match(p, 1, silent, NULL, 0), MON_MATCH_OUTSIDE); /* liby is at 0x400 */
	mon_profile_free(p);
	mon_object_close(right);
	mon_object_close(wrong);
	mon_object_close(silent);
	mon_object_close(far);
}

/* ---- writing -------------------------------------------------------------------------------------------------------- */

static struct bytes write_profile(const struct mon_profile *p)
{
	int fd = memfd_create("written", MFD_CLOEXEC);
	struct mon_error err = { 0 };
	struct bytes b = { 0 };
	uint64_t saturated = 9;
	char part[4096];
	ssize_t n;

	if (fd < 0 || !CHECK(mon_profile_write(p, mon_variant_find("native"), fd, &saturated, &err) == 0)) {
		printf("\t%s\n", err.text);
		exit(1);
	}
	CHECK_EQ(saturated, 0);
	for (off_t at = 0; (n = pread(fd, part, sizeof(part), at)) > 0; at += n)
		bytes_add(&b, part, (size_t)n);
	close(fd);
	return b;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void check_same_facts(const struct mon_profile *a, const struct mon_profile *b)
{
	const struct mon_process *p = &a->process, *q = &b->process;
	const struct mon_clock *c = &a->clock, *d = &b->clock;

	CHECK(a->hz == b->hz && a->hz_source == b->hz_source && a->flags == b->flags);
	CHECK(a->ticks == b->ticks && a->calls == b->calls && a->threads == b->threads);
	CHECK(p->life == q->life && p->pid == q->pid && p->ppid == q->ppid && p->rank == q->rank);
	CHECK(p->start == q->start && p->end == q->end);
	CHECK(same_text(p->program, q->program) && same_text(p->host, q->host));
	CHECK(c->method == d->method && c->user_only == d->user_only && c->tick_bound == d->tick_bound);
	CHECK(c->cpu == d->cpu && c->unknown == d->unknown && c->mcount == d->mcount && c->vdso == d->vdso);
	CHECK(c->lost == d->lost && c->lost_calls == d->lost_calls);
	CHECK_EQ(a->nthread, b->nthread);
	for (size_t i = 0; i < a->nthread && i < b->nthread; i++) {
		const struct mon_thread_row *x = &a->thread[i], *y = &b->thread[i];

		CHECK(x->tid == y->tid && x->born == y->born && x->ended == y->ended && x->ticks == y->ticks);
		CHECK(x->user == y->user && x->system == y->system && x->wait == y->wait);
		CHECK_STR(x->name, y->name);
	}
}

static void check_same_counts(const struct mon_profile *a, const struct mon_profile *b)
{
	CHECK_EQ(a->nmodule, b->nmodule);
	for (size_t i = 0; i < a->nmodule && i < b->nmodule; i++) {
		const struct mon_module *x = &a->module[i], *y = &b->module[i];

		CHECK(same_text(x->path, y->path) && x->low == y->low && x->high == y->high && x->bias == y->bias);
		CHECK(x->loaded == y->loaded && x->unloaded == y->unloaded && x->first == y->first);
		CHECK(x->build_id_size == y->build_id_size && !memcmp(x->build_id, y->build_id, x->build_id_size));
	}
	CHECK_EQ(a->nrange, b->nrange);
	for (size_t i = 0; i < a->nrange && i < b->nrange; i++) {
		const struct mon_range *x = &a->range[i], *y = &b->range[i];
		uint64_t differ = 0;

		CHECK(x->module == y->module && x->low == y->low && x->high == y->high && x->nbin == y->nbin);
		for (uint64_t k = 0; k < x->nbin; k++)
			differ += mon_bins_get(x->bins, k) != mon_bins_get(y->bins, k);
		CHECK_EQ(differ, 0);
	}
	CHECK_EQ(a->ncall, b->ncall);
	for (size_t i = 0; i < a->ncall && i < b->ncall; i++)
		CHECK(a->call[i].module == b->call[i].module && a->call[i].pc == b->call[i].pc &&
		      a->call[i].count == b->call[i].count);
}

static void check_round(const struct mon_profile *p)
{
	struct bytes b = write_profile(p), again;
	struct mon_error err = { 0 };
	struct mon_profile *back = NULL;

	if (!CHECK(mon_profile_decode(b.data, b.size, NULL, &back, &err) == 0)) {
		printf("\t%s\n", err.text);
		exit(1);
	}
	check_same_facts(p, back);
	check_same_counts(p, back);
	again = write_profile(back);
	CHECK(b.size == again.size && !memcmp(b.data, again.data, b.size));
	mon_profile_free(back);
	free(b.data);
	free(again.data);
}

static void test_round(void)
{
	static const char odd[] =
	    "variant native-64-le\nlive\nprocess 9 8 7 0 5 3 5 77\nclock 2 3 4 5 6 7 8\ncell 0 12\n"
	    "object 0x1000 0x1001\nobject 0 0\npath a\nobject 0x7 0x1234567\nbin 2000 0xffffffffffff\n"
	    "thread 1 2 3 4 5 6 7\nname 0123456789abcdef\n";
	struct mon_error err = { 0 };
	struct mon_profile *p;

	for (size_t i = 0; i < 3; i++) {
		p = profile(all[i]);
		check_round(p);
		CHECK(merge(p, all[(i + 1) % 3], &err) == 0);
		check_round(p);
		mon_profile_free(p);
	}
	p = profile(odd);
	check_round(p);
	p->process.life = MON_LIFE_DIED;
	p->flags |= MON_F_CUT | MON_F_PRIVATE | MON_F_COUNT_LIMIT;
	p->threads = 12345;
	check_round(p);
	mon_profile_free(p);
	p = profile("variant native-64-le\nprocess 1\n");
	check_round(p);
	mon_profile_free(p);
}

/* A layout that knows one program only, or that names objects, refuses what it cannot say. */
static void test_refused(void)
{
	static const struct {
		const char *text, *variant, *says;
	} cases[] = {
		{ one, "a64-le", "shared objects" },
		{ "variant native-64-le\nclock 1 0 0 9\nobject 0x1000 0x1100\nbin 0 1\n", "a64-le", "no object" },
		{ "variant a64-le\nhist 0x1000 0x1100 32\nbin 0 1\ncell 0x1004 9\ncells 600\n", "native", "a64-le" },
		{ "variant g2-64-le\nhist 0x1000 0x1100 32\nbin 0 1\n", "native", "g2" },
	};
	int fd = memfd_create("written", MFD_CLOEXEC);
	struct mon_profile *p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mon_error err = { 0 };

		p = profile(cases[i].text);
		CHECK(mon_profile_write(p, mon_variant_find(cases[i].variant), fd, NULL, &err) == -1);
		CHECK_EQ(err.code, MON_E_UNSUPPORTED);
		CHECK_HAS(err.text, cases[i].says);
		mon_profile_free(p);
	}
	CHECK_EQ(lseek(fd, 0, SEEK_END), 0); /* nothing was written */
	p = profile("variant native-64-le\nclock 1\nobject 0x1000 0x1100\nbin 5 70000\ncell 0x1004 9\n");
	CHECK(mon_profile_write(p, mon_variant_find("a64-le"), fd, NULL, NULL) ==
	      0); /* one program, and nothing else */
	CHECK_EQ(lseek(fd, 0, SEEK_END), 24 + 16 + 2 * 32);
	mon_profile_free(p);
	close(fd);
}

int main(void)
{
	test_sum();
	test_any_order();
	test_into_nothing();
	test_mismatch();
	test_many_threads();
	test_report();
	test_match();
	test_round();
	test_refused();
	return check_status();
}
