/* SPDX-License-Identifier: BSD-2-Clause */
/* eleven.c -- calls f 11 times, prints how often, and ends with 3. */
#include "eleven.h"

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 11; i++)
		sum = f(sum);
	burn();
	printf("%d\n", sum);
	return 3;
}
