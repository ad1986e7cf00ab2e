/* SPDX-License-Identifier: BSD-2-Clause */
/* record.c -- what the live file says of each thread: name, times, ticks, birth and end. */
#include "mon_impl.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RECORDS	     64 /* in a section */
#define MOST_RECORDS 65536

static struct monfmt_thread *section;
static uint64_t nrecord, in_section;

/* The contents of a file of /proc/self/task/TID, as text; the number of bytes. */
static size_t read_proc(long tid, const char *name, char *text, size_t size)
{
	char path[64];
	struct mon_line l = MON_LINE(path);
	mon_put(&l, "/proc/self/task/");
	mon_put_number(&l, (uint64_t)tid);
	mon_put(&l, name);
	int fd = (int)MON_SYS(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : MON_SYS(read, fd, text, size - 1);
	if (fd >= 0)
		MON_SYS(close, fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

/* The number that stands in a text behind so many blanks. */
static uint64_t number_at(const char *s, int blanks)
{
	uint64_t n = 0;
	for (; *s && blanks > 0; s++)
		blanks -= *s == ' ';
	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (uint64_t)(*s - '0');
	return n;
}

static uint64_t as_ns(struct timeval t)
{
	return ((uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec) * 1000;
}

/* User and system time: to the microsecond for the calling thread, to the clock tick for another. */
static void read_times(long tid, uint64_t *user, uint64_t *system)
{
	static char text[1024];
	struct rusage u;
	if (tid == mon_tid() && MON_SYS(getrusage, RUSAGE_THREAD, &u) == 0) {
		*user = as_ns(u.ru_utime);
		*system = as_ns(u.ru_stime);
		return;
	}
	read_proc(tid, "/stat", text, sizeof text);
	const char *rest = strrchr(text, ')'); /* the name may hold anything; utime and stime are fields 14 and 15 */
	const uint64_t tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	if (rest) {
		*user = number_at(rest, 12) * tick;
		*system = number_at(rest, 13) * tick;
	}
}

void mon_record_update(struct mon_thread *t)
{
	static char text[128];
	struct monfmt_thread *r = t->record;
	if (!r || !t->tid)
		return;
	if (read_proc(t->tid, "/schedstat", text, sizeof text))
		r->wait = number_at(text, 1);
	size_t n = read_proc(t->tid, "/comm", text, sizeof text);
	if (n > 1) {
		mon_clear(r->name, sizeof r->name);
		mon_copy(r->name, text, n - 1 < sizeof r->name ? n - 1 : sizeof r->name);
	}
	read_times(t->tid, &r->user, &r->system);
}

void mon_record_begin(struct mon_thread *t)
{
	if (!mon_live_header || t->record)
		return;
	if (nrecord == MOST_RECORDS) {
		mon_live_process->flags |= MONFMT_F_THREADS;
		return;
	}
	if (!section || in_section == RECORDS) {
		section = mon_live_section(MONFMT_THREAD, 0, RECORDS * sizeof *section);
		in_section = 0;
	}
	if (!section)
		return;
	t->record = &section[in_section++];
	nrecord++;
	t->record->born = mon_now();
	__atomic_store_n(&t->record->tid, (uint64_t)t->tid, __ATOMIC_RELEASE);
	mon_record_update(t);
}

void mon_record_end(struct mon_thread *t)
{
	if (!t->record)
		return;
	mon_record_update(t);
	t->record->ended = mon_now();
	t->record = NULL;
}

void mon_record_open(void)
{
	section = NULL;
	nrecord = in_section = 0;
	for (struct mon_thread *t = mon_threads; t; t = t->next)
		t->record = NULL;
	if (mon_tls.self) /* in a fork child, which begins with the thread that called fork */
		mon_record_begin(mon_tls.self);
}
