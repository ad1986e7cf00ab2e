/* SPDX-License-Identifier: BSD-2-Clause */
/* native.h -- what the files that read the native profile share: native.c, live.c, life.c. */
#ifndef NATIVE_H
#define NATIVE_H

#include "monfmt.h"
#include "monread_impl.h"

typedef unsigned long long ull; /* for %llu and %llx */

/* A member of a structure of monfmt.h whose bytes stand at b. */
#define MON_MEMBER(b, order, type, member)                                                                             \
	mon_get((b) + offsetof(struct type, member), sizeof(((struct type *)NULL)->member), order)

/* A section, cut where the file ends. */
struct mon_native_section {
	uint32_t type, of;
	uint64_t offset, size;
};

/* A file that is being read. */
struct mon_native {
	struct mon_input *in;
	struct mon_profile *p;
	enum mon_order order;
	uint32_t state, crc;
	uint64_t size, table;		    /* as the header says */
	struct mon_native_section *section; /* owned; those of known types, in the order of the file */
	size_t nsection;
	bool cut;	   /* a section reaches beyond the end of the file */
	bool counting;	   /* it has the sections of a live file */
	uint64_t flags;	   /* MONFMT_F_... of the process */
	uint64_t identity; /* of the process */
	struct mon_bins_sum sum;

	/* the histogram of each of p's modules that has one, by module; owned */
	struct mon_bins **bins;
};

/* The next section of a type behind the one before, NULL to start; NULL after the last. */
const struct mon_native_section *mon_native_next(const struct mon_native *n, enum monfmt_type type,
						 const struct mon_native_section *before);
/* How many bytes the sections of a type have together. */
uint64_t mon_native_total(const struct mon_native *n, enum monfmt_type type);
/* Read the list of sections again: a live file has grown. */
int mon_native_index(struct mon_native *n, struct mon_error *err);
/* How many bins the text of a module has. */
uint64_t mon_native_nbin(const struct mon_module *m);
/* Read what the file says of process, clock, objects and threads. */
int mon_native_describe(struct mon_native *n, struct mon_error *err);

/* live.c: counts by thread and bins in pages; calls mon_native_describe on the way. */
int mon_live_load(struct mon_native *n, struct mon_error *err);

/* life.c: what became of a process of this or another host. */
enum mon_life mon_life_find(uint64_t pid, uint64_t identity, const char *host);

#endif
