/* SPDX-License-Identifier: BSD-2-Clause */
/* sys.c -- memory, the lock and signal masks, by system call: nothing a program could interpose. */
#include "mon_impl.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KERNEL_SIGSET 8 /* bytes of the kernel's signal set */

union mon_ctl_page mon_ctl_page __attribute__((aligned(MON_PAGE)));

static void lock(uint32_t *l)
{
	uint32_t old = 0;
	if (__atomic_compare_exchange_n(l, &old, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(l, 2, __ATOMIC_ACQUIRE) != 0) /* 2: somebody may be asleep */
		syscall(SYS_futex, l, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, NULL, NULL, 0);
}

static void unlock(uint32_t *l)
{
	if (__atomic_exchange_n(l, 0, __ATOMIC_RELEASE) == 2)
		syscall(SYS_futex, l, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

/* The first time in a process: as its first user ever, or as a fork child. */
static void arrive(void)
{
	static bool begun;
	mon_ctl.here = 1;
	if (begun) {
		mon_count_forked();
		mon_profile_forked();
		return;
	}
	begun = true;
	/* Where the kernel does not know the advice, a fork child goes on as if it were the parent. */
	madvise(&mon_ctl_page, sizeof mon_ctl_page, MADV_WIPEONFORK);
	mon_count_init();
}

void mon_enter(struct mon_guard *g)
{
	uint64_t all = ~(uint64_t)0;
	g->saved_errno = errno;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &g->mask, KERNEL_SIGSET);
	lock(&mon_ctl.lock);
	mon_tls.inside = true;
	if (!mon_ctl.here)
		arrive();
}

void mon_leave(const struct mon_guard *g)
{
	mon_tls.inside = false;
	unlock(&mon_ctl.lock);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &g->mask, NULL, KERNEL_SIGSET);
	errno = g->saved_errno;
}

void mon_copy(void *to, const void *from, size_t size)
{
	char *t = to;
	const char *f = from;
	while (size-- > 0)
		*t++ = *f++;
}

void mon_clear(void *p, size_t size)
{
	for (char *c = p; size > 0; size--)
		*c++ = 0;
}

void *mon_map(size_t size)
{
	long p =
	    syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
	return p == -1 ? NULL : (void *)p;
}

void mon_unmap(void *p, size_t size)
{
	if (p)
		syscall(SYS_munmap, p, size);
}

bool mon_array_grow(struct mon_array *a, size_t need)
{
	const struct mon_array old = *a;
	size_t size = old.size ? old.size : MON_PAGE;
	if (need <= old.size)
		return true;
	while (size < need)
		size *= 2;
	void *data = mon_map(size);
	if (!data)
		return false;
	if (old.size)
		mon_copy(data, old.data, old.size);
	__atomic_store_n(&a->data, data, __ATOMIC_SEQ_CST);
	a->size = size;
	mon_unmap(old.data, old.size);
	return true;
}

void mon_array_free(struct mon_array *a)
{
	const struct mon_array old = *a;
	*a = (struct mon_array){ 0 };
	mon_unmap(old.data, old.size);
}

void *mon_keep(size_t size)
{
	static char *at, *end;
	size = (size + 15) / 16 * 16;
	if ((size_t)(end - at) < size) {
		at = mon_map(MON_PAGE);
		end = at ? at + MON_PAGE : NULL;
	}
	void *p = at;
	at = p ? at + size : NULL;
	return p;
}

uint64_t mon_now(void)
{
	struct timespec t = { 0, 0 };
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool mon_try_enter(bool *entered)
{
	uint32_t old = 0;
	*entered = false;
	if (mon_tls.inside)
		return true;
	if (!__atomic_compare_exchange_n(&mon_ctl.lock, &old, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	*entered = mon_tls.inside = true;
	return true;
}

void mon_try_leave(bool entered)
{
	if (!entered)
		return;
	mon_tls.inside = false;
	unlock(&mon_ctl.lock);
}

long mon_tid(void)
{
	return syscall(SYS_gettid);
}

bool mon_tid_alive(long tid)
{
	return syscall(SYS_tgkill, syscall(SYS_getpid), tid, 0) == 0;
}

bool mon_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}
