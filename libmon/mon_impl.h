/* SPDX-License-Identifier: BSD-2-Clause */
/* mon_impl.h -- what the files of libmon share.
 *
 * Rules of the house, because this code runs inside somebody else's program:
 * - Nothing here calls malloc, stdio or a lock of the C library on a path that mcount or the tick handler can take.
 * - The tick handler (tick.c) waits for no lock; what it reads is published with one atomic store.
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
#include <sys/types.h>

#include "mon.h"
#include "monfmt.h"

#define MON_API	       __attribute__((visibility("default")))
#define MON_PAGE       4096
#define MON_CLASSIC_HZ 100 /* what every classic file implies, since it cannot state a rate */
#define MON_BARSIZE    8   /* bytes of text per WORD in profiles that libmon lays out itself */
#define MON_NFUNC      600 /* cells in such a profile, and what it grows by */
#define MON_PATH       4096

/* Offsets 0 to 16 are read by mcount.S. */
struct mon_ctl {
	uint64_t text_size; /* bytes of text whose calls count; 0: stopped, paused or a fork child */
	uint64_t alive;	    /* 1 while a profile runs in this very process */
	uint32_t far;	    /* 1: calls in shared objects count, too */
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
/* System calls by number: open, link and write are names that a program may well have given to functions of its own. */
#define MON_SYS(name, ...) syscall(SYS_##name, __VA_ARGS__)

struct mon_guard {
	sigset_t mask;
	int saved_errno;
};
/* Block all signals and take the lock; in a fork child that is here for the first time, set it up. */
void mon_enter(struct mon_guard *g);
void mon_leave(const struct mon_guard *g);
/* For what may run in the tick handler, which may not wait: false when somebody else is inside.  *entered: not before. */
bool mon_try_enter(bool *entered);
void mon_try_leave(bool entered);

/* Not memcpy and memset: a thread sanitizer in the program listens to those, and does not know our lock. */
void mon_copy(void *to, const void *from, size_t size);
void mon_clear(void *p, size_t size);
void *mon_map(size_t size);  /* zeroed private memory; NULL when refused */
void *mon_keep(size_t size); /* the same, small and for ever; holding the lock */
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
uint64_t mon_now(void);	      /* ns since 1970 */
#define MON_THREAD_CLOCK(tid)                                                                                          \
	((clockid_t)(~(unsigned)(tid) << 3 | 6)) /* CPU time of a thread, as the kernel numbers clocks */
uint64_t mon_cpu_clock(clockid_t clock);	 /* ns; 0 when it cannot be read */

/* ---- line.c: text without stdio ---- */
struct mon_line {
	char *at, *end; /* end: the place of the final NUL */
	bool cut;
};
#define MON_LINE(array) ((struct mon_line){ (array), (array) + sizeof(array) - 1, false })
void mon_put(struct mon_line *l, const char *s);
void mon_put_number(struct mon_line *l, uint64_t n);

/* Writing can raise a signal that would end the program.  It is blocked here, and taken back when it was raised here. */
struct mon_trap {
	int sig, error; /* the signal comes with this errno */
	bool was_pending;
};
struct mon_trap mon_trap_set(int sig, int error);
void mon_trap_clear(const struct mon_trap *t, int error);

int mon_write(int fd, const void *data, size_t size); /* everything; 0 or an errno */
const char *mon_reason(int error);
void mon_say(const char *name, const char *why, const char *what); /* one line on standard error */

/* ---- name.c: names of files ---- */
struct mon_name {
	char path[MON_PATH + 256];
};
bool mon_name_settle(void);			   /* false: PROFDIR is empty or too long, record nothing */
const char *mon_progname(void);			   /* once settled */
bool mon_name_is_starter(void);			   /* not a forked child */
bool mon_name_is_plain(void);			   /* the file would be mon.out */
bool mon_name_may_be_plain(struct mon_name *n);	   /* and no other process has written it meanwhile; n: that name */
int mon_name_create_temporary(struct mon_name *n); /* a new file: its descriptor, or -1 */
/* This process's own: mon.out.PID or PROFDIR/pid.progname. */
void mon_name_own(struct mon_name *n);
int mon_name_take_own(const struct mon_name *from,
		      struct mon_name *to); /* rename, to such a name that is free; 0 or an errno */
void mon_name_put(struct mon_name *n);	    /* what mon_name_final would choose first */
void mon_name_remove(const struct mon_name *n);
int mon_name_replace(const struct mon_name *from, const struct mon_name *to); /* 0 or an errno */
int mon_name_final(const struct mon_name *from, struct mon_name *to);	      /* the same; to gets the name for good */

/* ---- text.c: where the program's own code lies; takes the loader's lock, so never call it holding ours ---- */
struct mon_text {
	uintptr_t low, high; /* hull of an object's executable segments, as loaded */
	uintptr_t bias;	     /* loaded address - link-time address */
	const void *header;  /* its program headers in memory */
	size_t nheader;
};
/* Of the main program when pc is 0, else of the object that holds pc; false when there is none. */
bool mon_text_find(uintptr_t pc, struct mon_text *text);
extern struct mon_text mon_text_main; /* high 0: not known yet */
void mon_text_init(void);

/* ---- live.c: the live file ---- */
extern struct monfmt_header *mon_live_header; /* NULL: none */
extern struct monfmt_process *mon_live_process;
int mon_live_open(void); /* 0 or an errno; what a file before held stays readable until */
void mon_live_forget(void);
/* A new section of zeros, in private memory when the file cannot grow; NULL only when there is no memory at all. */
void *mon_live_section(enum monfmt_type type, uint32_t of, uint64_t size);
/* The last resort where no other file can be made: put data in the place of what the live file holds.  0 or an errno. */
int mon_live_overwrite(const void *data, size_t size);
int mon_live_publish(void); /* it is complete: give it the name by which others find it; 0 or an errno */
void mon_live_close(bool remove);
const struct mon_name *mon_live_name(void);
/* The nth section and where it is in memory; false beyond the last. */
bool mon_live_nth(uint32_t n, struct monfmt_section *section, const void **data);

/* ---- loaded.c: what the loader has at an address ---- */
struct mon_loaded {
	const void *map; /* its name for the object */
	uintptr_t start; /* where the object's headers are */
	uintptr_t bias;
	const char *name;
};
void mon_loaded_init(void); /* takes the loader's lock, so never call it holding ours */
bool mon_loaded_find(uintptr_t pc, struct mon_loaded *found);

/* ---- object.c: the objects that ticks and calls fall into ---- */
struct mon_object {
	uintptr_t low, high; /* as loaded; high 0: gone */
	const void *map;     /* the loader's name for it */
	uint32_t index;
	uint32_t *page; /* MONFMT_PAGES */
	struct monfmt_object *record;
};
/* The object that holds pc, made known on the way; NULL: none, or no room.  Wants the lock, unless it is known already. */
struct mon_object *mon_object_known(uintptr_t pc);
struct mon_object *mon_object_learn(uintptr_t pc);
const struct mon_object *mon_object_nth(uint32_t n);
bool mon_object_open(void);  /* the main program and the vdso; in a fork child, those that the parent knew */
void mon_object_check(void); /* some may have been closed: forget them, and the ids of their functions */
extern uintptr_t mon_vdso_low, mon_vdso_high;

/* ---- bins.c: ticks in the live file; safe in a signal handler ---- */
bool mon_bins_open(void);
void mon_bins_tick(uintptr_t pc, uint64_t ticks);
/* Walk over the bins of an object that are not zero: *bin is 0 at first; false at the end. */
bool mon_bins_next(const struct mon_object *o, uint64_t *bin, uint64_t *count);

/* ---- count.c: call counts ---- */
/* Counts by function id.  A table never moves, because mcount may be anywhere in it: it is followed by a larger one. */
struct mon_table {
	struct mon_table *older;
	size_t size;	 /* bytes of count */
	uint64_t *count; /* in the live file or private */
};

/* What belongs to a thread; when the thread has ended it is handed, counts and all, to a later one. */
struct mon_thread {
	struct mon_thread *next;
	struct mon_table *table; /* the one in use, and the older ones behind it */
	long tid;		 /* 0: no thread owns this */
	int timer;		 /* of the classic clock: kernel timer id, or -1 */
	bool ticking;		 /* its CPU time is being counted, from since on */
	uint64_t since, owed;	 /* its CPU clock when that was last looked at; ns before that make no whole tick yet */
	struct monfmt_thread *record;
	/* clock.c */
	bool clocked, ring_dead;
	unsigned silent; /* drains without a sample */
	int clock_timer; /* or -1 */
	uint64_t clock_since, clock_owed;
	struct mon_ring *ring; /* of perf; NULL: the timer is the clock */
};
extern struct mon_thread *mon_threads;

extern bool mon_count_incomplete; /* memory ran out, counting stopped */

void mon_count_init(void); /* once in a process */
bool mon_count_open(void); /* false when there is no memory */
void mon_count_run(bool on);
void mon_count_rebase(void); /* start all counts from zero */
void mon_count_forked(void);
void mon_count_forget(uintptr_t low, uintptr_t high);  /* code that is gone: its addresses may become other functions */
void mon_count_live(void);			       /* list the functions known so far in a new live file */
void mon_count_recall(uint32_t object, uintptr_t low); /* ... and is back, now at low */
struct mon_thread *mon_thread_attach(void);	       /* the calling thread's; NULL when there is no memory */
void mon_thread_detach(struct mon_thread *t);
/* Walk over the functions called since mon_count_rebase: *id is 0 at first; false at the end. */
bool mon_count_next(uint64_t *id, struct monfmt_function *function, uint64_t *count);
void mon_count_slow(uintptr_t pc); /* from mcount.S */

/* ---- record.c: what the live file says of each thread ---- */
void mon_record_open(void);
void mon_record_begin(struct mon_thread *t);
void mon_record_update(struct mon_thread *t);
void mon_record_end(struct mon_thread *t);

/* ---- native.c, finish.c: the automatic profile in the live file ---- */
bool mon_native_begin(void);
bool mon_native_forked(bool paused); /* in a fork child; false: it goes without */
void mon_native_end(bool keep);
int mon_native_snapshot(const char *path); /* 0 or an errno */
void mon_finish(void);
int mon_finish_copy(const char *path); /* a finished file of what there is now; 0 or an errno */

/* ---- clock.c: the clock of an automatic profile ---- */
extern struct monfmt_clock *mon_clock; /* NULL: no automatic profile */
bool mon_clock_open(void);	       /* choose the method and begin; holding the lock */
void mon_clock_watch(void);	       /* in a fork child: have it noticed when it works */
void mon_clock_close(void);
void mon_clock_forked(void); /* forget the parent's */ /* stop; every tick so far is in its bin when this returns */
void mon_clock_run(bool on);			       /* pause and go on */
void mon_clock_drain(void);			       /* see that every sample so far is in its bin */
void mon_clock_count(struct mon_thread *t, uint64_t ticks);
void mon_clock_attach(struct mon_thread *t);
void mon_clock_detach(struct mon_thread *t);
void mon_clock_forgive(struct mon_thread *t);
/* SIGPROF of this clock's own: true when it was. */
bool mon_clock_signal(const siginfo_t *info, uintptr_t pc);

#define MON_DRAIN_HZ 10 /* how often a ring is emptied, per CPU second */

/* ---- perf.c: samples of the kernel's task clock ---- */
struct mon_ring;
enum mon_perf_mode { MON_PERF_RING, MON_PERF_SIGNAL };
/* For thread t; NULL and an errno when the kernel refuses. */
struct mon_ring *mon_perf_open(const struct mon_thread *t, enum mon_perf_mode mode, unsigned hz, bool *user_only,
			       int *error);
bool mon_perf_rings(const struct mon_ring *r); /* it has itself emptied, by a signal */
void mon_perf_close(struct mon_ring *r);
void mon_perf_forked(struct mon_ring *r); /* the parent's: its memory is not here, its descriptor is */
void mon_perf_run(struct mon_thread *t, bool on);
bool mon_perf_moved(struct mon_ring *r);  /* the kernel took samples since this was last asked */
void mon_perf_settle(struct mon_ring *r); /* after a first signal: the period that was asked for */
/* Put what is in the ring of t into bins (or away); own: t is the calling thread.  The number of ticks. */
uint64_t mon_perf_drain(struct mon_thread *t, bool keep, bool own);

/* ---- tick.c: the classic clock, for monitor() and profil() ---- */
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
void mon_tick_forgive(struct mon_thread *t);				/* whole ticks that are owed are nobody's */
bool mon_tick_installed(void);						/* still */
bool mon_tick_keep(const struct sigaction *act, struct sigaction *old); /* false: the signal is not ours */
void mon_tick_install(void);						/* the handler, for either clock */
void mon_tick_wait(void); /* until no handler is under way that began before */

/* ---- monitor.c: the profile; every function wants the lock held ---- */
void mon_profile_auto(void);   /* the default profile of the whole text, unless one runs already */
void mon_profile_end(void);    /* stop and write, if this process has a profile */
void mon_profile_forked(void); /* in a fork child: begin again from nothing, if one ran */

/* ---- control.c: environment variables ---- */
void mon_control_help(void);
void mon_control_signal(void);
bool mon_control_starts_off(void);
void mon_toggle(void); /* monitor.c: suspend the running profile, or resume it */

/* ---- interpose.c ---- */
void mon_interpose_init(void);

/* ---- classic.c ---- */
struct mon_part {
	const void *data;
	size_t size;
};
void mon_classic_write(const struct mon_part *part, size_t npart);

/* ---- arch/ ---- */
void mon_arch_init(void);

#endif
