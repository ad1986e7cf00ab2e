/* SPDX-License-Identifier: BSD-2-Clause */
/* mon_impl.h -- what the files of libmon share.
 *
 * Rules of the house, because this code runs inside somebody else's program:
 * - Nothing here calls malloc, stdio or a lock of the C library on a path that mcount or the tick handler can take.
 * - The tick handler (tick.c) takes no lock at all; everything it reads is published with one atomic store.
 * - Everything else that changes state holds the lock of mon_ctl with all signals blocked, so that an instrumented signal
 *   handler cannot meet its own thread inside.  The lock is never held while a lock of the C library is waited for.
 * - errno and the signal mask are left as they were found.
 * - fork is seen by mon_ctl: the kernel fills that page with zeros in the child (MADV_WIPEONFORK), and whatever must not
 *   survive into a child (the size mcount compares with, the lock, the count of handlers under way) lies in it.  Another
 *   thread may be anywhere under the lock at that moment: pointers are stored before what they replace is unmapped.
 */
#ifndef MON_IMPL_H
#define MON_IMPL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mon.h"

#define MON_API	    __attribute__((visibility("default")))
#define MON_PAGE    4096
#define MON_HZ	    100 /* what every classic file implies, since it cannot state a rate */
#define MON_BARSIZE 8	/* bytes of text per WORD in profiles that libmon lays out itself */
#define MON_NFUNC   600 /* cells in such a profile, and what it grows by */
#define MON_PATH    4096

/* Offsets 0 and 8 are read by mcount.S. */
struct mon_ctl {
	uint64_t text_size; /* bytes of text whose calls count; 0: stopped, paused or a fork child */
	uint64_t alive;	    /* 1 while a profile runs in this very process */
	uint32_t here;	    /* 1 once this very process has taken the lock */
	uint32_t lock;
	uint32_t handlers; /* tick handlers under way */
};

extern union mon_ctl_page {
	struct mon_ctl c;
	char page[MON_PAGE];
} mon_ctl_page;
#define mon_ctl (mon_ctl_page.c)

/* 1: mcount is to enter the slow path when alive is 0, to start a profile or to set up a fork child. */
extern uint32_t mon_armed;

/* Offsets 0 and 8 are read by mcount.S. */
struct mon_tls {
	uint64_t size; /* bytes of count that may be used; 0: no table */
	uint64_t *count;
	struct mon_thread *self; /* owner of count; NULL: not attached */
	bool inside;		 /* holds the lock: a call counted now would come back for it */
};
extern __thread struct mon_tls mon_tls;

/* ---- sys.c: memory, lock, signals ---- */
struct mon_guard {
	sigset_t mask;
	int saved_errno;
};
/* Block all signals and take the lock; in a fork child that is here for the first time, set it up. */
void mon_enter(struct mon_guard *g);
void mon_leave(const struct mon_guard *g);

void *mon_map(size_t size); /* zeroed private memory; NULL when refused */
void mon_unmap(void *p, size_t size);

struct mon_array {
	void *data;
	size_t size; /* bytes */
};
/* Make a hold at least need bytes, doubling; the new ones are zero.  data may move. */
bool mon_array_grow(struct mon_array *a, size_t need);
void mon_array_free(struct mon_array *a);

long mon_tid(void);
bool mon_tid_alive(long tid); /* a thread of this process */
bool mon_secure(void);	      /* set-uid and the like: do nothing */

/* ---- text.c: where the program's own code lies; takes the loader's lock, so never call it holding ours ---- */
struct mon_text {
	uintptr_t low, high; /* hull of an object's executable segments, as loaded */
	uintptr_t bias;	     /* loaded address - link-time address */
};
/* Of the main program when pc is 0, else of the object that holds pc; false when there is none. */
bool mon_text_find(uintptr_t pc, struct mon_text *text);
extern struct mon_text mon_text_main; /* high 0: not known yet */
void mon_text_init(void);

/* ---- count.c: call counts ---- */
/* Counts by function id.  A table never moves, because mcount may be anywhere in it: it is followed by a larger one. */
struct mon_table {
	struct mon_table *older;
	size_t size; /* bytes of count */
	uint64_t count[];
};

/* What belongs to a thread; when the thread has ended it is handed, counts and all, to a later one. */
struct mon_thread {
	struct mon_thread *next;
	struct mon_table *table; /* the one in use, and the older ones behind it */
	long tid;		 /* 0: no thread owns this */
	int timer;		 /* kernel timer id, or -1 */
	bool ticking;		 /* its CPU time is being counted, from since on */
	uint64_t since, owed;	 /* its CPU clock when that was last looked at; ns before that make no whole tick yet */
};
extern struct mon_thread *mon_threads;

extern bool mon_count_incomplete; /* memory ran out, counting stopped */

void mon_count_init(void); /* once in a process */
bool mon_count_open(void); /* false when there is no memory */
void mon_count_run(bool on);
void mon_count_rebase(void); /* start all counts from zero */
void mon_count_forked(void);
struct mon_thread *mon_thread_attach(void); /* the calling thread's; NULL when there is no memory */
/* Walk over the functions called since mon_count_rebase: *id is 0 at first; false at the end. */
bool mon_count_next(uint64_t *id, uintptr_t *pc, uint64_t *count);
void mon_count_slow(uintptr_t pc); /* from mcount.S */

/* ---- tick.c: the clock ---- */
/* A histogram.  The bin of pc is ((pc - low) / unit) * num / den; a bin is wide bytes. */
struct mon_hist {
	uintptr_t low, high;
	uint64_t unit, num, den;
	void *bin;
	size_t nbin;
	unsigned wide; /* 2 or 4 */
};

struct mon_hists {
	size_t size;		      /* bytes of this object */
	size_t n;		      /* histograms */
	const struct mon_hist *spill; /* counts what lies in none, in its first bin; may be NULL */
	struct mon_hist hist[];
};

enum mon_user { MON_USER_MONITOR, MON_USER_PROFIL, MON_NUSER };
/* From now on ticks go to hists (NULL: nowhere); what went before is in its bins when this returns. */
void mon_tick_publish(enum mon_user user, const struct mon_hists *hists);
extern bool mon_tick_refused; /* a thread got no timer: its ticks are missing */
void mon_tick_attach(struct mon_thread *t);
void mon_tick_detach(struct mon_thread *t);
void mon_tick_forgive(struct mon_thread *t); /* whole ticks that are owed are nobody's */

/* ---- monitor.c: the profile; every function wants the lock held ---- */
void mon_profile_auto(void);   /* the default profile of the whole text, unless one runs already */
void mon_profile_end(void);    /* stop and write, if this process has a profile */
void mon_profile_forked(void); /* in a fork child: begin again from nothing, if one ran */

/* ---- output.c: the file ---- */
struct mon_part {
	const void *data;
	size_t size;
};
bool mon_output_open(void); /* settle the name; false: PROFDIR is empty or too long, record nothing */
bool mon_output_write(const struct mon_part *part, size_t npart);
void mon_output_lost(const char *why); /* one line on standard error */

/* ---- arch/ ---- */
void mon_arch_init(void);

#endif
