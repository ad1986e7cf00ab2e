/* SPDX-License-Identifier: BSD-2-Clause */
/* variants.c -- the table of profile layouts.  A flat layout is a row; another family is a row and a file. */
#include "monread_impl.h"

#include <string.h>

enum { FLAT = MON_CAN_WRITE | MON_HAS_BINS | MON_HAS_CALLS };

/* One classic layout by the width of an address and of its count fields. */
#define CLASSIC(the_order, header, cell, pc_width, count_at, count_width, ncell_width)                                 \
	.layout = { .order = (the_order),                                                                              \
		    .header_size = (header),                                                                           \
		    .cell_size = (cell),                                                                               \
		    .low = { .offset = 0, .width = (pc_width) },                                                       \
		    .high = { .offset = (pc_width), .width = (pc_width) },                                             \
		    .ncell = { .offset = 2 * (pc_width), .width = (ncell_width) },                                     \
		    .cell_pc = { .offset = 0, .width = (pc_width) },                                                   \
		    .cell_count = { .offset = (count_at), .width = (count_width) } },                                  \
	.decode = mon_flat_decode, .encode = mon_flat_encode
#define A16(order)  CLASSIC(order, 6, 6, 2, 2, 4, 2)
#define A32(order)  CLASSIC(order, 12, 8, 4, 4, 4, 4)
#define A64(order)  CLASSIC(order, 24, 16, 8, 8, 8, 8)
#define A64I(order) CLASSIC(order, 24, 16, 8, 8, 8, 4) /* an int and four bytes that say nothing */

static const struct mon_format formats[] = {
	/* The PDP-11 systems counted at the 60 Hz of the line clock. */
	{
	    .variant = { .name = "a16-pdp",
			 .title = "mon.out with 16-bit addresses, PDP-11 order",
			 .systems = "V6, V7, System III, Ultrix-11, 2.11BSD; monitor(3) and prof(1) of the V7 manual",
			 .caps = FLAT,
			 .word = 2,
			 .hz = 60 },
	    A16(MON_PDP),
	},
	/* 32 bits: 60 Hz on the VAX and in the first System V, 50 on Suns, 100 from SVR3 on; the last are the most. */
	{
	    .variant = { .name = "a32-le",
			 .title = "mon.out with 32-bit addresses, little-endian",
			 .systems = "32V, 3BSD, 4BSD, Ultrix, SVR3 and SVR4 i386, SunOS 386i; monitor(3C) of System V",
			 .caps = FLAT,
			 .word = 4,
			 .hz = 100 },
	    A32(MON_LE),
	},
	{
	    .variant = { .name = "a32-be",
			 .title = "mon.out with 32-bit addresses, big-endian",
			 .systems =
			     "SVR2 to SVR4 on 68k, 3B2 and SPARC, SunOS, Solaris, HP-UX, RISC/os; monitor(3C) of "
			     "System V, monitor(3) of SunOS and HP-UX",
			 .caps = FLAT,
			 .word = 4,
			 .hz = 100 },
	    A32(MON_BE),
	},
	/* 64-bit systems tick 100 times a second, this suite's libmon too. */
	{
	    .variant = { .name = "a64-le",
			 .title = "mon.out with 64-bit addresses, little-endian",
			 .systems = "libmon of this suite, illumos on x86-64; monitor(3C) of Solaris",
			 .caps = FLAT,
			 .word = 8,
			 .hz = 100 },
	    A64(MON_LE),
	},
	{
	    .variant = { .name = "a64-be",
			 .title = "mon.out with 64-bit addresses, big-endian",
			 .systems = "Solaris and illumos on SPARC V9; monitor(3C) of Solaris",
			 .caps = FLAT,
			 .word = 8,
			 .hz = 100 },
	    A64(MON_BE),
	},
	{
	    .variant = { .name = "a64i-le",
			 .title = "mon.out with 64-bit addresses and an int cell count, little-endian",
			 .systems = "LP64 systems with an int in struct hdr; mon.h as monitor(3X) of IRIX describes it",
			 .caps = FLAT,
			 .word = 8,
			 .hz = 100 },
	    A64I(MON_LE),
	},
	{
	    .variant = { .name = "a64i-be",
			 .title = "mon.out with 64-bit addresses and an int cell count, big-endian",
			 .systems = "IRIX n64, LP64 HP-UX; mon.h as monitor(3X) of IRIX describes it",
			 .caps = FLAT,
			 .word = 8,
			 .hz = 100 },
	    A64I(MON_BE),
	},
	{
	    .variant = { .name = "g2",
			 .title = "gmon.out of the GNU system, version 1",
			 .systems =
			     "programs compiled with -pg on Linux and other glibc systems; the file format chapter of "
			     "the gprof manual",
			 .caps = MON_HAS_BINS | MON_HAS_CALLS | MON_HAS_HZ | MON_HAS_ARCS,
			 .word = 0,
			 .hz = 100 },
	    .decode = mon_gmon_decode,
	},
	{
	    .variant = { .name = "native",
			 .title = "mon.out of this suite, live or finished: objects, threads, 64-bit counters",
			 .systems = "libmon of this suite, monmerge",
			 .caps = MON_CAN_WRITE | MON_HAS_BINS | MON_HAS_CALLS | MON_HAS_HZ,
			 .word = 0,
			 .hz = 250 },
	    .decode = mon_native_decode,
	    .encode = mon_native_encode,
	},
};
enum { NFORMAT = sizeof(formats) / sizeof(formats[0]) };

const struct mon_format *mon_format_next(const struct mon_format *prev)
{
	if (!prev)
		return formats;
	return prev + 1 < formats + NFORMAT ? prev + 1 : NULL;
}

const struct mon_variant *mon_variant_next(const struct mon_variant *prev)
{
	const struct mon_format *next = mon_format_next((const struct mon_format *)prev);

	return next ? &next->variant : NULL;
}

const struct mon_variant *mon_variant_find(const char *name)
{
	const struct mon_variant *v = NULL;

	while ((v = mon_variant_next(v)))
		if (!strcmp(v->name, name))
			break;
	return v;
}
