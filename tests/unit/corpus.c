/* SPDX-License-Identifier: BSD-2-Clause */
/* corpus.c -- real gmon.out files: totals and ticks of every function against an independent count from the bins.
 *
 * Reads ../shared/corpus/gmon beside the source tree when it is there: MANIFEST.tsv states what each file holds,
 * NNN/symbols.tsv the functions of the program that wrote it. */
#include "check.h"
#include "sample.h"

#include <ctype.h>

__extension__ typedef unsigned __int128 u128;

enum { MOST_SYMBOLS = 20000 };

/* One histogram of a GNU gmon.out, taken from its bytes here and not by the library. */
struct hist {
	uint64_t low, high, nbin, rate;
	const unsigned char *bins;
};

struct file {
	struct bytes bytes;
	unsigned width;
	struct hist hist;
	uint64_t ticks, calls, narc;
};

static uint64_t number(const unsigned char *p, unsigned width)
{
	uint64_t v = 0;

	while (width-- > 0)
		v = v << 8 | p[width];
	return v;
}

static bool load(const char *path, struct bytes *b)
{
	FILE *f = fopen(path, "rb");
	unsigned char part[4096];
	size_t n;

	if (!f)
		return false;
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		bytes_add(b, part, n);
	fclose(f);
	return true;
}

/* All files here are little-endian and have one histogram. */
static void take_apart(struct file *f)
{
	const unsigned char *p = f->bytes.data + 20, *end = f->bytes.data + f->bytes.size;
	unsigned w = f->width;

	while (p < end) {
		if (*p++ == 1) {
			f->narc++;
			f->calls += number(p + 2 * w, 4);
			p += 2 * w + 4;
			continue;
		}
		f->hist = (struct hist){ number(p, w), number(p + w, w), number(p + 2 * w, 4), number(p + 2 * w + 4, 4),
					 p + 2 * w + 24 };
		p += 2 * w + 24 + 2 * f->hist.nbin;
	}
	for (uint64_t i = 0; i < f->hist.nbin; i++)
		f->ticks += number(f->hist.bins + 2 * i, 2);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The distinct addresses of functions within the histogram's range. */
static size_t read_symbols(const char *path, const struct hist *h, uint64_t *addr)
{
	FILE *f = fopen(path, "r");
	char line[4096];
	size_t n = 0, distinct = 0;

	while (f && n < MOST_SYMBOLS && fgets(line, sizeof(line), f)) {
		char *type = NULL;
		uint64_t a = strtoull(line, &type, 0);

		if (*type == '\t' && strchr("TtWw", type[1]) && isalpha((unsigned char)type[1]) && a >= h->low &&
		    a < h->high)
			addr[n++] = a;
	}
	if (f)
		fclose(f);
	qsort(addr, n, sizeof(*addr), by_address);
	for (size_t i = 0; i < n; i++)
		if (distinct == 0 || addr[distinct - 1] != addr[i])
			addr[distinct++] = addr[i];
	return distinct;
}

/* A program of these functions, each reaching to the next. */
static struct mon_object *make_program(const struct hist *h, const uint64_t *addr, size_t n, unsigned width)
{
	struct bytes text = { 0 };
	char line[128];
	struct mon_object *obj;

	snprintf(line, sizeof(line), "class %u\nsection .text %#" PRIx64 "\ngap %" PRIu64 "\n", width * 8, h->low,
		 addr[0] - h->low);
	bytes_add(&text, line, strlen(line));
	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "func f%zu %" PRIu64 "\nnosize\n", i,
			 (i + 1 < n ? addr[i + 1] : h->high) - addr[i]);
		bytes_add(&text, line, strlen(line));
	}
	bytes_fill(&text, 0, 1);
	obj = sample_object((const char *)text.data);
	free(text.data);
	return obj;
}

/* The function of each byte: ticks of every function in units of 1 / (high - low). */
static void count(const struct hist *h, const uint64_t *addr, size_t n, u128 *sum, u128 *gap)
{
	uint64_t range = h->high - h->low;

	for (uint64_t i = 0; i < h->nbin; i++) {
		uint64_t ticks = number(h->bins + 2 * i, 2), at = i * range, end = at + range; /* in 1/nbin bytes */

		for (uint64_t byte = at / h->nbin; ticks > 0 && byte * h->nbin < end; byte++) {
			uint64_t from = byte * h->nbin, to = from + h->nbin;
			u128 part = (u128)ticks * ((to < end ? to : end) - (from > at ? from : at));
			size_t k = 0, below = n;

			while (k < below) { /* the first function above the byte */
				size_t middle = (k + below) / 2;

				if (addr[middle] <= h->low + byte)
					k = middle + 1;
				else
					below = middle;
			}
			*(k > 0 ? &sum[k - 1] : gap) += part;
		}
	}
}

static bool equal(struct mon_ticks t, u128 sum, uint64_t range)
{
	return (u128)t.whole * range * t.den + (u128)t.num * range == sum * t.den;
}

static void check_functions(const struct file *f, const struct mon_profile *p, const char *symbols)
{
	uint64_t *addr = calloc(MOST_SYMBOLS, sizeof(*addr)), range = f->hist.high - f->hist.low;
	u128 *sum = calloc(MOST_SYMBOLS, sizeof(*sum)), gap = 0;
	size_t n = addr && sum ? read_symbols(symbols, &f->hist, addr) : 0;
	struct mon_report *r = NULL;
	struct mon_object *obj = n > 0 ? make_program(&f->hist, addr, n, f->width) : NULL;
	struct mon_error err = { 0 };

	if (n > 0 && CHECK(mon_report_build(p, (const struct mon_object *const[]){ obj }, 1, NULL, &r, &err) == 0)) {
		count(&f->hist, addr, n, sum, &gap);
		for (size_t i = 0; i < r->nrow; i++) {
			const struct mon_symbol *s = r->row[i].sym;
			const uint64_t *at = s ? bsearch(&s->addr, addr, n, sizeof(*addr), by_address) : NULL;
			u128 *want = s ? &sum[at - addr] : &gap;

			CHECK(equal(r->row[i].ticks, *want, range));
			*want = 0;
		}
		for (size_t i = 0; i < n; i++)
			CHECK(sum[i] == 0);
		CHECK(gap == 0);
	}
	mon_report_free(r);
	mon_object_close(obj);
	free(addr);
	free(sum);
}

static void check_gnu(const char *dir, const char *id, const char *kind)
{
	char path[600];
	struct file f = { .width = strstr(kind, "/64") ? 8 : 4 };
	const char *bins = strstr(kind, "hist=1x"), *ticks = strstr(kind, "ticks="), *arcs = strstr(kind, "arcs=");
	struct mon_error err = { 0 };
	struct mon_profile *p = NULL;

	snprintf(path, sizeof(path), "%s/%s/gmon.out", dir, id);
	if (!CHECK(load(path, &f.bytes) && bins && ticks && arcs))
		return;
	take_apart(&f);
	CHECK_EQ(f.hist.nbin, strtoull(bins + 7, NULL, 10));
	CHECK_EQ(f.ticks, strtoull(ticks + 6, NULL, 10));
	CHECK_EQ(f.narc, strtoull(arcs + 5, NULL, 10));
	if (!CHECK(mon_profile_read(path, NULL, &p, &err) == 0)) {
		printf("\t%s: %s\n", path, err.text);
		return;
	}
	CHECK_EQ(p->ticks, f.ticks);
	CHECK_EQ(p->calls, f.calls);
	CHECK_EQ(p->hz, f.hist.rate);
	CHECK_EQ(p->nrange, 1);
	CHECK_EQ(p->range[0].low, f.hist.low);
	CHECK_EQ(p->range[0].high, f.hist.high);
	snprintf(path, sizeof(path), "%s/%s/symbols.tsv", dir, id);
	check_functions(&f, p, path);
	mon_profile_free(p);
	free(f.bytes.data);
}

/* Files of a kind that may not be known yet: refused in words, or right; never taken for something else. */
static void check_other(const char *dir, const char *id, const char *kind)
{
	char path[600];
	const char *ticks = strstr(kind, "ticks=");
	struct mon_error err = { 0 };
	struct mon_profile *p = NULL;

	snprintf(path, sizeof(path), "%s/%s/gmon.out", dir, id);
	if (mon_profile_read(path, NULL, &p, &err) == 0) {
		CHECK(ticks && p->ticks == strtoull(ticks + 6, NULL, 10));
	} else if (!CHECK(err.code == MON_E_UNKNOWN || err.code == MON_E_UNSUPPORTED)) {
		printf("\t%s: %s: %s\n", path, mon_error_name(err.code), err.text);
	}
	mon_profile_free(p);
}

int main(void)
{
	const char *src = getenv("SRC");
	char dir[512], path[600], line[1024], id[16], kind[256];
	FILE *f;

	snprintf(dir, sizeof(dir), "%s/../shared/corpus/gmon", src ? src : ".");
	snprintf(path, sizeof(path), "%s/MANIFEST.tsv", dir);
	f = fopen(path, "r");
	if (!f) {
		puts("no ../shared/corpus/gmon beside the source tree");
		return 77;
	}
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%15[0-9]\t%255[^\t]", id, kind) != 2)
			continue;
		if (!strncmp(kind, "gnu-v1", 6))
			check_gnu(dir, id, kind);
		else
			check_other(dir, id, kind);
	}
	fclose(f);
	return check_status();
}
