/* SPDX-License-Identifier: BSD-2-Clause */
/* profil.c -- profil(2) and sprofil(): a histogram of the program counter in the caller's buffer.
 *
 * The arithmetic is the classical one: bin = (pc - offset) / 2 * scale / 65536, so 0x10000 is one bin for every two bytes
 * of text and 2 puts (nearly) everything into the first; scale 0 and 1 switch profiling off (profil(2) of V7 and 4.3BSD).
 */
#include "bin.h"

#include <errno.h>
#include <sys/profil.h>
#include <sys/time.h>

#define SCALE_ONE 0x10000
#define SCALE_ALL 2 /* in sprofil's last region, with offset 0: counts what lies in no other */

static struct mon_hists *regions;

int mon_profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale);
int mon_sprofil(struct prof *prof, int n, struct timeval *tick, unsigned flags);

static struct mon_hist region(const struct prof *p, unsigned wide)
{
	size_t nbin = p->pr_size / wide;
	return (struct mon_hist){ .low = p->pr_off,
				  .high = UINTPTR_MAX,
				  .unit = wide,
				  .num = p->pr_scale,
				  .den = SCALE_ONE,
				  .bin = p->pr_base,
				  .nbin = p->pr_scale < SCALE_ALL ? 0 : nbin,
				  .wide = wide };
}

/* Replace all regions by n new ones; 0 ends profiling. */
static int install(const struct prof *prof, size_t n, unsigned wide)
{
	struct mon_hists *fresh = NULL, *old = regions;
	if (n) {
		size_t size = sizeof *fresh + n * sizeof fresh->hist[0];
		fresh = mon_map(size);
		if (!fresh)
			return ENOMEM;
		*fresh = (struct mon_hists){ .size = size, .n = n };
		for (size_t i = 0; i < n; i++)
			fresh->hist[i] = region(&prof[i], wide);
		const struct prof *last = &prof[n - 1];
		if (last->pr_off == 0 && last->pr_scale == SCALE_ALL && fresh->hist[n - 1].nbin) {
			fresh->spill = &fresh->hist[n - 1];
			fresh->n = n - 1;
		}
	}
	regions = fresh;
	mon_tick_publish(MON_USER_PROFIL, fresh);
	if (old)
		mon_unmap(old, old->size);
	return 0;
}

static int install_locked(const struct prof *prof, size_t n, unsigned wide)
{
	struct mon_guard g;
	mon_enter(&g);
	int error = install(prof, n, wide);
	mon_leave(&g);
	if (error)
		errno = error;
	return error ? -1 : 0;
}

int mon_profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale)
{
	struct prof p = { .pr_base = buffer, .pr_size = size, .pr_off = offset, .pr_scale = scale };
	return install_locked(&p, buffer && scale >= SCALE_ALL && size >= sizeof *buffer, sizeof *buffer);
}

int mon_sprofil(struct prof *prof, int n, struct timeval *tick, unsigned flags)
{
	if (tick)
		*tick = (struct timeval){ 0, 1000000 / MON_CLASSIC_HZ };
	if (n < 0) {
		errno = EINVAL;
		return -1;
	}
	return install_locked(prof, (size_t)n, flags & PROF_UINT ? sizeof(unsigned) : sizeof(unsigned short));
}

MON_API int profil(unsigned short *, size_t, size_t, unsigned) __attribute__((weak, alias("mon_profil")));
MON_API int __profil(unsigned short *, size_t, size_t, unsigned) __attribute__((alias("mon_profil")));
MON_API int sprofil(struct prof *, int, struct timeval *, unsigned) __attribute__((weak, alias("mon_sprofil")));
MON_API int __sprofil(struct prof *, int, struct timeval *, unsigned) __attribute__((alias("mon_sprofil")));
