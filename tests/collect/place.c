/* SPDX-License-Identifier: BSD-2-Clause */
/* place.c -- calls f 11 times, goes to each folder it is given, prints 11 and ends with 3. */
#include "prog.h"

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 11; i++)
		sum = f(sum);
	for (int i = 1; i < argc; i++)
		if (chdir(argv[i]))
			return 1;
	printf("%d\n", sum);
	return 3;
}
