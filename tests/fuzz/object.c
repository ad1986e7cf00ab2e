/* SPDX-License-Identifier: BSD-2-Clause */
/* object.c -- fuzz target: any bytes as a program; what is accepted gets a profile charged to it, to the last tick. */
#include "fuzz.h"

#include "monread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void check_symbols(const struct mon_object *obj)
{
	size_t n;
	const struct mon_symbol *s = mon_object_symbols(obj, &n);

	must(n > 0);
	for (size_t i = 0; i < n; i++) {
		must(s[i].addr < s[i].end && (i == 0 || s[i - 1].addr <= s[i].addr));
		must(mon_symbol_name(obj, &s[i]) != NULL);
		(void)mon_symbol_file(obj, &s[i]);
	}
	must(!mon_object_find(obj, 0) || s[0].addr == 0);
}

/* A classic profile over the start of the text: 32 bins of one tick, two cells. */
static struct mon_profile *make_profile(uint64_t low)
{
	unsigned char bytes[24 + 32 + 64] = { 0 };
	uint64_t word[7] = { low, low + 200, 2, low + 5, 3, low + 100, 1 };
	struct mon_read_opts opts = { .variant = mon_variant_find("a64-le") };
	struct mon_error err = { 0 };
	struct mon_profile *p = NULL;

	for (size_t i = 0; i < 56; i++)
		bytes[i] = (unsigned char)(word[i / 8] >> (8 * (i % 8)));
	for (size_t i = 56; i < sizeof(bytes); i += 2)
		bytes[i] = 1;
	return mon_profile_decode(bytes, sizeof(bytes), &opts, &p, &err) ? NULL : p;
}

static void check_report(const struct mon_object *obj)
{
	struct mon_error err = { 0 };
	struct mon_report *r = NULL;
	struct mon_profile *p;
	uint64_t low, high, calls = 0;
	double ticks = 0;

	mon_object_text(obj, &low, &high);
	p = low > 0 && low < UINT64_MAX - 200 ? make_profile(low) : NULL;
	if (!p)
		return;
	(void)mon_profile_match(p, 0, obj, NULL, 0);
	must(mon_report_build(p, &obj, 1, NULL, &r, &err) == 0);
	for (size_t i = 0; i < r->nrow; i++) {
		ticks += mon_ticks_value(r->row[i].ticks);
		calls += r->row[i].calls;
	}
	must(ticks > 31.999999 && ticks < 32.000001 && calls == p->calls);
	mon_report_free(r);
	mon_profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mon_error err = { 0 };
	struct mon_object *obj = NULL;
	char path[64];
	int fd = memfd_create("program", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (mon_object_open(path, &obj, &err) == 0) {
		check_symbols(obj);
		check_report(obj);
	} else {
		must(!obj && err.code != MON_OK && err.text[0]);
	}
	mon_object_close(obj);
	close(fd);
	return 0;
}
