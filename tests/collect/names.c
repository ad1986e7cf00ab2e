/* SPDX-License-Identifier: BSD-2-Clause */
/* names.c -- functions of the program's own, called like libmon's or like the system calls it makes.  -D picks them. */
#include "eleven.h"

#define OWN(name)                                                                                                      \
	WHOLE int own_##name(int x) __asm__(#name);                                                                    \
	int own_##name(int x)                                                                                          \
	{                                                                                                              \
		KEEP;                                                                                                  \
		uses++;                                                                                                \
		return x + 1;                                                                                          \
	}
static int uses;

#define OWN_EXPANDED(name) OWN(name)

#if defined ONE
OWN_EXPANDED(ONE)
#define CAT(a, b) a##b
#define NAMED(a)  CAT(own_, a)
#define ALL	  (NAMED(ONE)(0) + 4)
#define USES	  1
#elif defined LIBMON || !(defined SYSTEM || defined SYSTEM_TOO || defined WRITES)
OWN(monitor)
OWN(moncontrol)
OWN(monstartup)
OWN(profil)
OWN(sprofil)
#define ALL own_monitor(own_moncontrol(own_monstartup(own_profil(own_sprofil(0)))))
#elif defined SYSTEM
OWN(open)
OWN(link)
OWN(unlink)
OWN(rename)
OWN(creat)
#define ALL own_open(own_link(own_unlink(own_rename(own_creat(0)))))
#elif defined SYSTEM_TOO
OWN(getpid)
OWN(gettid)
OWN(kill)
OWN(times)
OWN(index)
#define ALL own_getpid(own_gettid(own_kill(own_times(own_index(0)))))
#elif defined WRITES
OWN(close)
OWN(write)
OWN(mmap)
OWN(munmap)
OWN(mremap)
#define ALL own_close(own_write(own_mmap(own_munmap(own_mremap(0)))))
#endif
#ifndef USES
#define USES 5
#endif

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 11; i++)
		sum = f(sum);
	burn();
	if (ALL != 5 || uses != USES)
		return 1;
	printf("%d\n", sum);
	fflush(stdout);
	return uses == USES ? 3 : 2; /* nobody else called them */
}
