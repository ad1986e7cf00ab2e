/* SPDX-License-Identifier: BSD-2-Clause */
/* prog.h -- what the profiled test programs share: work of a known amount, CPU clocks, files. */
#ifndef PROG_H
#define PROG_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One function stays one function, and a call of it a call. */
#ifdef __clang__
#define WHOLE __attribute__((noinline, used))
#else
#define WHOLE __attribute__((noipa, used))
#endif
#ifdef __cplusplus
#define PLAIN WHOLE /* a static function's name would be mangled */
#else
#define PLAIN static WHOLE
#endif
#define KEEP __asm__ volatile("" ::: "memory")

/* Time in proportion to n and to nothing else: each turn waits for the one before. */
#define WORK(n)                                                                                                        \
	do {                                                                                                           \
		unsigned long left_ = (n), v_ = left_;                                                                 \
		while (left_--) {                                                                                      \
			v_ = v_ * 2862933555777941757UL + 3037000493UL;                                                \
			__asm__ volatile("" : "+r"(v_));                                                               \
		}                                                                                                      \
	} while (0)
#define MS 600000UL /* turns that take about a millisecond */

/* Neither is instrumented: they run where calls are counted to the last one. */
#define UNSEEN __attribute__((no_instrument_function, unused)) static

UNSEEN double clock_seconds(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
#define THREAD_CPU()  clock_seconds(CLOCK_THREAD_CPUTIME_ID)
#define PROCESS_CPU() clock_seconds(CLOCK_PROCESS_CPUTIME_ID)
#define WALL()	      clock_seconds(CLOCK_MONOTONIC)

#endif
