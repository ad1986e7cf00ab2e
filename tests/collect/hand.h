/* SPDX-License-Identifier: BSD-2-Clause */
/* hand.h -- for programs that call monitor() by hand: the text's ends, buffers between guards, start and stop. */
#ifndef HAND_H
#define HAND_H
#include "prog.h"

#include <mon.h>

#define BARSIZE 8
#define GUARD	4096
#define FILL	0xa7

extern char _init[], etext[];
static char *low = _init, *high = etext;

/* The manual's formula, in WORDs. */
UNSEEN size_t formula(size_t nfunc)
{
	return (sizeof(struct hdr) + nfunc * sizeof(struct cnt) + (size_t)(high - low) / BARSIZE * sizeof(WORD) +
		sizeof(WORD) - 1) /
	       sizeof(WORD);
}

/* n WORDs full of FILL, between two guards of it. */
UNSEEN WORD *area(size_t n)
{
	unsigned char *p = malloc(n * sizeof(WORD) + 2 * GUARD);
	if (!p)
		exit(1);
	memset(p, FILL, n * sizeof(WORD) + 2 * GUARD);
	return (WORD *)(p + GUARD);
}

UNSEEN int filled(const void *at, size_t size)
{
	const unsigned char *p = at;
	for (size_t i = 0; i < size; i++)
		if (p[i] != FILL)
			return 0;
	return 1;
}

UNSEEN int guarded(const WORD *b, size_t n)
{
	return filled((const char *)b - GUARD, GUARD) && filled(b + n, GUARD);
}

UNSEEN void start(WORD *b, size_t n, size_t nfunc)
{
	monitor((int (*)())(uintptr_t)low, (int (*)())(uintptr_t)high, b, n, nfunc);
}

UNSEEN void stop(void)
{
	monitor((int (*)())0, (int (*)())0, (WORD *)0, 0, 0);
}

UNSEEN void save(const char *path, const void *p, size_t size)
{
	FILE *o = fopen(path, "wb");
	if (!o || fwrite(p, 1, size, o) != size || fclose(o))
		exit(1);
}
#endif
