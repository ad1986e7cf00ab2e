/* SPDX-License-Identifier: BSD-2-Clause */
/* monfmt.h -- the native profile file: the one definition, for the writer (libmon) and the reader (libmonread).
 *
 * The file is the buffer that the profiled program counts in: it is mapped shared from the first moment and can be read at
 * any other, also after the program was killed.  Numbers are in the byte order of the machine that wrote them; every
 * counter is 8 bytes wide and 8-byte aligned, so that it is never seen half written.
 *
 *     struct monfmt_header                      at offset 0
 *     struct monfmt_table, then its sections    at header.table; a table that is full names the next one
 *
 * A section is a type, an index of the thing it belongs to, an offset and a size.  A reader skips types that it does not
 * know.  While the file is live a section, once listed, never moves or shrinks; a table's count grows only after the entry
 * is complete.  A live file keeps counts per thread and bins in pages; a finished one (state MONFMT_FINISHED) has been
 * written anew, compact, with one MONFMT_CALLS and one MONFMT_BINS per object, and carries a checksum; where that could not
 * be done (no room, another root directory) it is the live one with its state changed and a checksum of 0.
 */
#ifndef MONFMT_H
#define MONFMT_H

#include <stdint.h>

#define MONFMT_MAGIC   "\211MON\r\n\032\n" /* 8 bytes without the NUL: not text, and spoiled by a text-mode copy */
#define MONFMT_ORDER   0x01020304u
#define MONFMT_VERSION 1

enum monfmt_state {
	MONFMT_LIVE = 1,     /* the process writes to it, or died without saying goodbye */
	MONFMT_FINISHED = 2, /* complete */
};

struct monfmt_header {
	char magic[8];
	uint32_t order;	  /* MONFMT_ORDER */
	uint16_t version; /* a reader refuses a higher one */
	uint8_t word;	  /* bytes of an address: 4 or 8 */
	uint8_t reserved;
	uint32_t state;
	uint32_t crc;  /* finished: crc32 (as zlib's) of all size bytes, taken with this field 0; 0: not taken */
	uint64_t size; /* bytes in use */
	uint64_t table;
};

struct monfmt_section {
	uint32_t type;
	uint32_t of; /* see the types */
	uint64_t offset, size;
};

struct monfmt_table {
	uint64_t next; /* offset of the next table; 0: this is the last */
	uint32_t nsection;
	uint32_t room;
	struct monfmt_section section[];
};

enum monfmt_type {
	MONFMT_FREE = 0,     /* room that nothing uses */
	MONFMT_PROCESS = 1,  /* struct monfmt_process */
	MONFMT_PROGRAM = 2,  /* the program's path; text without NUL */
	MONFMT_ARGUMENT = 3, /* the last component of argv[0] */
	MONFMT_HOST = 4,     /* the host's name */
	MONFMT_CLOCK = 5,    /* struct monfmt_clock */
	MONFMT_OBJECT = 6,   /* struct monfmt_object and its path; of: the object's index, 0 is the program */
	MONFMT_FUNCTION = 7, /* struct monfmt_function[] by function id; of: id of the first */
	MONFMT_COUNT = 8,    /* uint64_t[] by function id, a thread's own; all sections add up */
	MONFMT_PAGES =
	    9, /* uint32_t[] by page of MONFMT_PAGE_TEXT bytes of text: number of its page of bins, 0: none; of: object */
	MONFMT_POOL = 10,   /* pages of bins, numbered from of on (the first number in the file is 1) */
	MONFMT_THREAD = 11, /* struct monfmt_thread[]; an entry with tid 0 is unused */
	MONFMT_CALLS = 12,  /* struct monfmt_call[], in any order; of: object */
	MONFMT_BINS = 13,   /* struct monfmt_bin[], by number; of: object */
	MONFMT_VTIMES = 14, /* struct monfmt_vtimes */
	MONFMT_SUM = 15,    /* struct monfmt_sum; finished files that are not a single whole profile have it */
};

/* Bin i of an object counts the ticks in [low + i * 8, low + i * 8 + 8), low being its link-time text_low. */
#define MONFMT_BIN_TEXT	 8
#define MONFMT_PAGE_BINS 32
#define MONFMT_PAGE_TEXT (MONFMT_BIN_TEXT * MONFMT_PAGE_BINS)

struct monfmt_process {
	uint64_t pid, ppid;
	uint64_t start, end; /* ns since 1970; end 0: not ended */
	uint64_t
	    identity; /* start time of the process as the kernel has it (field 22 of /proc/pid/stat), against pid reuse */
	int64_t rank;	     /* of an MPI launcher; -1: none */
	uint64_t flags;	     /* MONFMT_F_... */
	uint64_t lost_calls; /* calls that could not be counted */
};

enum monfmt_flag {
	MONFMT_F_PRIVATE =
	    1, /* some counts were kept outside the file, which could not grow: missing unless finished */
	MONFMT_F_THREADS = 2, /* more threads than the thread table holds: the rest have no entry of their own */
	MONFMT_F_SIGPROF = 4, /* the program took SIGPROF for itself: ticks were lost from then on */
};

enum monfmt_method {
	MONFMT_PERF = 1,	/* per-thread task clock of the kernel, samples in a ring */
	MONFMT_PERF_SIGNAL = 2, /* the same, a signal per sample */
	MONFMT_TIMER = 3,	/* per-thread CPU-time timers: fire on the scheduler's tick only */
	MONFMT_ITIMER = 4,	/* one timer for the process, scheduler's tick only */
};

struct monfmt_clock {
	uint32_t method;
	uint32_t hz;	   /* ticks per CPU second asked for; what a bin's unit is */
	uint32_t flags;	   /* MONFMT_C_... */
	uint32_t reserved; /* 0 */
	uint64_t ticks;	   /* all, those below included */
	uint64_t outside;  /* in no known object: generated code and the like */
	uint64_t mcount;   /* in the counting of calls itself */
	uint64_t vdso;
	uint64_t lost; /* due, but dropped by the kernel, or no page of bins was left for them */
	uint64_t cpu;  /* ns of CPU time of the process so far; user and system */
};

enum monfmt_clock_flag {
	MONFMT_C_USER_ONLY = 1, /* the kernel lets us see user code only: time inside system calls is not in the bins */
	MONFMT_C_TICK_BOUND = 2, /* what runs only between two scheduler ticks is not seen */
};

struct monfmt_object {
	uint64_t low, high;	   /* link-time text range */
	uint64_t bias;		   /* address in the process - link-time address */
	uint64_t loaded, unloaded; /* ns since 1970; 0: at the start, not yet */
	uint32_t build_id_size;
	uint8_t build_id[32];
	uint32_t path_size; /* bytes of path that follow, without NUL */
	char path[];
};

#define MONFMT_NO_OBJECT UINT32_MAX

struct monfmt_function {
	uint32_t object; /* index, or MONFMT_NO_OBJECT: code that no object holds */
	uint32_t offset; /* of the return address of its mcount call from the object's low */
};

struct monfmt_call {
	uint64_t pc; /* link-time */
	uint64_t count;
};

struct monfmt_bin {
	uint64_t index, count;
};

struct monfmt_thread {
	uint64_t tid;
	uint64_t born, ended; /* ns since 1970; ended 0: not ended */
	uint64_t ticks;
	uint64_t user, system; /* ns */
	uint64_t wait;	       /* ns ready to run without running */
	char name[16];	       /* with NUL unless it fills the field */
};

struct monfmt_vtimes {
	uint64_t user, system;		 /* ns */
	uint64_t text_ns_kb, data_ns_kb; /* integrals over CPU time: ns x KiB */
	uint64_t max_rss_kb;
	uint64_t minor_faults, major_faults, swaps, blocks_in, blocks_out;
};

/* What is to be known of a profile that was written by a reader: a sum of several, or a copy of a live one. */
struct monfmt_sum {
	uint64_t threads; /* how many there were at least, those without an entry included */
	uint32_t life;	  /* enum monfmt_life; of several the worst */
	uint32_t flags;	  /* MONFMT_S_... */
};

enum monfmt_life {
	MONFMT_L_FINISHED = 0,
	MONFMT_L_UNKNOWN = 1, /* not when it was read */
	MONFMT_L_DIED = 2,
};

enum monfmt_sum_flag {
	MONFMT_S_PRIVATE = 1, /* what MONFMT_F_PRIVATE warns of is missing */
	MONFMT_S_CUT = 2,     /* a file ended early */
	MONFMT_S_LIMIT = 4,   /* a sum stopped at the largest number */
};

#endif
