/* SPDX-License-Identifier: BSD-2-Clause */
/* monitor.c -- monitor(), monstartup(), moncontrol(): one profile, its buffers, and the classic file made of them. */
#include "mon_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The cells of one monitor() call, in the buffer given to it. */
struct block {
	struct cnt *cell;
	size_t ncell;
};

enum kind { IDLE, NATIVE, OWN_BUFFER, BY_HAND };

static struct {
	enum kind kind; /* the first thing to become IDLE and the last to cease to be it */
	bool paused;
	struct mon_array block; /* struct block */
	size_t nblock, ncell;
	uintptr_t low, high; /* hull of all ranges: functions outside it are not listed */
	uintptr_t bias;	     /* of the last range */
	struct mon_hists *hists;
	void *own; /* a buffer of ours, in an automatic profile */
	size_t own_size;
} profile;

static void set_kind(enum kind kind)
{
	__atomic_store_n(&profile.kind, kind, __ATOMIC_SEQ_CST);
}

static void drop(void)
{
	if (profile.kind == NATIVE)
		mon_native_end(false);
	struct mon_hists *hists = profile.hists;
	void *own = profile.own;
	size_t own_size = profile.own_size;

	set_kind(IDLE);
	mon_armed = 0;
	mon_ctl.alive = 0;
	mon_count_run(false);
	mon_tick_publish(MON_USER_MONITOR, NULL);
	mon_array_free(&profile.block);
	mon_clear(&profile, sizeof profile);
	if (hists)
		mon_unmap(hists, hists->size);
	mon_unmap(own, own_size);
}

/* Callers that declare nothing pass int, which leaves the upper half of the register to chance. */
static size_t count_argument(size_t n)
{
	return n >> 40 ? (uint32_t)n : n;
}

/* Is there room for the header, nfunc cells and at least one bin in nword WORDs?  Sets the number of bins. */
static bool lay_out(size_t range, size_t nword, size_t nfunc, size_t *nbin)
{
	size_t used = sizeof(struct hdr) + nfunc * sizeof(struct cnt), bytes = nword * sizeof(WORD);
	if (bytes < used + sizeof(WORD))
		return false;
	*nbin = (bytes - used) / sizeof(WORD);
	if (*nbin > range / 2 + range % 2) /* finer than one WORD per two bytes means nothing */
		*nbin = range / 2 + range % 2;
	return true;
}

static struct mon_hists *new_hists(uintptr_t low, uintptr_t high, WORD *bin, size_t nbin)
{
	struct mon_hists *hists = mon_map(sizeof *hists + sizeof hists->hist[0]);
	if (!hists)
		return NULL;
	*hists = (struct mon_hists){ .size = sizeof *hists + sizeof hists->hist[0], .n = 1 };
	hists->hist[0] = (struct mon_hist){ low, high, 1, nbin, high - low, bin, nbin, sizeof *bin };
	return hists;
}

/* Begin, or add to, the profile: cells and a new histogram of [low, high) in buffer. */
static bool add_block(uintptr_t low, uintptr_t high, uintptr_t bias, WORD *buffer, size_t nbin, size_t nfunc)
{
	struct hdr *hdr = (struct hdr *)buffer;
	struct cnt *cell = (struct cnt *)(hdr + 1);
	WORD *bin = (WORD *)(cell + nfunc);
	struct mon_hists *hists = new_hists(low, high, bin, nbin), *old = profile.hists;

	if (!hists || !mon_array_grow(&profile.block, (profile.nblock + 1) * sizeof(struct block))) {
		mon_unmap(hists, hists ? hists->size : 0);
		return false;
	}
	*hdr = (struct hdr){ (char *)(low - bias), (char *)(high - bias), nfunc };
	mon_clear(cell, nfunc * sizeof *cell + nbin * sizeof *bin);
	((struct block *)profile.block.data)[profile.nblock] = (struct block){ cell, nfunc };
	profile.low = profile.nblock == 0 || low < profile.low ? low : profile.low;
	profile.high = high > profile.high ? high : profile.high;
	profile.bias = bias;
	profile.ncell += nfunc;
	profile.nblock++;
	__atomic_store_n(&profile.hists, hists, __ATOMIC_SEQ_CST);
	mon_tick_publish(MON_USER_MONITOR, profile.paused ? NULL : hists);
	if (old)
		mon_unmap(old, old->size);
	return true;
}

static void begin(uintptr_t low, uintptr_t high, uintptr_t bias, WORD *buffer, size_t nword, size_t nfunc)
{
	size_t nbin;
	if (low < mon_text_main.low)
		low = mon_text_main.low;
	if (!buffer || low >= high || !lay_out(high - low, nword, nfunc, &nbin))
		return;
	bool first = profile.kind == IDLE;
	if (first && !mon_name_settle())
		return;
	if (!mon_count_open() || !add_block(low, high, bias, buffer, nbin, nfunc)) {
		mon_say(mon_progname(), "out of memory", "the profile is lost");
		return;
	}
	if (!first)
		return;
	mon_count_rebase();
	mon_ctl.alive = 1;
	mon_armed = 1;
	set_kind(BY_HAND);
	mon_count_run(true);
}

/* A profile in memory of our own. */
static void begin_own(uintptr_t low, uintptr_t high, uintptr_t bias)
{
	if (low < mon_text_main.low)
		low = mon_text_main.low;
	if (low >= high || !mon_name_settle())
		return;
	size_t nbin = (high - low + MON_BARSIZE - 1) / MON_BARSIZE;
	size_t size = sizeof(struct hdr) + MON_NFUNC * sizeof(struct cnt) + nbin * sizeof(WORD);
	high = low + nbin * MON_BARSIZE; /* whole bins, so that none straddles two aligned functions */
	WORD *own = mon_map(size);
	if (!own) {
		mon_say(mon_progname(), "out of memory", "the profile is lost");
		return;
	}
	begin(low, high, bias, own, size / sizeof(WORD), MON_NFUNC);
	if (profile.kind == IDLE) {
		mon_unmap(own, size);
		return;
	}
	profile.own = own;
	profile.own_size = size;
	set_kind(OWN_BUFFER);
}

static void set_paused(bool paused)
{
	if (profile.kind == IDLE)
		return;
	profile.paused = paused;
	mon_count_run(!paused);
	if (profile.kind == NATIVE)
		mon_clock_run(!paused);
	else
		mon_tick_publish(MON_USER_MONITOR, paused ? NULL : profile.hists);
}

void mon_profile_auto(void)
{
	const char *format = getenv("MONFORMAT");
	mon_armed = 0; /* once; a start that succeeds sets it again */
	if (profile.kind != IDLE || mon_secure())
		return;
	if (format && strcmp(format, "classic") == 0)
		begin_own(mon_text_main.low, mon_text_main.high, mon_text_main.bias);
	else if (mon_native_begin()) {
		set_kind(NATIVE);
		mon_control_signal();
		set_paused(mon_control_starts_off());
	}
}

/* ---- the end ---- */

/* Put the counts into the cells of all blocks, then into more; the number of cells that were used. */
static size_t fill_cells(struct cnt *more, size_t nmore)
{
	size_t used = 0, block = 0, at = 0;
	const struct block *list = profile.block.data;
	struct monfmt_function f;
	uint64_t id = 0, count;
	while (mon_count_next(&id, &f, &count)) {
		uintptr_t pc = mon_text_main.low + f.offset;
		if (f.object != 0 || pc < profile.low || pc >= profile.high)
			continue;
		while (block < profile.nblock && at == list[block].ncell) {
			block++;
			at = 0;
		}
		struct cnt c = { (char *)(pc - profile.bias), (long)count };
		if (block < profile.nblock)
			list[block].cell[at++] = c;
		else if (at < nmore)
			more[at++] = c;
		used++;
	}
	return used;
}

/* header, cells of all blocks, more cells, the last histogram */
static void write_parts(const struct hdr *hdr, const struct cnt *more, size_t nmore)
{
	const struct mon_hist *h = &profile.hists->hist[0];
	const struct block *list = profile.block.data;
	size_t npart = 0, size = (profile.nblock + 3) * sizeof(struct mon_part);
	struct mon_part *part = mon_map(size);
	if (!part) {
		mon_say(mon_progname(), "out of memory", "the profile is lost");
		return;
	}
	part[npart++] = (struct mon_part){ hdr, sizeof *hdr };
	for (size_t i = 0; i < profile.nblock; i++)
		part[npart++] = (struct mon_part){ list[i].cell, list[i].ncell * sizeof(struct cnt) };
	part[npart++] = (struct mon_part){ more, nmore * sizeof *more };
	part[npart++] = (struct mon_part){ h->bin, h->nbin * sizeof(WORD) };
	mon_classic_write(part, npart);
	mon_unmap(part, size);
}

static void finish(void)
{
	mon_count_run(false);
	mon_tick_publish(MON_USER_MONITOR, NULL);
	const struct mon_hist *h = &profile.hists->hist[0];
	size_t used = fill_cells(NULL, 0), nmore = 0;
	if (used > profile.ncell)
		nmore = (used - profile.ncell + MON_NFUNC - 1) / MON_NFUNC * MON_NFUNC;
	struct cnt *more = nmore ? mon_map(nmore * sizeof *more) : NULL;
	struct hdr hdr = { (char *)(h->low - profile.bias), (char *)(h->high - profile.bias), profile.ncell + nmore };
	if (!nmore || more) {
		fill_cells(more, nmore);
		write_parts(&hdr, more, nmore);
	} else {
		mon_say(mon_progname(), "out of memory", "the profile is lost");
	}
	mon_unmap(more, nmore * sizeof *more);
	drop();
}

void mon_profile_end(void)
{
	if (profile.kind == IDLE || !mon_ctl.alive)
		return;
	if (profile.kind != NATIVE) {
		finish();
		return;
	}
	mon_native_end(true);
	set_kind(IDLE);
	drop();
}

void mon_profile_forked(void)
{
	if (profile.kind == NATIVE) {
		if (!mon_native_forked(profile.paused))
			set_kind(IDLE);
	} else if (profile.kind != IDLE) {
		const struct mon_hist *h = &profile.hists->hist[0];
		mon_clear(h->bin, h->nbin * sizeof(WORD));
		mon_ctl.alive = 1;
		mon_count_run(!profile.paused);
	}
}

/* ---- the interface; the public names are weak, because a program may have a function of that name itself ---- */

void mon_monitor(int (*lowpc)(), int (*highpc)(), WORD *buffer, size_t bufsize, size_t nfunc);
void mon_monstartup(char *lowpc, char *highpc);
void mon_moncontrol(int mode);

/* Of the object that holds low; asks the loader, so not under our lock. */
static uintptr_t bias_of(uintptr_t low)
{
	struct mon_text text;
	mon_text_init();
	if (low < mon_text_main.high)
		return mon_text_main.bias;
	return mon_text_find(low, &text) ? text.bias : 0;
}

void mon_monitor(int (*lowpc)(), int (*highpc)(), WORD *buffer, size_t bufsize, size_t nfunc)
{
	struct mon_guard g;
	uintptr_t bias = lowpc ? bias_of((uintptr_t)lowpc) : 0;
	mon_enter(&g);
	if (!lowpc) {
		mon_profile_end();
	} else if (!mon_secure()) {
		if (profile.kind != BY_HAND)
			drop();
		begin((uintptr_t)lowpc, (uintptr_t)highpc, bias, buffer, count_argument(bufsize),
		      count_argument(nfunc));
	}
	mon_leave(&g);
}

void mon_monstartup(char *lowpc, char *highpc)
{
	struct mon_guard g;
	uintptr_t bias = bias_of((uintptr_t)lowpc);
	mon_enter(&g);
	if (!mon_secure()) {
		drop();
		begin_own((uintptr_t)lowpc, (uintptr_t)highpc, bias);
	}
	mon_leave(&g);
}

void mon_moncontrol(int mode)
{
	struct mon_guard g;
	mon_enter(&g);
	set_paused(mode == 0);
	mon_leave(&g);
}

void mon_toggle(void)
{
	struct mon_guard g;
	mon_enter(&g);
	set_paused(!profile.paused);
	mon_leave(&g);
}

MON_API int mon_snapshot(const char *path)
{
	struct mon_guard g;
	int error = ENOENT;
	mon_enter(&g);
	if (profile.kind == NATIVE && mon_ctl.alive)
		error = mon_native_snapshot(path);
	mon_leave(&g);
	if (error)
		errno = error;
	return error ? -1 : 0;
}

MON_API void monitor(int (*)(), int (*)(), WORD *, size_t, size_t) __attribute__((weak, alias("mon_monitor")));
MON_API void monstartup(char *, char *) __attribute__((weak, alias("mon_monstartup")));
MON_API void moncontrol(int) __attribute__((weak, alias("mon_moncontrol")));
MON_API void __moncontrol(int) __attribute__((alias("mon_moncontrol")));
