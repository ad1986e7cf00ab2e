/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.c -- samples of a thread's task clock, taken by the kernel: into a ring that nobody is woken for, or by a signal.
 *
 * The ring is emptied by the thread's own slow timer (clock.c).  The event lives as long as the mapping does, so a program
 * that closes all its descriptors does not end it; the descriptor is only needed to change the period.
 */
#include "mon_impl.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MON_PERF_REG_PC (1ull << PERF_REG_X86_IP)
#elif defined(__aarch64__)
#define MON_PERF_REG_PC (1ull << PERF_REG_ARM64_PC)
#endif

#define RING_SIZE      (4 * MON_PAGE)  /* 512 samples of 32 bytes; a power of two */
#define FAST_RING_SIZE (16 * MON_PAGE) /* for rates above FAST_HZ */
#define FAST_HZ	       4000
#define HIGH_FD	       100
#define NSEC	       1000000000ull
#define EAGER	       8 /* a new thread is sampled so much faster up to its first drain, or short ones would not be seen */
#define JITTER	       4 /* the rate is drawn anew within +- 1/JITTER, or a program of the same rhythm would be seen askew */

struct mon_ring {
	int fd;
	uint64_t id; /* of the event: tells whether fd is still it */
	int bell;    /* or -1: a timer has the ring emptied */
	uint64_t bell_id;
	void *hold; /* a mapping of the event that signals, so that closing its descriptor does not end it */
	struct perf_event_mmap_page *page;
	size_t size; /* bytes of data behind page */
	unsigned hz;
	bool user_only;
	bool settled;  /* no longer eager, where nobody drains */
	uint32_t busy; /* somebody is emptying it */
	uint32_t random;
	uint64_t seen;	 /* data_head at the thread's own last drain */
	uint64_t period; /* ns */
	uint64_t clock;	 /* the thread's CPU time when it was last looked at; ns */
};

static bool is_event(int fd, uint64_t id)
{
	uint64_t now = 0;
	return fd >= 0 && MON_SYS(ioctl, fd, PERF_EVENT_IOC_ID, &now) == 0 && now == id;
}

/* What an event is for. */
enum purpose { RING, SIGNAL, BELL };

/* No more than a part of the descriptors the program may have. */
static uint32_t nfd;

static bool fd_to_spare(void)
{
	struct rlimit limit;
	return MON_SYS(prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 && nfd < limit.rlim_cur / 4;
}

static int move_high(int fd)
{
	int high = (int)MON_SYS(fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (high < 0)
		return fd;
	MON_SYS(close, fd);
	return high;
}

/* A descriptor, or -1 and errno. */
static int open_event(const struct mon_thread *t, enum purpose purpose, uint64_t period, bool user_only)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
				     .size = sizeof a,
				     .config = PERF_COUNT_SW_TASK_CLOCK,
				     .sample_period = period,
				     .sample_type = PERF_SAMPLE_IP,
				     .exclude_hv = 1,
				     /* A signal from inside execve would meet the new program. */
				     .exclude_kernel = user_only || purpose != RING };
	if (!fd_to_spare()) {
		errno = EMFILE;
		return -1;
	}
	if (purpose == RING) {
		a.watermark = 1;
		a.wakeup_watermark = UINT32_MAX; /* never */
		if (!user_only) {		 /* the user's pc, also of a sample inside a system call */
			a.sample_type |= PERF_SAMPLE_REGS_USER;
			a.sample_regs_user = MON_PERF_REG_PC;
		}
	} else {
		a.wakeup_events = 1;
	}
	int fd = (int)MON_SYS(perf_event_open, &a, (pid_t)t->tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -1;
	nfd++;
	return move_high(fd);
}

static void close_event(int fd, uint64_t id)
{
	if (fd < 0)
		return;
	nfd--;
	if (is_event(fd, id)) /* or the program has closed it, and the number may be a file of its own */
		MON_SYS(close, fd);
}

static bool arrange_signal(int fd, const struct mon_thread *t)
{
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)t->tid };
	return fcntl(fd, F_SETSIG, SIGPROF) == 0 && fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
	       fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

static void *hold_event(int fd)
{
	long p = MON_SYS(mmap, NULL, MON_PAGE, PROT_READ, MAP_SHARED, fd, 0L);
	return p == -1 ? NULL : (void *)p;
}

/* A second event of the same clock, whose signal has the ring emptied: a timer would not notice a thread that runs between
 * two scheduler ticks only. */
static void add_bell(struct mon_ring *r, const struct mon_thread *t)
{
	int fd = open_event(t, BELL, 2 * NSEC / r->hz, r->user_only);
	if (fd < 0)
		return;
	r->bell = fd;
	MON_SYS(ioctl, fd, PERF_EVENT_IOC_ID, &r->bell_id);
	r->hold = hold_event(fd);
	if (arrange_signal(fd, t))
		return;
	close_event(fd, r->bell_id);
	r->bell = -1;
}

struct mon_ring *mon_perf_open(const struct mon_thread *t, enum mon_perf_mode mode, unsigned hz, bool *user_only,
			       int *error)
{
	const enum purpose purpose = mode == MON_PERF_RING ? RING : SIGNAL;
	int fd = open_event(t, purpose, NSEC / hz / EAGER, *user_only);
	if (fd < 0 && !*user_only && (errno == EACCES || errno == EPERM)) {
		*user_only = true;
		fd = open_event(t, purpose, NSEC / hz / EAGER, true);
	}
	*error = errno;
	if (fd < 0)
		return NULL;
	struct mon_ring *r = mon_map(sizeof *r);
	size_t size = hz > FAST_HZ ? FAST_RING_SIZE : RING_SIZE;
	long p = mode == MON_PERF_RING
		     ? MON_SYS(mmap, NULL, size + MON_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L)
		     : 0;
	*error = errno;
	uint64_t id = 0;
	MON_SYS(ioctl, fd, PERF_EVENT_IOC_ID, &id);
	if (!r || p == -1 || (mode == MON_PERF_SIGNAL && !arrange_signal(fd, t))) {
		close_event(fd, id);
		mon_unmap(r, sizeof *r);
		return NULL;
	}
	*r = (struct mon_ring){ .fd = fd,
				.id = id,
				.bell = -1,
				.page = (void *)p,
				.size = size,
				.hz = hz,
				.period = NSEC / hz / EAGER,
				.user_only = *user_only };
	r->random = (uint32_t)t->tid * 2654435761u | 1;
	r->clock = mon_cpu_clock(MON_THREAD_CLOCK(t->tid));
	if (mode == MON_PERF_RING)
		add_bell(r, t);
	else
		r->hold = hold_event(fd);
	return r;
}

bool mon_perf_rings(const struct mon_ring *r)
{
	return r->bell >= 0;
}

void mon_perf_close(struct mon_ring *r)
{
	close_event(r->bell, r->bell_id);
	close_event(r->fd, r->id);
	mon_unmap(r->hold, MON_PAGE);
	if (r->page)
		mon_unmap(r->page, r->size + MON_PAGE);
	mon_unmap(r, sizeof *r);
}

void mon_perf_forked(struct mon_ring *r)
{
	close_event(r->bell, r->bell_id);
	close_event(r->fd, r->id);
	mon_unmap(r, sizeof *r);
}

void mon_perf_run(struct mon_thread *t, bool on)
{
	struct mon_ring *r = t->ring;
	r->clock = mon_cpu_clock(MON_THREAD_CLOCK(t->tid));
	const unsigned long what = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	if (is_event(r->fd, r->id))
		MON_SYS(ioctl, r->fd, what, 0);
	if (is_event(r->bell, r->bell_id))
		MON_SYS(ioctl, r->bell, what, 0);
}

static uint32_t draw(struct mon_ring *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 17;
	r->random ^= r->random << 5;
	return r->random;
}

static void change_period(struct mon_ring *r)
{
	uint64_t span = 2 * r->hz / JITTER + 1, rate = r->hz - r->hz / JITTER + draw(r) % span, period;
	r->period = period = NSEC / (rate ? rate : 1);
	if (is_event(r->fd, r->id))
		MON_SYS(ioctl, r->fd, PERF_EVENT_IOC_PERIOD, &period);
	if (r->settled || !is_event(r->bell, r->bell_id))
		return;
	r->settled = true; /* the first drain comes early */
	period = NSEC / MON_DRAIN_HZ;
	MON_SYS(ioctl, r->bell, PERF_EVENT_IOC_PERIOD, &period);
}

static uint64_t word_at(const struct mon_ring *r, uint64_t offset)
{
	uint64_t w;
	mon_copy(&w, (const char *)r->page + MON_PAGE + (offset & (r->size - 1)), sizeof w);
	return w;
}

struct span {
	uint64_t from, to;
};

static struct span contents(const struct mon_ring *r)
{
	return (struct span){ r->page->data_tail, __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE) };
}

/* The next sample's pc; false at the end. */
static bool next_sample(const struct mon_ring *r, struct span *s, uintptr_t *pc)
{
	while (s->from < s->to) {
		struct perf_event_header h;
		uint64_t at = s->from, w = word_at(r, at);
		mon_copy(&h, &w, sizeof h);
		s->from = h.size < sizeof h ? s->to : at + h.size;
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		*pc = word_at(r, at + sizeof h);
		if (h.size >= sizeof h + 3 * sizeof w && word_at(r, at + sizeof h + sizeof w)) /* abi */
			*pc = word_at(r, at + sizeof h + 2 * sizeof w);
		return true;
	}
	return false;
}

static uint64_t count_samples(const struct mon_ring *r, struct span s)
{
	uint64_t n = 0;
	uintptr_t pc;
	while (next_sample(r, &s, &pc))
		n++;
	return n;
}

/* ns of the thread's time that the n samples of this batch stand for.  Where the kernel is sampled, too, it is the CPU time
 * that has passed; otherwise the samples' own periods, and half a one for what is cut off each time a new period is set. */
static uint64_t passed_time(const struct mon_thread *t, uint64_t n, bool own)
{
	struct mon_ring *r = t->ring;
	if (r->user_only)
		return n ? n * r->period + (own ? r->period / 2 : 0) : 0;
	uint64_t now = mon_cpu_clock(MON_THREAD_CLOCK(t->tid)), before = r->clock;
	r->clock = now;
	return now > before && before ? now - before : 0;
}

/* How many ticks the n samples of this batch are to stand for.  A change of period begins a new one, so the samples alone
 * would be too few; a new thread's are too many. */
static uint64_t due_ticks(struct mon_thread *t, uint64_t n, bool own)
{
	struct mon_ring *r = t->ring;
	uint64_t most = 2 * n + 2;
	t->clock_owed += passed_time(t, n, own);
	if (n == 0)
		return 0;
	uint64_t due = t->clock_owed / (NSEC / r->hz);
	t->clock_owed %= NSEC / r->hz;
	if (due > most) {
		__atomic_fetch_add(&mon_clock->lost, due - most, __ATOMIC_RELAXED);
		__atomic_fetch_add(&mon_clock->ticks, due - most, __ATOMIC_RELAXED);
		due = most;
	}
	return due;
}

/* Give each of the n samples its part of the ticks: all the same, and what is left over to some drawn at random. */
static void spread(struct mon_ring *r, struct span s, uint64_t n, uint64_t ticks)
{
	uintptr_t pc;
	while (n > 0 && next_sample(r, &s, &pc)) {
		uint64_t share = ticks / n + (draw(r) % n < ticks % n);
		if (share)
			mon_bins_tick(pc, share);
		ticks -= share;
		n--;
	}
}

bool mon_perf_moved(struct mon_ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), before = r->seen;
	r->seen = head;
	return head != before;
}

void mon_perf_settle(struct mon_ring *r)
{
	if (r->settled)
		return;
	change_period(r);
	r->settled = true;
}

uint64_t mon_perf_drain(struct mon_thread *t, bool keep, bool own)
{
	struct mon_ring *r = t->ring;
	uint64_t ticks = 0;
	if (!r->page || __atomic_exchange_n(&r->busy, 1, __ATOMIC_ACQUIRE))
		return 0;
	const struct span s = contents(r);
	if (keep) {
		uint64_t n = count_samples(r, s);
		ticks = due_ticks(t, n, own);
		spread(r, s, n, ticks);
	}
	__atomic_store_n(&r->page->data_tail, s.to, __ATOMIC_RELEASE);
	if (own)
		change_period(r);
	__atomic_store_n(&r->busy, 0, __ATOMIC_RELEASE);
	return ticks;
}
