/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.c -- pthread_create, so that every thread of an automatic profile is sampled from its first instruction, also one
 * that never runs a function compiled with -p.
 *
 * The C library's own function is found behind this one: by the dynamic linker, or in a static program under its reserved
 * name, which thrd_create brings along.
 */
#include "mon_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

extern create __pthread_create __attribute__((weak));
#pragma weak dlsym

/* A reference, so that a static program has it. */
__attribute__((used)) static int (*const bring_along)(thrd_t *, thrd_start_t, void *) = thrd_create;

/* What a new thread is to do. */
struct start {
	struct start *next; /* unused ones */
	void *(*run)(void *);
	void *arg;
};

static struct start *unused;

static create *find_create(void)
{
	static create *found;
	if (found)
		return found;
	if (__pthread_create)
		found = __pthread_create;
	else if (dlsym)
		*(void **)&found = dlsym(RTLD_NEXT, "pthread_create");
	return found;
}

static struct start *new_start(void *(*run)(void *), void *arg)
{
	struct mon_guard g;
	mon_enter(&g);
	struct start *s = unused;
	if (s)
		unused = s->next;
	else
		s = mon_keep(sizeof *s);
	if (s)
		*s = (struct start){ NULL, run, arg };
	mon_leave(&g);
	return s;
}

static void give_back(struct start *s)
{
	struct mon_guard g;
	mon_enter(&g);
	s->next = unused;
	unused = s;
	mon_leave(&g);
}

static void *begin(void *arg)
{
	struct mon_guard g;
	struct start *s = arg;
	void *(*run)(void *) = s->run;
	void *run_arg = s->arg;
	mon_enter(&g);
	s->next = unused;
	unused = s;
	if (mon_clock)
		mon_thread_attach();
	mon_leave(&g);
	return run(run_arg);
}

static int mon_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	create *real = find_create();
	if (!real)
		return EAGAIN;
	struct start *s = mon_clock ? new_start(run, arg) : NULL;
	if (!s)
		return real(thread, attr, run, arg);
	int error = real(thread, attr, begin, s);
	if (error)
		give_back(s);
	return error;
}

MON_API create pthread_create __attribute__((weak, alias("mon_pthread_create")));
