/* SPDX-License-Identifier: BSD-2-Clause */
/* native.c -- reading native profiles: what stands in them, what became of their process, what is odd but harmless. */
#include "live.h"

#include <sys/utsname.h>
#include <unistd.h>

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
	test_finished();
	test_oddities();
	return check_status();
}
