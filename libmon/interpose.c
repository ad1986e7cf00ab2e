/* SPDX-License-Identifier: BSD-2-Clause */
/* interpose.c -- functions of the C library that the program must not call behind our back.
 *
 * sigaction, signal: SIGPROF stays ours while a clock runs.  What the program wants done with that signal is kept and done
 * (tick.c passes on what is not ours); it is never told a lie about its own handler.
 * dlclose: ticks and ids of the code that goes away are seen to before its addresses can become another object's.
 */
#include "mon_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>

typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);
typedef void (*handler_fn)(int);
typedef handler_fn signal_fn(int, handler_fn);
typedef int dlclose_fn(void *);

extern sigaction_fn __sigaction;
extern signal_fn bsd_signal; /* the same as signal */
#pragma weak dlsym

static sigaction_fn *real_sigaction = __sigaction;
static signal_fn *real_signal = bsd_signal;
static dlclose_fn *real_dlclose;

/* Through what else stands between the program and the C library, such as a sanitizer. */
void mon_interpose_init(void)
{
	void *p;
	if (!dlsym)
		return;
	if ((p = dlsym(RTLD_NEXT, "sigaction")))
		*(void **)&real_sigaction = p;
	if ((p = dlsym(RTLD_NEXT, "signal")))
		*(void **)&real_signal = p;
	*(void **)&real_dlclose = dlsym(RTLD_NEXT, "dlclose");
}

/* A fork child that has nothing to say yet is not made to by this: it often resets all signals before exec. */
static bool keep(const struct sigaction *act, struct sigaction *old)
{
	struct mon_guard g;
	if (!mon_ctl.here)
		return mon_tick_keep(act, old);
	mon_enter(&g);
	bool kept = mon_tick_keep(act, old);
	mon_leave(&g);
	return kept;
}

static int mon_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	return sig == SIGPROF && keep(act, old) ? 0 : real_sigaction(sig, act, old);
}

static handler_fn mon_signal(int sig, handler_fn handler)
{
	struct sigaction act = { .sa_flags = SA_RESTART }, old;
	act.sa_handler = handler;
	sigemptyset(&act.sa_mask);
	return sig == SIGPROF && handler != SIG_ERR && keep(&act, &old) ? old.sa_handler : real_signal(sig, handler);
}

static void around_close(void (*what)(void))
{
	struct mon_guard g;
	if (!mon_ctl.here || !mon_clock)
		return;
	mon_enter(&g);
	if (mon_clock)
		what();
	mon_leave(&g);
}

static int mon_dlclose(void *handle)
{
	around_close(mon_clock_drain);
	int result = real_dlclose ? real_dlclose(handle) : 0; /* a static program: the object stays */
	around_close(mon_object_check);
	return result;
}

MON_API sigaction_fn sigaction __attribute__((weak, alias("mon_sigaction")));
MON_API signal_fn signal __attribute__((weak, alias("mon_signal")));
MON_API dlclose_fn dlclose __attribute__((weak, alias("mon_dlclose")));
