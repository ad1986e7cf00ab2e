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

static int mon_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct mon_guard g;
	if (sig != SIGPROF)
		return real_sigaction(sig, act, old);
	mon_enter(&g);
	bool kept = mon_tick_keep(act, old);
	mon_leave(&g);
	return kept ? 0 : real_sigaction(sig, act, old);
}

static handler_fn mon_signal(int sig, handler_fn handler)
{
	struct sigaction act = { .sa_flags = SA_RESTART }, old;
	struct mon_guard g;
	if (sig != SIGPROF || handler == SIG_ERR)
		return real_signal(sig, handler);
	act.sa_handler = handler;
	sigemptyset(&act.sa_mask);
	mon_enter(&g);
	bool kept = mon_tick_keep(&act, &old);
	mon_leave(&g);
	return kept ? old.sa_handler : real_signal(sig, handler);
}

static int mon_dlclose(void *handle)
{
	struct mon_guard g;
	mon_enter(&g);
	if (mon_clock)
		mon_clock_drain();
	mon_leave(&g);
	int result = real_dlclose ? real_dlclose(handle) : 0; /* a static program: the object stays */
	mon_enter(&g);
	if (mon_clock)
		mon_object_check();
	mon_leave(&g);
	return result;
}

MON_API sigaction_fn sigaction __attribute__((weak, alias("mon_sigaction")));
MON_API signal_fn signal __attribute__((weak, alias("mon_signal")));
MON_API dlclose_fn dlclose __attribute__((weak, alias("mon_dlclose")));
