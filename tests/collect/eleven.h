/* SPDX-License-Identifier: BSD-2-Clause */
/* eleven.h -- what every linking test calls: f, 11 times, and burn for some ticks. */
#include "prog.h"

#ifdef __cplusplus
extern "C" {
#endif
PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

PLAIN void burn(void)
{
	WORK(60 * MS);
}
#ifdef __cplusplus
}
#endif
