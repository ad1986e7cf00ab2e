/* SPDX-License-Identifier: BSD-2-Clause */
/* live.h -- native profiles for the unit tests: a live file laid out by hand, and a finished one from text. */
#ifndef LIVE_H
#define LIVE_H

#include "check.h"
#include "monfmt.h"
#include "sample.h"

#include <stddef.h>

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

static inline void list(struct live *f, unsigned table, uint32_t type, uint32_t of, size_t offset, size_t size)
{
	struct table *t = &f->table[table];

	t->section[t->nsection++] = (struct monfmt_section){ type, of, offset, size };
}

static inline void put_object(struct live *f, unsigned i, uint64_t low, const char *path)
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

static inline void list_all(struct live *f)
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
static inline struct live *make_live(void)
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

static inline struct mon_profile *decode(const void *bytes, size_t size, struct mon_error *err)
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

static inline struct mon_profile *must_decode(const void *bytes, size_t size)
{
	struct mon_error err = { 0 };
	struct mon_profile *p = decode(bytes, size, &err);

	if (!p) {
		printf("a good profile is refused: %s: %s\n", mon_error_name(err.code), err.text);
		exit(1);
	}
	return p;
}

/* Number i of the sections of a type. */
static inline struct monfmt_section *section_of(struct live *f, uint32_t type, unsigned i)
{
	for (unsigned t = 0; t < 2; t++)
		for (unsigned k = 0; k < f->table[t].nsection; k++)
			if (f->table[t].section[k].type == type && i-- == 0)
				return &f->table[t].section[k];
	printf("no section of type %u\n", type);
	exit(1);
}

/* What monread.h promises of any profile. */
static inline void check_sound(const struct mon_profile *p)
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

/* ---- a finished file ------------------------------------------------------------------------------------------------- */

static const char finished[] = "variant native-64-%s\nprocess 5 4 1000 2000 0 1\nargument prog\nhost h\n"
			       "clock 1 1 40 1 2 3 4\nobject 0x1000 0x1105\npath /bin/prog\nbuild-id 1 2 3\n"
			       "bins 0 7 0 0 500000\nbin 32 1\ncell 0x1010 5\ncell 0x1050 0x123456789abcdef\n"
			       "object 0x0 0x20 9 8 7\npath /lib/x\nbin 3 2\ncell 0 1\nthread 5 3 1 2\nname main\n";

static inline struct bytes make(const char *text, const char *order)
{
	char with_order[2048];

	snprintf(with_order, sizeof(with_order), text, order);
	return sample_bytes(with_order);
}

#endif
