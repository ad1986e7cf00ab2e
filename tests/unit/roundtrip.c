/* SPDX-License-Identifier: BSD-2-Clause */
/* roundtrip.c -- what is written is read back the same, for every variant that can be written. */
#include "check.h"
#include "sample.h"

#include <sys/mman.h>

/* The bytes that the library writes. */
static struct bytes write_profile(const struct mon_profile *p, const struct mon_variant *v, uint64_t *saturated)
{
	struct mon_error err = { 0 };
	struct bytes b = { 0 };
	unsigned char part[4096];
	int fd = memfd_create("written", MFD_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		exit(1);
	if (!CHECK(mon_profile_write(p, v, fd, saturated, &err) == 0))
		printf("\t%s: %s\n", v->name, err.text);
	for (off_t at = 0; (n = pread(fd, part, sizeof(part), at)) > 0; at += n)
		bytes_add(&b, part, (size_t)n);
	close(fd);
	return b;
}

static struct mon_profile *decode(const struct bytes *b, const struct mon_variant *v)
{
	struct mon_read_opts opts = { .variant = v };
	struct mon_error err = { 0 };
	struct mon_profile *p = NULL;

	if (!CHECK(mon_profile_decode(b->data, b->size, &opts, &p, &err) == 0)) {
		printf("\t%s: %s\n", v->name, err.text);
		exit(1);
	}
	return p;
}

static void check_same(const struct mon_profile *a, const struct mon_profile *b)
{
	CHECK(a->variant == b->variant);
	CHECK_EQ(a->hz, b->hz);
	CHECK_EQ(a->ticks, b->ticks);
	CHECK_EQ(a->calls, b->calls);
	CHECK_EQ(a->nrange, b->nrange);
	for (size_t r = 0; r < a->nrange && r < b->nrange; r++) {
		const struct mon_range *x = &a->range[r], *y = &b->range[r];
		uint64_t differ = 0;

		CHECK(x->low == y->low && x->high == y->high && x->nbin == y->nbin);
		CHECK(x->width_num == y->width_num && x->width_den == y->width_den);
		for (uint64_t i = 0; i < x->nbin; i++)
			differ += mon_bins_get(x->bins, i) != mon_bins_get(y->bins, i);
		CHECK_EQ(differ, 0);
	}
	CHECK_EQ(a->ncall, b->ncall);
	for (size_t i = 0; i < a->ncall && i < b->ncall; i++)
		CHECK(a->call[i].pc == b->call[i].pc && a->call[i].count == b->call[i].count);
	CHECK_EQ(a->narc, b->narc);
	for (size_t i = 0; i < a->narc && i < b->narc; i++)
		CHECK(!memcmp(&a->arc[i], &b->arc[i], sizeof(a->arc[i])));
}

static uint64_t seed = 7;

static unsigned rnd(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((seed >> 33) % n);
}

/* A random flat profile; used: as many cells as are reserved, in ascending order, as the library writes them. */
static struct bytes random_flat(const char *variant, bool used)
{
	struct bytes text = { 0 }, out;
	char line[96];
	unsigned range = 64 + rnd(3000), nbin = 1 + rnd(range), ncell = rnd(40), pc = 0x1000;

	snprintf(line, sizeof(line), "variant %s\nhist 0x1000 %u %u\n", variant, 0x1000 + range, nbin);
	bytes_add(&text, line, strlen(line));
	for (unsigned i = 0; i < ncell && (pc += 1 + rnd(80)) < 0x1000 + range; i++) {
		snprintf(line, sizeof(line), "cell %u %u\n", pc, 1 + rnd(0x7fffffff));
		bytes_add(&text, line, strlen(line));
	}
	for (unsigned i = 0; i < 20; i++) {
		snprintf(line, sizeof(line), "bin %u %u\n", rnd(nbin), rnd(65536));
		bytes_add(&text, line, strlen(line));
	}
	if (!used)
		bytes_add(&text, "hole 2\ncells 55\n", 16);
	bytes_fill(&text, 0, 1);
	out = sample_bytes((const char *)text.data);
	free(text.data);
	return out;
}

static void test_flat(const struct mon_variant *v)
{
	for (unsigned i = 0; i < 60; i++) {
		bool used = i % 2;
		struct bytes file = random_flat(v->name, used), written, again;
		struct mon_profile *p = decode(&file, v), *back;
		uint64_t saturated = 99;

		written = write_profile(p, v, &saturated);
		CHECK_EQ(saturated, 0);
		back = decode(&written, v);
		check_same(p, back);
		if (used) /* nothing is left to the writer's choice */
			CHECK(written.size == file.size && !memcmp(written.data, file.data, file.size));
		again = write_profile(back, v, NULL);
		CHECK(again.size == written.size && !memcmp(again.data, written.data, written.size));
		mon_profile_free(p);
		mon_profile_free(back);
		free(file.data);
		free(written.data);
		free(again.data);
	}
}

/* Sums that the file's numbers cannot hold are written as the largest and counted. */
static void test_saturated(const struct mon_variant *v)
{
	char text[256];
	struct mon_profile *a, *b;
	struct mon_error err = { 0 };
	struct bytes written;
	uint64_t saturated = 0;
	uint64_t most = v->word == 8 ? 0xfffffffffffffff0 : 0xfffffff0;

	snprintf(text, sizeof(text), "variant %s\nhist 0x1000 0x1040 8\nbins 1 40000 0 65535\ncell 0x1010 %#llx\n",
		 v->name, (unsigned long long)most);
	a = sample_profile(text, v->name);
	b = sample_profile(text, v->name);
	CHECK(mon_profile_merge(a, b, &err) == 0);
	written = write_profile(a, v, &saturated);
	/* two bins; the count too, unless its sum in memory already stopped at what the file can hold */
	CHECK_EQ(saturated, v->word == 8 ? 2 : 3);
	mon_profile_free(b);
	b = decode(&written, v);
	CHECK_EQ(mon_bins_get(b->range[0].bins, 0), 2);
	CHECK_EQ(mon_bins_get(b->range[0].bins, 1), 65535);
	CHECK_EQ(mon_bins_get(b->range[0].bins, 3), 65535);
	CHECK_EQ(b->ncall, 1);
	CHECK_EQ(b->call[0].count, v->word == 8 ? UINT64_MAX : UINT32_MAX);
	mon_profile_free(a);
	mon_profile_free(b);
	free(written.data);
}

/* A disk that is full, a descriptor that is none: an error that names the system's reason. */
static void test_write_errors(void)
{
	struct mon_profile *p = sample_profile("variant a64-le\nhist 0x1000 0x1040 8\nbins 1\n", "a64-le");
	struct mon_error err = { 0 };
	FILE *full = fopen("/dev/full", "w");

	if (full) {
		CHECK(mon_profile_write(p, p->variant, fileno(full), NULL, &err) == -1);
		CHECK_EQ(err.code, MON_E_IO);
		CHECK(err.sys != 0);
		fclose(full);
	}
	memset(&err, 0, sizeof(err));
	CHECK(mon_profile_write(p, p->variant, -1, NULL, &err) == -1);
	CHECK_EQ(err.code, MON_E_IO);
	for (const struct mon_variant *v = mon_variant_next(NULL); v; v = mon_variant_next(v)) {
		memset(&err, 0, sizeof(err));
		if (v->caps & MON_CAN_WRITE)
			continue;
		CHECK(mon_profile_write(p, v, -1, NULL, &err) == -1);
		CHECK_EQ(err.code, MON_E_UNSUPPORTED);
	}
	mon_profile_free(p);
}

/* What does not fit into the layout must be refused, not bent: a 64-bit address into 32 bits. */
static void test_narrow(void)
{
	struct mon_profile *p = sample_profile("variant a64-le\nhist 0x100001000 0x100001040 8\nbins 1\n", "a64-le");
	struct mon_error err = { 0 };
	int fd = memfd_create("written", MFD_CLOEXEC);

	CHECK(mon_profile_write(p, mon_variant_find("a32-le"), fd, NULL, &err) == -1);
	CHECK(err.code == MON_E_UNSUPPORTED || err.code == MON_E_MISMATCH);
	close(fd);
	mon_profile_free(p);
}

int main(void)
{
	unsigned n = 0;

	for (const struct mon_variant *v = mon_variant_next(NULL); v; v = mon_variant_next(v)) {
		if (!(v->caps & MON_CAN_WRITE) || v->word == 0) /* not native: see native.c */
			continue;
		n++;
		test_flat(v);
		test_saturated(v);
	}
	CHECK(n >= 6); /* all classic ones */
	test_write_errors();
	test_narrow();
	return check_status();
}
