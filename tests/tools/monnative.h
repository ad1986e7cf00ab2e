/* SPDX-License-Identifier: BSD-2-Clause */
/* monnative.h -- the part of monmake that makes native profiles: lines of its language to sections of a file. */
#ifndef MONNATIVE_H
#define MONNATIVE_H

#include "bytes.h"

struct monnative;

enum { MONLINE_MOST = 64 }; /* numbers on a line */

struct monline {
	uint64_t arg[MONLINE_MOST];
	size_t narg;
	char *text; /* after the keyword */
};

struct monnative *monnative_new(enum order order, unsigned word);
void monnative_free(struct monnative *n);
/* A line of the description behind its keyword.  NULL, or why it is wrong (static). */
const char *monnative_line(struct monnative *n, const char *keyword, const struct monline *l);
void monnative_finish(struct monnative *n, struct bytes *out);
/* The checksum of a whole file, which may have been changed, put in its place. */
void monnative_seal(struct bytes *file, size_t start, enum order order);

#endif
