/* SPDX-License-Identifier: BSD-2-Clause */
/* spin.c -- a fixed amount of work that calls nothing; prints the CPU time it took. */
#include <stdio.h>
#include <time.h>

int main(void)
{
	struct timespec t;
	unsigned long x = 1;
	for (unsigned long n = 700000000; n > 0; n--) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	printf("%ld.%09ld\n", (long)t.tv_sec, t.tv_nsec);
	return 0;
}
