/* SPDX-License-Identifier: BSD-2-Clause */
/* many.c -- calls many functions a known number of times, each in one of three threads: gI I % 13 + 1 times. */
#include "prog.h"

extern int (*const many[])(int);
extern const int nmany;

static void *part(void *arg)
{
	for (int round = 0; round < 13; round++)
		for (int i = (int)(long)arg; i < nmany; i += 3)
			if (round <= i % 13)
				many[i](i);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, part, (void *)i))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
