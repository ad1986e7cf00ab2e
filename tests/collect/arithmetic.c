/* SPDX-License-Identifier: BSD-2-Clause */
/* arithmetic.c -- from pc to bin, against the classical formula in wide integers; and counters that saturate. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bin.h"

__extension__ typedef unsigned __int128 u128;

static unsigned long tried, wrong;

static void complain(const char *what, uint64_t pc, uint64_t offset, uint64_t scale, uint64_t got, uint64_t due)
{
	if (wrong++ < 10)
		printf("%s: pc %#" PRIx64 " offset %#" PRIx64 " scale %#" PRIx64 ": %" PRIu64 ", not %" PRIu64 "\n",
		       what, pc, offset, scale, got, due);
}

/* profil(): (pc - offset) / 2 * scale / 65536, none below offset or beyond the last. */
static void profil_bin(uint64_t pc, uint64_t offset, uint64_t scale, uint64_t nbin)
{
	const struct mon_hist h = { offset, UINTPTR_MAX, 2, scale, 65536, NULL, nbin, 2 };
	u128 due = (u128)((pc - offset) / 2) * scale / 65536;
	size_t got = 0;
	int is_due = pc >= offset && due < nbin, is = mon_bin_find(&h, pc, &got);
	tried++;
	if (is != is_due || (is && got != due))
		complain("profil", pc, offset, scale, is ? got : UINT64_MAX, is_due ? (uint64_t)due : UINT64_MAX);
}

/* monitor(): (pc - low) * n / (high - low), rounded down. */
static void monitor_bin(uint64_t pc, uint64_t low, uint64_t high, uint64_t nbin)
{
	const struct mon_hist h = { low, high, 1, nbin, high - low, NULL, nbin, 2 };
	u128 due = (u128)(pc - low) * nbin / (high - low);
	size_t got = 0;
	int is_due = pc >= low && pc < high, is = mon_bin_find(&h, pc, &got);
	tried++;
	if (is != is_due || (is && got != due))
		complain("monitor", pc, low, nbin, is ? got : UINT64_MAX, is_due ? (uint64_t)due : UINT64_MAX);
}

static uint64_t noise(void)
{
	static uint64_t x = 88172645463325252U;
	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static void many(void)
{
	static const uint64_t offsets[] = { 0, 1, 0x1000, 0x400000, 0x555555554000, 0x7fffffffe000, (uint64_t)1 << 47 };
	static const uint64_t scales[] = { 2,	   3,	   255,	   0x2000,  0x4000,    0x7fff,
					   0x8000, 0xfffe, 0xffff, 0x10000, 0xffffffff };
	static const uint64_t sizes[] = { 1, 2, 3, 1000, 65536, (uint64_t)1 << 40, SIZE_MAX / 2 };
	for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
		for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
			for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
				for (int i = 0; i < 1200; i++) {
					int shift = i % 60;
					uint64_t d = i < 200 ? (uint64_t)i : noise() >> shift;
					profil_bin(offsets[o] + d, offsets[o], scales[s], sizes[z]);
					if (offsets[o])
						profil_bin(offsets[o] - 1, offsets[o], scales[s], sizes[z]);
				}
	for (int i = 0; i < 1000000; i++) {
		uint64_t low = noise() >> (17 + i % 40), range = 1 + (noise() >> (17 + i % 45)),
			 nbin = 1 + noise() % ((range + 1) / 2 + 1);
		monitor_bin(low + noise() % range, low, low + range, nbin);
		monitor_bin(low + range - 1, low, low + range, nbin);
		monitor_bin(low + range, low, low + range, nbin);
		monitor_bin(low - 1, low, low + range, nbin);
	}
}

/* A counter stops at its largest value and spares its neighbours. */
static void saturation(void)
{
	uint16_t bins[3] = { 7, 65530, 7 };
	uint32_t wide[3] = { 7, UINT32_MAX - 5, 7 };
	const struct mon_hist h = { 0, 100, 1, 1, 1, bins, 3, 2 }, hw = { 0, 100, 1, 1, 1, wide, 3, 4 };
	mon_bin_add(&h, 1, 5);
	mon_bin_add(&hw, 1, 5);
	if (bins[1] != 65535 || wide[1] != UINT32_MAX)
		complain("at the top", 0, 0, 0, bins[1], 65535);
	mon_bin_add(&h, 1, 1);
	mon_bin_add(&h, 1, 65535);
	mon_bin_add(&h, 1, UINT32_MAX);
	mon_bin_add(&hw, 1, 1);
	mon_bin_add(&hw, 1, UINT32_MAX);
	if (bins[0] != 7 || bins[1] != 65535 || bins[2] != 7)
		complain("WORD", 0, 0, 0, bins[1], 65535);
	if (wide[0] != 7 || wide[1] != UINT32_MAX || wide[2] != 7)
		complain("unsigned", 0, 0, 0, wide[1], UINT32_MAX);
	tried += 2;
}

int main(void)
{
	many();
	saturation();
	printf("%lu tried, %lu wrong\n", tried, wrong);
	return wrong != 0;
}
