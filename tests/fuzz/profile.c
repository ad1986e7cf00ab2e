/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.c -- fuzz target: any bytes as a profile, guessed and as every variant; what is accepted is written, read and merged. */
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

static void check_sound(const struct mon_profile *p, const struct mon_profile *again)
{
	must(p->ticks == again->ticks && p->calls == again->calls);
	must(p->nrange == again->nrange && p->ncall == again->ncall && p->narc == again->narc);
	must(p->nmodule == again->nmodule && p->nthread == again->nthread && p->threads == again->threads);
	for (size_t i = 0; i < p->nrange; i++) {
		const struct mon_range *r = &p->range[i];

		must(r->low < r->high && (p->nmodule == 0 || r->module < p->nmodule));
		must(i == 0 || r[-1].module < r->module || (r[-1].module == r->module && r[-1].high <= r->low));
	}
	for (size_t i = 1; i < p->ncall; i++)
		must(p->call[i - 1].module < p->call[i].module ||
		     (p->call[i - 1].module == p->call[i].module && p->call[i - 1].pc < p->call[i].pc));
}

static void write_and_read(const struct mon_profile *p)
{
	struct mon_error err = { 0 };
	struct mon_read_opts opts = { .variant = p->variant };
	struct mon_profile *back = NULL;
	uint64_t saturated = 0;
	char path[64];
	int fd = memfd_create("written", MFD_CLOEXEC);

	if (fd < 0)
		return;
	if (mon_profile_write(p, p->variant, fd, &saturated, &err) == 0 && saturated == 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		must(mon_profile_read(path, &opts, &back, &err) == 0);
		check_sound(p, back);
	}
	mon_profile_free(back);
	close(fd);
}

static void try_variant(const uint8_t *data, size_t size, const struct mon_variant *v)
{
	struct mon_read_opts opts = { .variant = v };
	struct mon_error err = { 0 };
	struct mon_profile *p = NULL, *twin = NULL;

	if (mon_profile_decode(data, size, &opts, &p, &err)) {
		must(!p && err.code != MON_OK && err.text[0] && !strchr(err.text, '\n'));
		return;
	}
	must(mon_profile_decode(data, size, &opts, &twin, &err) == 0);
	check_sound(p, twin);
	must(mon_profile_merge(p, twin, &err) == 0);
	if (twin->variant->caps & MON_CAN_WRITE)
		write_and_read(twin);
	mon_profile_free(p);
	mon_profile_free(twin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_variant(data, size, NULL);
	for (const struct mon_variant *v = mon_variant_next(NULL); v; v = mon_variant_next(v))
		try_variant(data, size, v);
	return 0;
}
