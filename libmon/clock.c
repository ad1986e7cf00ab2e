/* SPDX-License-Identifier: BSD-2-Clause */
/* clock.c -- the clock of an automatic profile: the best the machine allows, per thread, and which that was.
 *
 * perf: the kernel samples the thread's task clock into a ring, and a slow CPU-time timer of the thread empties it; when a
 * ring has been silent though its thread worked, the timer itself becomes the clock.  perf-signal: a signal per sample.
 * timer: a CPU-time timer per thread, on the scheduler's tick only.  itimer: one for the process.  None of them ticks
 * while a thread waits.
 */
#include "mon_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_HZ    250
#define SILENT_DRAINS 5 /* in a row without a sample: the kernel no longer takes any */
#define NSEC	      1000000000ull

struct monfmt_clock *mon_clock;

static const struct method {
	const char *name;
	enum monfmt_method id;
	unsigned flags;
	unsigned drain_hz; /* of the timer; 0: the timer is the clock */
	bool perf;
	enum mon_perf_mode mode;
} methods[] = {
	{ "perf", MONFMT_PERF, 0, MON_DRAIN_HZ, true, MON_PERF_RING },
	{ "perf-signal", MONFMT_PERF_SIGNAL, 0, 0, true, MON_PERF_SIGNAL },
	{ "timer", MONFMT_TIMER, MONFMT_C_TICK_BOUND, 0, false, 0 },
	{ "itimer", MONFMT_ITIMER, MONFMT_C_TICK_BOUND, 0, false, 0 },
};

static const struct method *method;
static unsigned hz;
static bool user_only;
static bool running;
static char cookie; /* its address marks our timers */

static unsigned asked(void)
{
	const char *s = getenv("MONHZ");
	unsigned n = 0;
	for (; s && *s >= '0' && *s <= '9' && n <= 10000; s++)
		n = n * 10 + (unsigned)(*s - '0');
	return !s || *s || n < 1 || n > 10000 ? DEFAULT_HZ : n;
}

/* Without a ring the timer is the clock, and the rules of tick.c hold. */
static bool timer_is_clock(const struct mon_thread *t)
{
	return !t->ring || t->ring_dead;
}

static void look_at_clock(struct mon_thread *t, clockid_t clock)
{
	uint64_t now = mon_cpu_clock(clock);
	if (now > t->clock_since)
		t->clock_owed += now - t->clock_since;
	t->clock_since = now;
}

static void set_timer(struct mon_thread *t, unsigned rate)
{
	const uint64_t nsec = rate ? NSEC / rate : 0;
	uint64_t first = rate ? 2 * NSEC / hz : 0; /* the first drain of a ring comes early: see perf.c */
	if (t->clock_timer < 0)
		return;
	if (timer_is_clock(t)) {
		if (rate)
			t->clock_since = mon_cpu_clock(MON_THREAD_CLOCK(t->tid));
		else
			look_at_clock(t, MON_THREAD_CLOCK(t->tid));
		first = !rate ? 0 : t->clock_owed < nsec ? nsec - t->clock_owed : 1;
	}
	const struct itimerspec its = { { (time_t)(nsec / NSEC), (long)(nsec % NSEC) },
					{ (time_t)(first / NSEC), (long)(first % NSEC) } };
	MON_SYS(timer_settime, t->clock_timer, 0, &its, NULL);
}

static unsigned timer_rate(const struct mon_thread *t)
{
	if (method->id == MONFMT_ITIMER || (method->id == MONFMT_PERF_SIGNAL && t->ring))
		return 0;
	if (timer_is_clock(t))
		return hz;
	return mon_perf_rings(t->ring) ? 0 : method->drain_hz;
}

static void make_timer(struct mon_thread *t)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	event.sigev_value.sival_ptr = &cookie;
	event._sigev_un._tid = (pid_t)t->tid;
	if (t->clock_timer < 0 && MON_SYS(timer_create, MON_THREAD_CLOCK(t->tid), &event, &t->clock_timer) < 0)
		t->clock_timer = -1;
	set_timer(t, timer_rate(t));
}

void mon_clock_attach(struct mon_thread *t)
{
	int error;
	if (!mon_clock || !running || !t->tid || t->clocked)
		return;
	t->clocked = true;
	if (method->perf)
		t->ring = mon_perf_open(t, method->mode, hz, &user_only, &error);
	if (user_only)
		mon_clock->flags |= MONFMT_C_USER_ONLY;
	if (method->perf && !t->ring)
		mon_clock->flags |= MONFMT_C_TICK_BOUND;
	t->ring_dead = false;
	t->silent = 0;
	t->clock_since = mon_cpu_clock(MON_THREAD_CLOCK(t->tid));
	if (timer_rate(t))
		make_timer(t);
}

void mon_clock_detach(struct mon_thread *t)
{
	struct mon_ring *r = t->ring;
	if (!t->clocked)
		return;
	t->clocked = false;
	if (method->id == MONFMT_PERF_SIGNAL)
		look_at_clock(t, MON_THREAD_CLOCK(t->tid));
	if (t->clock_timer >= 0) {
		set_timer(t, 0);
		MON_SYS(timer_delete, t->clock_timer);
		t->clock_timer = -1;
	}
	if (r) {
		if (!t->ring_dead)
			mon_clock_count(t, mon_perf_drain(t, running, t == mon_tls.self));
		__atomic_store_n(&t->ring, NULL, __ATOMIC_SEQ_CST);
		mon_perf_close(r);
	}
}

void mon_clock_forgive(struct mon_thread *t)
{
	if (hz)
		t->clock_owed %= NSEC / hz;
}

void mon_clock_count(struct mon_thread *t, uint64_t ticks)
{
	if (t && t->record)
		__atomic_fetch_add(&t->record->ticks, ticks, __ATOMIC_RELAXED);
}

/* The method that works here: the one asked for if it does, else the first. */
static const struct method *choose(struct mon_thread *t)
{
	const char *want = getenv("MONCLOCK");
	int error;
	for (size_t pass = want ? 0 : 1; pass < 2; pass++)
		for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
			struct mon_ring *r = NULL;
			if (pass == 0 && strcmp(want, methods[i].name) != 0)
				continue;
			if (methods[i].perf && !(r = mon_perf_open(t, methods[i].mode, hz, &user_only, &error)))
				continue;
			if (r)
				mon_perf_close(r);
			return &methods[i];
		}
	return &methods[2];
}

/* The process's CPU time that no tick stands for yet; one handler at a time looks. */
static char process_cookie;
static uint64_t process_since, process_owed;
static uint32_t process_busy;

static uint64_t process_ticks(void)
{
	uint64_t n = 0;
	if (__atomic_exchange_n(&process_busy, 1, __ATOMIC_ACQUIRE))
		return 0;
	uint64_t now = mon_cpu_clock(CLOCK_PROCESS_CPUTIME_ID);
	process_owed += now > process_since ? now - process_since : 0;
	process_since = now;
	n = process_owed / (NSEC / hz);
	process_owed %= NSEC / hz;
	__atomic_store_n(&process_busy, 0, __ATOMIC_RELEASE);
	return n;
}

/* A timer of the process's CPU time: unlike setitimer's it ends with exec. */
static void set_process_timer(bool on)
{
	static int timer = -1;
	static long maker; /* the process that has it */
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
	const uint64_t nsec = on ? NSEC / hz : 0;
	const struct timespec period = { (time_t)(nsec / NSEC), (long)(nsec % NSEC) };
	const struct itimerspec its = { period, period };
	if (method->id != MONFMT_ITIMER)
		return;
	event.sigev_value.sival_ptr = &process_cookie;
	if (maker != syscall(SYS_getpid) && MON_SYS(timer_create, CLOCK_PROCESS_CPUTIME_ID, &event, &timer) < 0)
		return;
	maker = syscall(SYS_getpid);
	if (!on)
		process_owed += mon_cpu_clock(CLOCK_PROCESS_CPUTIME_ID) - process_since;
	process_since = mon_cpu_clock(CLOCK_PROCESS_CPUTIME_ID);
	process_busy = 0;
	MON_SYS(timer_settime, timer, 0, &its, NULL);
}

bool mon_clock_open(void)
{
	mon_clock = mon_live_section(MONFMT_CLOCK, 0, sizeof *mon_clock);
	struct mon_thread *t = mon_clock ? mon_thread_attach() : NULL;
	if (!t)
		return false;
	hz = asked();
	method = choose(t);
	mon_clock->method = method->id;
	mon_clock->hz = hz;
	mon_clock->flags = method->flags | (user_only ? MONFMT_C_USER_ONLY : 0);
	mon_tick_install();
	mon_clock_run(true);
	return true;
}

/* Where no timer is set: time while suspended is not owed. */
static void look_or_begin(struct mon_thread *t, bool on)
{
	if (on)
		t->clock_since = mon_cpu_clock(MON_THREAD_CLOCK(t->tid));
	else
		look_at_clock(t, MON_THREAD_CLOCK(t->tid));
}

void mon_clock_run(bool on)
{
	running = on;
	set_process_timer(on);
	for (struct mon_thread *t = mon_threads; t; t = t->next) {
		if (t->ring && !t->ring_dead) {
			mon_clock_count(t, mon_perf_drain(t, !on, false)); /* the period goes on where it stopped */
			mon_perf_run(t, on);
		}
		if (t->clocked && method->id == MONFMT_PERF_SIGNAL)
			look_or_begin(t, on);
		if (t->clocked)
			set_timer(t, on ? timer_rate(t) : 0);
		else if (on)
			mon_clock_attach(t);
	}
}

void mon_clock_forked(void)
{
	running = false;
	mon_clock = NULL;
	for (struct mon_thread *t = mon_threads; t; t = t->next)
		if (t->ring)
			mon_perf_forked(t->ring);
}

void mon_clock_drain(void)
{
	for (struct mon_thread *t = mon_threads; t; t = t->next)
		if (t->ring && !t->ring_dead)
			mon_clock_count(t, mon_perf_drain(t, running, t == mon_tls.self));
}

/* CPU time that no tick ever met: nobody can say where it went. */
static void lose(uint64_t ticks)
{
	mon_clock->lost += ticks;
	mon_clock->ticks += ticks;
}

void mon_clock_close(void)
{
	mon_clock_run(false);
	mon_tick_wait();
	for (struct mon_thread *t = mon_threads; t; t = t->next) {
		mon_clock_detach(t);
		lose(t->clock_owed / (NSEC / hz));
	}
	mon_clock = NULL;
}

/* The ring gave nothing although its thread has used CPU time for some drains: sample with the timer from now on. */
static void watch(struct mon_thread *t)
{
	t->silent = mon_perf_moved(t->ring) || user_only ? 0 : t->silent + 1;
	if (t->silent < SILENT_DRAINS)
		return;
	mon_perf_run(t, false);
	t->ring_dead = true;
	mon_clock->flags |= MONFMT_C_TICK_BOUND;
	set_timer(t, hz);
}

/* What the CPU clock says has passed, in ticks at pc. */
static uint64_t count_passed(struct mon_thread *t, uintptr_t pc)
{
	look_at_clock(t, CLOCK_THREAD_CPUTIME_ID);
	uint64_t n = t->clock_owed / (NSEC / hz);
	t->clock_owed %= NSEC / hz;
	if (n)
		mon_bins_tick(pc, n);
	return n;
}

static uint64_t on_timer(struct mon_thread *t, uintptr_t pc)
{
	if (timer_is_clock(t))
		return count_passed(t, pc);
	uint64_t n = mon_perf_drain(t, true, true);
	watch(t);
	return n;
}

static uint64_t on_sample(struct mon_thread *t, uintptr_t pc)
{
	if (method->id == MONFMT_PERF)
		return t->ring && !t->ring_dead ? mon_perf_drain(t, true, true) : 0; /* its bell */
	if (t->ring)
		mon_perf_settle(t->ring);
	return count_passed(t, pc);
}

static uint64_t on_process_tick(uintptr_t pc)
{
	uint64_t n = process_ticks();
	if (n)
		mon_bins_tick(pc, n);
	return n;
}

/* ---- a fork child that nobody has set up yet ---- */

#define WATCH_NSEC 10000000 /* of CPU time */

static char watch_cookie;

void mon_clock_watch(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	const struct itimerspec its = { { 0, 0 }, { 0, WATCH_NSEC } };
	int timer;
	event.sigev_value.sival_ptr = &watch_cookie;
	event._sigev_un._tid = (pid_t)mon_tid();
	if (MON_SYS(timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0)
		MON_SYS(timer_settime, timer, 0, &its, NULL);
}

static void notice_child(void)
{
	struct mon_guard g;
	mon_enter(&g);
	if (mon_ctl.alive)
		mon_thread_attach();
	mon_leave(&g);
}

bool mon_clock_signal(const siginfo_t *info, uintptr_t pc)
{
	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &watch_cookie) {
		if (!mon_ctl.here)
			notice_child();
		return true;
	}
	struct mon_thread *t = mon_tls.self;
	bool timer = info->si_code == SI_TIMER && info->si_value.sival_ptr == &cookie;
	/* No mark comes with a sample: once this clock has run, a late signal of it must not reach the program. */
	bool sample = info->si_code == POLL_IN && method && method->perf;
	bool itimer = info->si_code == SI_TIMER && info->si_value.sival_ptr == &process_cookie;
	if (!timer && !sample && !itimer)
		return false;
	if (!running || !mon_clock || (!itimer && !t))
		return true;
	mon_clock_count(t, timer ? on_timer(t, pc) : sample ? on_sample(t, pc) : on_process_tick(pc));
	return true;
}
