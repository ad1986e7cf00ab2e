/* SPDX-License-Identifier: BSD-2-Clause */
/* autostart.c -- how a program gets its profile without asking: gcrt1.o of cc -p, libmon.so preloaded, or objects compiled
 * with -p in a program linked without it. */
#include "mon_impl.h"

#include <stdlib.h>
#include <string.h>

static bool tried, ended; /* each only once */

/* The preloaded library starts at once; a linked one waits for the program to call something compiled with -p. */
static bool preloaded(void)
{
	const char *list = getenv("LD_PRELOAD");
	return list && strstr(list, "libmon.so");
}

static void start_now(void)
{
	struct mon_guard g;
	tried = true;
	mon_interpose_init();
	mon_enter(&g);
	mon_profile_auto();
	mon_leave(&g);
}

/* Early, so that constructors written in C++ are counted; mcount does nothing before. */
__attribute__((constructor(101))) static void boot(void)
{
	const char *dir = getenv("PROFDIR");
	mon_arch_init();
	mon_text_init();
	mon_loaded_init();
	mon_interpose_init();
	mon_control_help();
	if (tried || ended || mon_secure() || (dir && !*dir))
		return;
	if (preloaded())
		start_now();
	else
		mon_armed = 1;
}

static void end(void)
{
	struct mon_guard g;
	if (!mon_ctl.here) /* nothing ever ran, or this is a fork child that has nothing to say */
		return;
	mon_enter(&g);
	ended = true;
	if (!mon_ctl.alive)
		mon_armed = 0;
	mon_profile_end();
	mon_leave(&g);
}

/* Late: after the destructors of everything that was initialised after us. */
__attribute__((destructor(101))) static void at_end(void)
{
	end();
}

/* gcrt1.o calls these; the text range is known better from the program headers than from its arguments. */
MON_API void __monstartup(unsigned long lowpc, unsigned long highpc);
MON_API void _mcleanup(void);

void __monstartup(unsigned long lowpc, unsigned long highpc)
{
	(void)lowpc;
	(void)highpc;
	mon_arch_init();
	mon_text_init();
	mon_loaded_init();
	start_now();
}

void _mcleanup(void)
{
	end();
}
