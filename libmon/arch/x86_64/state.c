/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c -- which register state mcount's slow path has to save on this processor. */
#include "mon_impl.h"

#include <cpuid.h>

#define XSAVE_STATE 0xe7 /* x87, SSE, AVX and the three parts of AVX-512 */

uint32_t mon_xsave_mask; /* 0: the processor has fxsave only */

void mon_arch_init(void)
{
	unsigned a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	mon_xsave_mask = a & XSAVE_STATE;
}
