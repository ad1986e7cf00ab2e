/* SPDX-License-Identifier: BSD-2-Clause */
/* step.c -- a signal after each single instruction of a counted call: step N.  After the Nth instruction of the second
 * call of f the handler calls 2200 functions for the first time, so that whatever the counts live in must grow then.
 * Prints the number of instructions that the call took.
 */
#include "prog.h"

#include <ucontext.h>

#define TRAP_FLAG 0x100

extern int (*const many[])(int);
extern const int nmany;
static volatile int step, when;

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

__attribute__((no_instrument_function)) static void on_step(int sig)
{
	(void)sig;
	if (++step == when)
		for (int i = 0; i < nmany; i++)
			many[i](i);
}

int main(int argc, char **argv)
{
	when = argc > 1 ? atoi(argv[1]) : 0;
	struct sigaction act = { .sa_handler = on_step };
	sigaction(SIGTRAP, &act, NULL);
	f(0);
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" ::"i"(TRAP_FLAG) : "memory", "cc");
	f(0);
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq" ::"i"(~TRAP_FLAG) : "memory", "cc");
	printf("steps %d\n", step);
	return 0;
}
