/* SPDX-License-Identifier: BSD-2-Clause */
/* demo.c -- a small program to profile: primes by sieve and by division, and a sort that compares a lot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 3000000

static char composite[LIMIT];
static int number[LIMIT / 4];

__attribute__((noinline)) static int is_prime(int n)
{
	for (int d = 2; d * d <= n; d++)
		if (n % d == 0)
			return 0;
	return n > 1;
}

__attribute__((noinline)) static int count_by_division(int limit)
{
	int found = 0;
	for (int n = 2; n < limit; n++)
		found += is_prime(n);
	return found;
}

__attribute__((noinline)) static int count_by_sieve(int limit)
{
	int found = 0;
	memset(composite, 0, sizeof composite);
	for (int n = 2; n < limit; n++) {
		if (composite[n])
			continue;
		found++;
		for (int m = n + n; m < limit; m += n)
			composite[m] = 1;
	}
	return found;
}

static int by_last_digit(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return x % 10 != y % 10 ? x % 10 - y % 10 : (x > y) - (x < y);
}

__attribute__((noinline)) static void sort_numbers(void)
{
	const int n = sizeof number / sizeof number[0];
	for (int i = 0; i < n; i++)
		number[i] = (int)((unsigned)i * 2654435761u >> 8);
	qsort(number, (size_t)n, sizeof number[0], by_last_digit);
}

int main(void)
{
	int division = count_by_division(1500000), sieve = 0;
	for (int i = 0; i < 20; i++)
		sieve = count_by_sieve(LIMIT);
	sort_numbers();
	printf("%d primes below 1500000, %d below %d\n", division, sieve, LIMIT);
	return 0;
}
