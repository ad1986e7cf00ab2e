/* SPDX-License-Identifier: BSD-2-Clause */
/* tick.c -- the clock: one CPU-time timer per thread, whose signal puts the interrupted pc into the histograms.
 *
 * A thread's timer runs on that thread's CPU time and its signal goes to that thread, so a thread that sleeps or waits is
 * never disturbed, and busy threads are sampled alike.  The handler takes no lock: it reads the histograms through one
 * pointer, and whoever takes a histogram away waits until no handler is under way.
 */
#include "bin.h"
#include "mon_impl.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NSEC_PER_TICK (1000000000L / MON_CLASSIC_HZ)

extern int __sigaction(int, const struct sigaction *, struct sigaction *);

bool mon_tick_refused;

static const struct mon_hists *published[MON_NUSER];
static struct sigaction before; /* SIGPROF's action when we came */
static char cookie;		/* its address marks our own timers */

#if defined(__x86_64__)
#define CONTEXT_PC(uc) ((uintptr_t)(uc)->uc_mcontext.gregs[REG_RIP])
#elif defined(__aarch64__)
#define CONTEXT_PC(uc) ((uintptr_t)(uc)->uc_mcontext.pc)
#endif

static bool wanted(void)
{
	return __atomic_load_n(&published[MON_USER_MONITOR], __ATOMIC_SEQ_CST) ||
	       __atomic_load_n(&published[MON_USER_PROFIL], __ATOMIC_SEQ_CST);
}

static void count_tick(const struct mon_hists *hists, uintptr_t pc, uint32_t ticks)
{
	size_t bin;
	for (size_t i = 0; i < hists->n; i++)
		if (mon_bin_find(&hists->hist[i], pc, &bin)) {
			mon_bin_add(&hists->hist[i], bin, ticks);
			return;
		}
	if (hists->spill)
		mon_bin_add(hists->spill, 0, ticks);
}

/* SIGPROF that is not ours goes where it would have gone without us. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	if (before.sa_handler == SIG_IGN)
		return;
	if (before.sa_handler == SIG_DFL) { /* it ends the program, as soon as this handler returns */
		__sigaction(sig, &before, NULL);
		syscall(SYS_tgkill, syscall(SYS_getpid), mon_tid(), sig);
	} else if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(sig, info, context);
	} else {
		before.sa_handler(sig);
	}
}

uint64_t mon_cpu_clock(clockid_t clock)
{
	struct timespec t = { 0, 0 };
	syscall(SYS_clock_gettime, clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The CPU time of t that has passed unseen is owed to it. */
static void look_at_clock(struct mon_thread *t, clockid_t clock)
{
	uint64_t now = mon_cpu_clock(clock);
	if (now > t->since) /* a clock that cannot be read, of a thread that is gone, is 0 */
		t->owed += now - t->since;
	t->since = now;
}

/* The kernel notices an expired timer at the scheduler's tick only, so what has passed is read from the clock: nothing is
 * lost between expiry and notice, and what is short of a tick is carried on. */
static void count_own_ticks(struct mon_thread *t, uintptr_t pc)
{
	look_at_clock(t, CLOCK_THREAD_CPUTIME_ID);
	uint32_t ticks = (uint32_t)(t->owed / NSEC_PER_TICK);
	t->owed %= NSEC_PER_TICK;
	for (int u = 0; u < MON_NUSER && ticks; u++) {
		const struct mon_hists *hists = __atomic_load_n(&published[u], __ATOMIC_SEQ_CST);
		if (hists)
			count_tick(hists, pc, ticks);
	}
}

static bool is_ours(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &cookie;
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	int saved = errno;
	uintptr_t pc = CONTEXT_PC((const ucontext_t *)context);
	struct mon_thread *t = mon_tls.self;
	bool theirs = false;
	__atomic_fetch_add(&mon_ctl.handlers, 1, __ATOMIC_SEQ_CST);
	if (!is_ours(info))
		theirs = !mon_clock_signal(info, pc);
	else if (wanted() && t && t->ticking)
		count_own_ticks(t, pc);
	__atomic_fetch_sub(&mon_ctl.handlers, 1, __ATOMIC_SEQ_CST);
	if (theirs)
		pass_on(sig, info, context);
	errno = saved;
}

static void set_timer(const struct mon_thread *t, long first)
{
	const struct itimerspec its = { { 0, first ? NSEC_PER_TICK : 0 }, { 0, first } };
	syscall(SYS_timer_settime, t->timer, 0, &its, NULL);
}

/* What a thread, or a phase, had left short of a tick is carried on to the next, so that the shortest get their share. */
static void start_ticking(struct mon_thread *t)
{
	t->since = mon_cpu_clock(MON_THREAD_CLOCK(t->tid));
	__atomic_store_n(&t->ticking, true, __ATOMIC_RELEASE); /* a late signal may look at once */
	set_timer(t, t->owed < NSEC_PER_TICK ? NSEC_PER_TICK - (long)t->owed : 1);
}

static void stop_ticking(struct mon_thread *t)
{
	if (!t->ticking)
		return;
	t->ticking = false;
	set_timer(t, 0);
	look_at_clock(t, MON_THREAD_CLOCK(t->tid));
}

void mon_tick_attach(struct mon_thread *t)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	if (!wanted() || t->timer >= 0)
		return;
	event.sigev_value.sival_ptr = &cookie;
	event._sigev_un._tid = (pid_t)t->tid;
	if (syscall(SYS_timer_create, MON_THREAD_CLOCK(t->tid), &event, &t->timer) == 0) {
		start_ticking(t);
	} else {
		t->timer = -1;
		mon_tick_refused = true;
	}
}

void mon_tick_detach(struct mon_thread *t)
{
	if (t->timer < 0)
		return;
	stop_ticking(t);
	syscall(SYS_timer_delete, t->timer);
	t->timer = -1;
}

void mon_tick_forgive(struct mon_thread *t)
{
	t->owed %= NSEC_PER_TICK;
}

static bool installed(struct sigaction *now)
{
	return __sigaction(SIGPROF, NULL, now) == 0 && now->sa_sigaction == on_tick;
}

bool mon_tick_installed(void)
{
	struct sigaction now;
	return installed(&now);
}

/* What the program asks for SIGPROF, while it is ours: kept, and the previous wish is told. */
bool mon_tick_keep(const struct sigaction *act, struct sigaction *old)
{
	const struct sigaction was = before;
	if (!mon_tick_installed())
		return false;
	if (act)
		before = *act;
	if (old)
		*old = was;
	return true;
}

/* Each time the clock starts: the program may have taken the signal for itself in between. */
void mon_tick_install(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK }, now;
	act.sa_sigaction = on_tick;
	sigfillset(&act.sa_mask);
	if (!installed(&now)) {
		before = now;
		__sigaction(SIGPROF, &act, NULL);
	}
}

static void start_all(void)
{
	for (struct mon_thread *t = mon_threads; t; t = t->next)
		if (t->timer >= 0)
			start_ticking(t);
		else if (t->tid)
			mon_tick_attach(t);
}

static void stop_all(void)
{
	for (struct mon_thread *t = mon_threads; t; t = t->next)
		stop_ticking(t);
}

void mon_tick_wait(void)
{
	const struct timespec moment = { 0, 50000 }; /* a yield gives nothing to a thread of lower priority */
	while (__atomic_load_n(&mon_ctl.handlers, __ATOMIC_SEQ_CST) != 0)
		syscall(SYS_nanosleep, &moment, NULL);
}

void mon_tick_publish(enum mon_user user, const struct mon_hists *hists)
{
	bool ran = wanted();
	if (hists && !ran)
		mon_tick_install();
	__atomic_store_n(&published[user], hists, __ATOMIC_SEQ_CST);
	mon_tick_wait();
	if (!ran && wanted())
		start_all();
	else if (ran && !wanted())
		stop_all();
	if (hists)
		mon_thread_attach();
}
