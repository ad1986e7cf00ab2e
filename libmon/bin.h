/* SPDX-License-Identifier: BSD-2-Clause */
/* bin.h -- from a program counter to its bin, and adding to it: pure arithmetic, safe in a signal handler. */
#ifndef MON_BIN_H
#define MON_BIN_H

#include "mon_impl.h"

__extension__ typedef unsigned __int128 mon_u128;

/* True and *bin when pc lies in h. */
static inline bool mon_bin_find(const struct mon_hist *h, uintptr_t pc, size_t *bin)
{
	if (pc < h->low || pc >= h->high)
		return false;
	mon_u128 scaled = (mon_u128)((pc - h->low) / h->unit) * h->num;
	/* Division of 128 bits is a call into the compiler's library; nearly always 64 bits do. */
	mon_u128 i = scaled <= UINT64_MAX ? (uint64_t)scaled / h->den : scaled / h->den;
	if (i >= h->nbin)
		return false;
	*bin = (size_t)i;
	return true;
}

/* A counter stops at its largest value; other threads may be adding to the same one. */
static inline void mon_bin_add16(uint16_t *bin, uint32_t n)
{
	uint16_t old = __atomic_load_n(bin, __ATOMIC_RELAXED), sum;
	do
		sum = n > (uint32_t)(UINT16_MAX - old) ? UINT16_MAX : (uint16_t)(old + n);
	while (!__atomic_compare_exchange_n(bin, &old, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void mon_bin_add32(uint32_t *bin, uint32_t n)
{
	uint32_t old = __atomic_load_n(bin, __ATOMIC_RELAXED), sum;
	do
		sum = n > UINT32_MAX - old ? UINT32_MAX : old + n;
	while (!__atomic_compare_exchange_n(bin, &old, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void mon_bin_add(const struct mon_hist *h, size_t bin, uint32_t n)
{
	if (h->wide == sizeof(uint32_t))
		mon_bin_add32((uint32_t *)h->bin + bin, n);
	else
		mon_bin_add16((uint16_t *)h->bin + bin, n);
}

#endif
