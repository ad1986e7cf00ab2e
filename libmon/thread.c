/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.c -- pthread_create and thrd_create, so that every thread of an automatic profile is sampled from its first instruction, also one
 * that never runs a function compiled with -p.
 *
 * The C library's own function is found behind this one: by the dynamic linker, or in a static program under its reserved
 * name, which mq_notify brings along.
 */
#include "mon_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <threads.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

extern create __pthread_create __attribute__((weak));
#pragma weak dlsym

/* A reference, so that a static program has it. */
__attribute__((used)) static int (*const bring_along)(mqd_t, const struct sigevent *) = mq_notify;

/* What a new thread is to do. */
struct start {
	struct start *next; /* unused ones */
	void *(*run)(void *);
	int (*run_c11)(void *); /* instead */
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

static struct start *new_start(struct start what)
{
	struct mon_guard g;
	mon_enter(&g);
	struct start *s = unused;
	if (s)
		unused = s->next;
	else
		s = mon_keep(sizeof *s);
	if (s)
		*s = what;
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
	const struct start what = *s;
	mon_enter(&g);
	s->next = unused;
	unused = s;
	if (mon_clock)
		mon_thread_attach();
	mon_leave(&g);
	return what.run ? what.run(what.arg) : (void *)(intptr_t)what.run_c11(what.arg);
}

static int mon_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	create *real = find_create();
	if (!real)
		return EAGAIN;
	struct start *s = mon_clock ? new_start((struct start){ .run = run, .arg = arg }) : NULL;
	if (!s)
		return real(thread, attr, run, arg);
	int error = real(thread, attr, begin, s);
	if (error)
		give_back(s);
	return error;
}

/* As the C library has it: a thread of its own kind only in what it returns. */
static int mon_thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
	create *real = find_create();
	struct start *s = real ? new_start((struct start){ .run_c11 = run, .arg = arg }) : NULL;
	if (!s)
		return thrd_nomem;
	int error = real(thread, NULL, begin, s);
	if (error)
		give_back(s);
	return !error ? thrd_success : error == ENOMEM ? thrd_nomem : thrd_error;
}

MON_API int thrd_create(thrd_t *, thrd_start_t, void *) __attribute__((weak, alias("mon_thrd_create")));
MON_API create pthread_create __attribute__((weak, alias("mon_pthread_create")));
