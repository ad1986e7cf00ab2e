/* SPDX-License-Identifier: BSD-2-Clause */
/* native.c -- reading native profiles: a live file laid out by hand, cut and damaged everywhere, and hostile ones. */
#include "check.h"
#include "monfmt.h"
#include "sample.h"

#include <stddef.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- a live file: the structure is the file ------------------------------------------------------------------------- */

enum { OBJECT_SIZE = sizeof(struct monfmt_object) + 16, TEXT = 3 * MONFMT_PAGE_TEXT + 5 };

struct table { /* struct monfmt_table with its sections */
	uint64_t next;
	uint32_t nsection, room;
	struct monfmt_section section[12];
};

struct live {
	struct monfmt_header header;
	struct table table[2];
	struct monfmt_process process;
	struct monfmt_clock clock;
	char argument[8], host[72];
	unsigned char object[2][OBJECT_SIZE];
	struct monfmt_function function[2][4]; /* ids 0-3 and 4-7 */
	uint64_t count[3][8];		       /* of three tables: 4, 6 and 8 ids */
	uint32_t pages[2][4];
	uint64_t pool[2][2][MONFMT_PAGE_BINS]; /* pages 1-2 and 3-4 */
	struct monfmt_thread thread[3];
	char unknown[24];
	char unused[40];
};

#define AT(member)   offsetof(struct live, member)
#define SIZE(member) sizeof(((struct live *)0)->member)

static void list(struct live *f, unsigned table, uint32_t type, uint32_t of, size_t offset, size_t size)
{
	struct table *t = &f->table[table];

	t->section[t->nsection++] = (struct monfmt_section){ type, of, offset, size };
}

static void put_object(struct live *f, unsigned i, uint64_t low, const char *path)
{
	struct monfmt_object o = { .low = low,
				   .high = low + TEXT,
				   .bias = 0x10000 * (i + 1),
				   .loaded = i * 1000,
				   .build_id_size = i == 0 ? 20 : 0,
				   .path_size = (uint32_t)strlen(path) };

	memset(o.build_id, 0xab, o.build_id_size);
	memcpy(f->object[i], &o, sizeof(o));
	memcpy(f->object[i] + sizeof(o), path, strlen(path));
}

static void list_all(struct live *f)
{
	list(f, 0, MONFMT_PROCESS, 0, AT(process), SIZE(process));
	list(f, 0, MONFMT_ARGUMENT, 0, AT(argument), 4);
	list(f, 0, MONFMT_HOST, 0, AT(host), SIZE(host));
	list(f, 0, MONFMT_OBJECT, 0, AT(object[0]), OBJECT_SIZE);
	list(f, 0, MONFMT_PAGES, 0, AT(pages[0]), SIZE(pages[0]));
	list(f, 0, MONFMT_POOL, 1, AT(pool[0]), SIZE(pool[0]));
	list(f, 0, MONFMT_CLOCK, 0, AT(clock), SIZE(clock));
	list(f, 0, MONFMT_FUNCTION, 0, AT(function[0]), SIZE(function[0]));
	list(f, 0, MONFMT_COUNT, 0, AT(count[0]), 4 * sizeof(uint64_t));
	list(f, 0, MONFMT_THREAD, 0, AT(thread[0]), 2 * SIZE(thread[0]));
	list(f, 0, 999, 7, AT(unknown), SIZE(unknown)); /* of a type to come */
	list(f, 1, MONFMT_OBJECT, 1, AT(object[1]), OBJECT_SIZE);
	list(f, 1, MONFMT_PAGES, 1, AT(pages[1]), SIZE(pages[1]));
	list(f, 1, MONFMT_FUNCTION, 4, AT(function[1]), SIZE(function[1]));
	list(f, 1, MONFMT_COUNT, 0, AT(count[1]), 6 * sizeof(uint64_t));
	list(f, 1, MONFMT_COUNT, 0, AT(count[2]), 8 * sizeof(uint64_t));
	list(f, 1, MONFMT_POOL, 3, AT(pool[1]), SIZE(pool[1]));
	list(f, 1, MONFMT_THREAD, 0, AT(thread[2]), SIZE(thread[2]));
}

/* Calls: id 0 1 + 10 + 100, id 1 none, id 2 7 of object 1, id 4 1000 of object 1, id 5 3 of no object.
 * Ticks: object 0 page 0 in pool page 3: bins 0 and 31 with 2 and 5; page 2 in pool page 1: bin 64 with 9;
 * object 1 page 3 in pool page 2: bin 96, the last, with 2^40; 4 unknown, 2 mcount, 1 vdso. */
static struct live *make_live(void)
{
	struct live *f = calloc(1, sizeof(*f));

	if (!f)
		exit(1);
	f->header = (struct monfmt_header){ .magic = MONFMT_MAGIC,
					    .order = MONFMT_ORDER,
					    .version = MONFMT_VERSION,
					    .word = 8,
					    .state = MONFMT_LIVE,
					    .size = AT(unused),
					    .table = AT(table[0]) };
	f->table[0].next = AT(table[1]);
	f->table[0].room = f->table[1].room = 12;
	f->process = (struct monfmt_process){ .pid = 77, .ppid = 7, .start = 123456, .identity = 55, .rank = 2 };
	f->process.lost_calls = 6;
	f->clock = (struct monfmt_clock){ .method = MONFMT_TIMER,
					  .hz = 1000,
					  .flags = MONFMT_C_TICK_BOUND,
					  .ticks = 30,
					  .outside = 4,
					  .mcount = 2,
					  .vdso = 1,
					  .lost = 8,
					  .cpu = 90 };
	memcpy(f->argument, "prog", 4);
	memcpy(f->host, "no such host", 12);
	put_object(f, 0, 0x1000, "/bin/prog");
	put_object(f, 1, 0x400, "/lib/x.so");
	f->function[0][0] = (struct monfmt_function){ 0, 0x10 };
	f->function[0][1] = (struct monfmt_function){ 0, 0x20 };
	f->function[0][2] = (struct monfmt_function){ 1, 0x44 };
	f->function[1][0] = (struct monfmt_function){ 1, 0x04 };
	f->function[1][1] = (struct monfmt_function){ MONFMT_NO_OBJECT, 0 };
	f->count[0][0] = 1;
	f->count[1][0] = 10;
	f->count[2][0] = 100;
	f->count[1][2] = 7;
	f->count[2][4] = 1000;
	f->count[1][5] = 2;
	f->count[2][5] = 1;
	f->pages[0][0] = 3;
	f->pages[0][2] = 1;
	f->pages[1][3] = 2;
	f->pool[1][0][0] = 2;
	f->pool[1][0][31] = 5;
	f->pool[0][0][0] = 9;
	f->pool[0][1][0] = UINT64_C(1) << 40;
	f->thread[0] = (struct monfmt_thread){ .tid = 77, .ticks = 11, .user = 5, .name = "sixteen bytes on" };
	f->thread[2] = (struct monfmt_thread){ .tid = 78, .ended = 9, .wait = 3 }; /* thread[1]: tid 0, unused */
	list_all(f);
	return f;
}

static const uint64_t all_ticks = (UINT64_C(1) << 40) + 2 + 5 + 9 + 4 + 2 + 1, all_calls = 111 + 7 + 1000 + 3;

static struct mon_profile *decode(const void *bytes, size_t size, struct mon_error *err)
{
	struct mon_read_opts opts = { .variant = mon_variant_find("native") };
	unsigned char *exact = malloc(size + !size); /* so that a sanitizer sees any step too far */
	struct mon_profile *p = NULL;

	if (!exact)
		exit(1);
	memcpy(exact, bytes, size);
	if (mon_profile_decode(exact, size, &opts, &p, err))
		CHECK(!p && err->code != MON_OK && err->text[0]);
	free(exact);
	return p;
}

static struct mon_profile *must_decode(const void *bytes, size_t size)
{
	struct mon_error err = { 0 };
	struct mon_profile *p = decode(bytes, size, &err);

	if (!p) {
		printf("a good profile is refused: %s: %s\n", mon_error_name(err.code), err.text);
		exit(1);
	}
	return p;
}

static void test_values(void)
{
	struct live *f = make_live();
	struct mon_profile *p = must_decode(f, sizeof(*f));

	CHECK_STR(p->variant->name, "native");
	CHECK(p->hz == 1000 && p->hz_source == MON_HZ_FILE);
	CHECK_EQ(p->ticks, all_ticks);
	CHECK_EQ(p->calls, all_calls);
	CHECK_EQ(p->flags, 0);
	if (CHECK_EQ(p->nmodule, 2)) {
		CHECK_STR(p->module[0].path, "/bin/prog");
		CHECK(p->module[0].low == 0x1000 && p->module[0].high == 0x1000 + TEXT);
		CHECK(p->module[0].build_id_size == 20 && p->module[0].build_id[19] == 0xab);
		CHECK_STR(p->module[1].path, "/lib/x.so");
		CHECK(p->module[1].bias == 0x20000 && p->module[1].loaded == 1000 && p->module[1].first == 1);
	}
	if (CHECK_EQ(p->nrange, 2)) {
		CHECK(p->range[0].low == 0x1000 && p->range[0].nbin == TEXT / 8 + 1 && p->range[0].module == 0);
		CHECK_EQ(p->range[0].high, 0x1000 + 8 * (TEXT / 8 + 1));
		CHECK(p->range[0].width_num == 8 && p->range[0].width_den == 1 && p->range[1].module == 1);
		CHECK_EQ(mon_bins_get(p->range[0].bins, 0), 2);
		CHECK_EQ(mon_bins_get(p->range[0].bins, 1), 0);
		CHECK_EQ(mon_bins_get(p->range[0].bins, 31), 5);
		CHECK_EQ(mon_bins_get(p->range[0].bins, 64), 9);
		CHECK_EQ(mon_bins_get(p->range[1].bins, 96), UINT64_C(1) << 40);
	}
	if (CHECK_EQ(p->ncall, 4)) {
		CHECK(p->call[0].module == 0 && p->call[0].pc == 0x1010 && p->call[0].count == 111);
		CHECK(p->call[1].module == 1 && p->call[1].pc == 0x404 && p->call[1].count == 1000);
		CHECK(p->call[2].module == 1 && p->call[2].pc == 0x444 && p->call[2].count == 7);
		CHECK(p->call[3].module == MON_NO_MODULE && p->call[3].count == 3);
	}
	mon_profile_free(p);
	free(f);
}

static void test_facts(void)
{
	struct live *f = make_live();
	struct mon_profile *p = must_decode(f, sizeof(*f));

	if (CHECK_EQ(p->nthread, 2)) {
		CHECK(p->thread[0].tid == 77 && p->thread[0].ticks == 11 && p->thread[0].user == 5);
		CHECK_STR(p->thread[0].name, "sixteen bytes on");
		CHECK(p->thread[1].tid == 78 && p->thread[1].ended == 9 && p->thread[1].wait == 3);
	}
	CHECK_EQ(p->threads, 2);
	CHECK(p->process.pid == 77 && p->process.ppid == 7 && p->process.rank == 2 && p->process.start == 123456);
	CHECK_STR(p->process.program, "prog");
	CHECK_STR(p->process.host, "no such host");
	CHECK_EQ(p->process.life, MON_LIFE_UNKNOWN);
	CHECK_EQ(p->clock.method, MON_METHOD_TIMER);
	CHECK_STR(mon_method_name(p->clock.method), "timer");
	CHECK(p->clock.tick_bound && !p->clock.user_only);
	CHECK(p->clock.unknown == 4 && p->clock.mcount == 2 && p->clock.vdso == 1);
	CHECK(p->clock.lost == 8 && p->clock.lost_calls == 6 && p->clock.cpu == 90);
	mon_profile_free(p);
	f->process.flags = MONFMT_F_THREADS | MONFMT_F_SIGPROF | MONFMT_F_PRIVATE;
	p = must_decode(f, sizeof(*f));
	CHECK_EQ(p->threads, 3); /* one more at least */
	CHECK_EQ(p->flags, MON_F_SIGPROF | MON_F_PRIVATE);
	mon_profile_free(p);
	free(f);
}

/* What the kernel of this host says of the process decides. */
static void test_life(void)
{
	struct live *f = make_live();
	struct utsname here;
	struct mon_profile *p;
	char stat[1024] = "", *at;
	FILE *in = fopen("/proc/self/stat", "r");

	if (!in || uname(&here) || !fread(stat, 1, sizeof(stat) - 1, in))
		exit(1);
	fclose(in);
	at = strrchr(stat, ')');
	for (unsigned field = 2; field < 22; field++)
		at = strchr(at + 1, ' ');
	memset(f->host, 0, sizeof(f->host));
	snprintf(f->host, sizeof(f->host), "%s", here.nodename);
	f->process.pid = (uint64_t)getpid();
	f->process.identity = strtoull(at, NULL, 10);
	p = must_decode(f, sizeof(*f));
	CHECK_EQ(p->process.life, MON_LIFE_RUNNING);
	mon_profile_free(p);
	f->process.identity++; /* another process has got the number */
	p = must_decode(f, sizeof(*f));
	CHECK_EQ(p->process.life, MON_LIFE_DIED);
	mon_profile_free(p);
	f->process.identity--;
	f->process.pid = 1u << 30; /* more than a kernel gives out */
	p = must_decode(f, sizeof(*f));
	CHECK_EQ(p->process.life, MON_LIFE_DIED);
	mon_profile_free(p);
	f->header.state = MONFMT_FINISHED; /* marked only: its compact file could not be written */
	p = must_decode(f, sizeof(*f));
	CHECK_EQ(p->process.life, MON_LIFE_FINISHED);
	CHECK_EQ(p->ticks, all_ticks);
	mon_profile_free(p);
	free(f);
}

/* ---- cut ------------------------------------------------------------------------------------------------------------ */

/* What monread.h promises of any profile. */
static void check_sound(const struct mon_profile *p)
{
	uint64_t ticks = p->clock.unknown + p->clock.mcount + p->clock.vdso, calls = 0;
	bool good = p->hz > 0 && p->nthread <= p->threads;

	for (size_t i = 0; i < p->nrange; i++) {
		const struct mon_range *r = &p->range[i];
		uint64_t index = 0, count;

		good &= r->low < r->high && r->module < p->nmodule && (i == 0 || r[-1].module < r->module);
		for (; mon_bins_next(r->bins, &index, &count); index++) {
			good &= count > 0 && index < r->nbin;
			ticks += count;
		}
	}
	for (size_t i = 0; i < p->ncall; i++) {
		const struct mon_call *c = &p->call[i];

		good &= c->count > 0 && (c->module < p->nmodule || c->module == MON_NO_MODULE);
		good &= i == 0 || c[-1].module < c->module || (c[-1].module == c->module && c[-1].pc < c->pc);
		calls += c->count;
	}
	good &= p->flags & MON_F_COUNT_LIMIT || (ticks == p->ticks && calls == p->calls);
	CHECK(good);
}

/* Where the sections begin without which nothing is to be understood, and those that may be missing. */
static void test_cut_live(void)
{
	struct live *f = make_live();
	uint64_t before = 0;
	size_t partial = 0;

	for (size_t size = 0; size <= sizeof(*f); size++) {
		struct mon_error err = { 0 };
		struct mon_profile *p = decode(f, size, &err);

		if (!p) {
			CHECK_EQ(err.code, MON_E_TRUNCATED);
			CHECK(err.offset <= size);
			CHECK(size < AT(function[0])); /* from there on only counts are cut off */
			continue;
		}
		check_sound(p);
		CHECK(p->ticks <= all_ticks && p->calls <= all_calls && p->calls >= before);
		before = p->calls;
		if (size < AT(unknown)) {
			CHECK(p->flags & MON_F_CUT);
			partial++;
		} else {
			CHECK(!(p->flags & MON_F_CUT) && p->ticks == all_ticks && p->calls == all_calls);
		}
		mon_profile_free(p);
	}
	CHECK_EQ(before, all_calls);
	CHECK_EQ(partial, AT(unknown) - AT(function[0]));
	free(f);
}

static const char finished[] = "variant native-64-%s\nprocess 5 4 1000 2000 0 1\nargument prog\nhost h\n"
			       "clock 1 1 40 1 2 3 4\nobject 0x1000 0x1105\npath /bin/prog\nbuild-id 1 2 3\n"
			       "bins 0 7 0 0 500000\nbin 32 1\ncell 0x1010 5\ncell 0x1050 0x123456789abcdef\n"
			       "object 0x0 0x20 9 8 7\npath /lib/x\nbin 3 2\ncell 0 1\nthread 5 3 1 2\nname main\n";

static struct bytes make(const char *text, const char *order)
{
	char with_order[2048];

	snprintf(with_order, sizeof(with_order), text, order);
	return sample_bytes(with_order);
}

static void test_finished(void)
{
	static const char *const orders[] = { "le", "be" };

	for (size_t i = 0; i < 2; i++) {
		struct bytes b = make(finished, orders[i]);
		struct mon_profile *p = must_decode(b.data, b.size);

		check_sound(p);
		CHECK_EQ(p->ticks, 7 + 500000 + 1 + 2 + 6);
		CHECK_EQ(p->calls, 0x123456789abcdef + 6);
		CHECK_EQ(p->process.life, MON_LIFE_FINISHED);
		CHECK_EQ(p->process.rank, 1);
		CHECK_EQ(p->clock.user_only, true);
		CHECK_EQ(mon_bins_get(p->range[0].bins, 32), 1);
		CHECK_EQ(p->range[0].nbin, 33);
		CHECK_EQ(p->range[1].nbin, 4);
		CHECK_EQ(p->module[1].bias, 9);
		CHECK_STR(p->thread[0].name, "main");
		mon_profile_free(p);
		free(b.data);
	}
}

/* The checksum: no byte may be missing, no bit may be other than it was written. */
static void test_damage_finished(void)
{
	struct bytes b = make(finished, "be");
	struct mon_error err = { 0 };

	for (size_t size = 8; size < b.size; size++) {
		CHECK(!decode(b.data, size, &err));
		CHECK_EQ(err.code, MON_E_TRUNCATED);
	}
	for (size_t bit = 0; bit < 8 * b.size; bit++) {
		b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		if (!CHECK(!decode(b.data, b.size, &err)))
			printf("\tbit %zu of byte %zu\n", bit % 8, bit / 8);
		b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	b.data[b.size - 1] ^= 0x10;
	CHECK(!decode(b.data, b.size, &err));
	CHECK_EQ(err.code, MON_E_FORMAT);
	CHECK_HAS(err.text, "checksum");
	free(b.data);
}

static void test_damage_live(void)
{
	struct live *f = make_live();
	unsigned char *b = (unsigned char *)f;
	size_t accepted = 0;

	for (size_t bit = 0; bit < 8 * sizeof(*f); bit++) {
		struct mon_error err = { 0 };
		struct mon_profile *p;

		b[bit / 8] ^= (unsigned char)(1u << bit % 8);
		p = decode(f, sizeof(*f), &err);
		b[bit / 8] ^= (unsigned char)(1u << bit % 8);
		if (p)
			check_sound(p);
		accepted += p != NULL;
		mon_profile_free(p);
	}
	CHECK(accepted > 0 && accepted < 8 * sizeof(*f));
	free(f);
}

/* ---- hostile -------------------------------------------------------------------------------------------------------- */

/* Number i of the sections of a type. */
static struct monfmt_section *section_of(struct live *f, uint32_t type, unsigned i)
{
	for (unsigned t = 0; t < 2; t++)
		for (unsigned k = 0; k < f->table[t].nsection; k++)
			if (f->table[t].section[k].type == type && i-- == 0)
				return &f->table[t].section[k];
	printf("no section of type %u\n", type);
	exit(1);
}

static void change_object(struct live *f, unsigned i, size_t offset, uint64_t value, size_t width)
{
	memcpy(f->object[i] + offset, &value, width); /* of a small value the low bytes, of an all-ones value all */
}

#define OBJECT(i, member, value)                                                                                       \
	change_object(f, i, offsetof(struct monfmt_object, member), value, sizeof(((struct monfmt_object *)0)->member))

static void cycle_self(struct live *f)
{
	f->table[0].next = AT(table[0]);
}
static void cycle_back(struct live *f)
{
	f->table[1].next = AT(table[0]);
}
static void table_far(struct live *f)
{
	f->header.table = UINT64_MAX - 7;
}
static void table_full(struct live *f)
{
	f->table[0].nsection = 13;
}
static void table_huge(struct live *f)
{
	f->table[0].nsection = f->table[0].room = UINT32_MAX;
}
static void wraps(struct live *f)
{
	section_of(f, MONFMT_COUNT, 0)->offset = UINT64_MAX - 8;
}
static void overlaps(struct live *f)
{
	for (unsigned i = 0; i < 3; i++) {
		section_of(f, MONFMT_COUNT, i)->offset = 0;
		section_of(f, MONFMT_COUNT, i)->size = sizeof(*f) / 16 * 8;
	}
}
static void odd_size(struct live *f)
{
	section_of(f, MONFMT_COUNT, 1)->size = 12;
}
static void short_process(struct live *f)
{
	section_of(f, MONFMT_PROCESS, 0)->size = 16;
}
static void two_clocks(struct live *f)
{
	section_of(f, MONFMT_ARGUMENT, 0)->type = MONFMT_CLOCK;
}
static void object_far(struct live *f)
{
	section_of(f, MONFMT_OBJECT, 1)->of = 1u << 20;
}
static void object_twice(struct live *f)
{
	section_of(f, MONFMT_OBJECT, 1)->of = 0;
}
static void path_long(struct live *f)
{
	OBJECT(0, path_size, 17);
}
static void path_longest(struct live *f)
{
	OBJECT(1, path_size, UINT32_MAX);
}
static void id_long(struct live *f)
{
	OBJECT(0, build_id_size, 33);
}
static void text_back(struct live *f)
{
	OBJECT(0, low, 0x9000);
}
static void text_wraps(struct live *f)
{
	OBJECT(1, high, UINT64_MAX);
}
static void function_nowhere(struct live *f)
{
	f->function[0][0].object = 2;
}
static void page_twice(struct live *f)
{
	f->pages[0][1] = 3;
}
static void page_missing(struct live *f)
{
	f->pages[0][1] = 5;
}
static void page_beyond(struct live *f)
{
	section_of(f, MONFMT_PAGES, 1)->of = 9;
}
static void bin_beyond(struct live *f)
{
	f->pool[0][1][2] = 1;
}
static void pools_overlap(struct live *f)
{
	section_of(f, MONFMT_POOL, 1)->of = 2;
}
static void no_rate(struct live *f)
{
	f->clock.hz = 0;
}
static void high_rate(struct live *f)
{
	f->clock.hz = 10001;
}
static void bad_order(struct live *f)
{
	f->header.order = 0x02010403;
}
static void bad_word(struct live *f)
{
	f->header.word = 3;
}
static void bad_state(struct live *f)
{
	f->header.state = 3;
}
static void new_version(struct live *f)
{
	f->header.version = 2;
}
static void begun(struct live *f)
{
	f->header.order = 0;
}

static const struct hostile {
	void (*spoil)(struct live *);
	enum mon_errcode code;
	const char *says;
} hostile[] = {
	{ cycle_self, MON_E_FORMAT, "before it" },
	{ cycle_back, MON_E_FORMAT, "before it" },
	{ table_far, MON_E_TRUNCATED, "ends" },
	{ table_full, MON_E_FORMAT, "room for 12" },
	{ table_huge, MON_E_TRUNCATED, "4294967295" },
	{ wraps, MON_E_FORMAT, "outside" },
	{ overlaps, MON_E_FORMAT, "overlap" },
	{ odd_size, MON_E_FORMAT, "12 bytes" },
	{ short_process, MON_E_FORMAT, "process has 16" },
	{ two_clocks, MON_E_FORMAT, "" },
	{ object_far, MON_E_UNSUPPORTED, "1048576" },
	{ object_twice, MON_E_FORMAT, "twice" },
	{ path_long, MON_E_FORMAT, "path of 17" },
	{ path_longest, MON_E_FORMAT, "4294967295" },
	{ id_long, MON_E_FORMAT, "33" },
	{ text_back, MON_E_FORMAT, "backwards" },
	{ text_wraps, MON_E_FORMAT, "too large" },
	{ function_nowhere, MON_E_FORMAT, "object 2" },
	{ page_twice, MON_E_FORMAT, "two pages of text" },
	{ page_missing, MON_E_FORMAT, "page 5" },
	{ page_beyond, MON_E_FORMAT, "object 9" },
	{ bin_beyond, MON_E_FORMAT, "bin 98" },
	{ pools_overlap, MON_E_FORMAT, "page number 2" },
	{ no_rate, MON_E_FORMAT, "0 Hz" },
	{ high_rate, MON_E_FORMAT, "10001 Hz" },
	{ bad_order, MON_E_FORMAT, "order" },
	{ bad_word, MON_E_FORMAT, "3 bytes" },
	{ bad_state, MON_E_FORMAT, "state 3" },
	{ new_version, MON_E_UNSUPPORTED, "version 2" },
	{ begun, MON_E_TRUNCATED, "only begun" },
};

static void test_hostile(void)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct live *f = make_live();
		struct mon_error err = { 0 };
		struct mon_profile *p;

		hostile[i].spoil(f);
		p = decode(f, sizeof(*f), &err);
		if (!CHECK(!p) || !CHECK_EQ(err.code, hostile[i].code) || !CHECK_HAS(err.text, hostile[i].says))
			printf("\tcase %zu, \"%s\": %s\n", i, hostile[i].says, err.text);
		mon_profile_free(p);
		free(f);
	}
}

/* Finished files with something wrong and a checksum that is right. */
static const struct sealed {
	const char *text, *says;
} sealed[] = {
	{ "variant native-64-le\nclock 1\nobject 16 32\nbin 2 1\n", "bin 2" },
	{ "variant native-64-le\nclock 1\nsection 12 3 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0\nobject 16 32\n", "object 3" },
	{ "variant native-64-le\nclock 1\nsection 13 4294967295 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0\nobject 16 32\n",
	  "object 4294967295" },
	{ "variant native-64-le\nrate 10001\nclock 1\nobject 16 32\n", "10001" },
	{ "variant native-64-le\nclock 1\nobject 16 32\npoke 24 0\nseal\n", "0 bytes" },
	{ "variant native-64-le\nclock 1\nobject 16 32\npoke 32 0\nseal\n", "no table" },
};

static void test_sealed(void)
{
	for (size_t i = 0; i < sizeof(sealed) / sizeof(sealed[0]); i++) {
		struct bytes b = sample_bytes(sealed[i].text);
		struct mon_error err = { 0 };
		struct mon_profile *p = decode(b.data, b.size, &err);

		if (!CHECK(!p) || !CHECK_EQ(err.code, MON_E_FORMAT) || !CHECK_HAS(err.text, sealed[i].says))
			printf("\tcase %zu: %s\n", i, err.text);
		mon_profile_free(p);
		free(b.data);
	}
}

/* ---- what cannot be true but does no harm --------------------------------------------------------------------------- */

static void test_oddities(void)
{
	struct live *f = make_live();
	struct mon_profile *p;

	f->count[0][0] = f->count[1][0] = UINT64_MAX; /* a sum that stops */
	p = must_decode(f, sizeof(*f));
	CHECK_EQ(p->call[0].count, UINT64_MAX);
	CHECK(p->flags & MON_F_COUNT_LIMIT);
	mon_profile_free(p);
	free(f);

	f = make_live(); /* counts of functions that the file does not list, as when it could not grow */
	section_of(f, MONFMT_FUNCTION, 1)->type = MONFMT_FREE;
	p = must_decode(f, sizeof(*f));
	CHECK_EQ(p->calls, all_calls);
	CHECK(p->call[p->ncall - 1].module == MON_NO_MODULE && p->call[p->ncall - 1].count == 1003);
	mon_profile_free(p);
	f->process.flags = MONFMT_F_PRIVATE; /* and bins in a pool that it does not have */
	section_of(f, MONFMT_POOL, 1)->type = MONFMT_FREE;
	p = must_decode(f, sizeof(*f));
	CHECK_EQ(p->ticks, all_ticks - 2 - 5);
	CHECK_EQ(p->flags, MON_F_PRIVATE);
	mon_profile_free(p);
	free(f);

	f = make_live(); /* killed before there was anything but the process */
	f->table[0].nsection = 1;
	f->table[0].next = 0;
	p = must_decode(f, sizeof(*f));
	CHECK(p->nmodule == 0 && p->ticks == 0 && p->calls == 0 && p->process.pid == 77);
	mon_profile_free(p);
	free(f);
}

int main(void)
{
	test_values();
	test_facts();
	test_life();
	test_cut_live();
	test_finished();
	test_damage_finished();
	test_damage_live();
	test_hostile();
	test_sealed();
	test_oddities();
	return check_status();
}
