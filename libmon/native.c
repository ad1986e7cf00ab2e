/* SPDX-License-Identifier: BSD-2-Clause */
/* native.c -- the automatic profile: begin, begin anew in a fork child, pause, end. */
#include "mon_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static void text_section(enum monfmt_type type, const char *text)
{
	size_t size = strlen(text);
	char *p = size ? mon_live_section(type, 0, size) : NULL;
	if (p)
		mon_copy(p, text, size);
}

/* The rank that an MPI launcher gave the process; -1: none. */
static int64_t find_rank(void)
{
	static const char *const names[] = { "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *s = getenv(names[i]);
		int64_t n = 0;
		for (; s && *s >= '0' && *s <= '9' && n < 1000000000; s++)
			n = n * 10 + (*s - '0');
		if (s && s != getenv(names[i]) && !*s)
			return n;
	}
	return -1;
}

/* Field 22 of /proc/self/stat: when the kernel started this process. */
static uint64_t find_identity(void)
{
	static char text[1024];
	int fd = (int)MON_SYS(openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC), blanks = 20;
	long n = fd < 0 ? 0 : MON_SYS(read, fd, text, sizeof text - 1);
	uint64_t id = 0;
	if (fd >= 0)
		MON_SYS(close, fd);
	text[n > 0 ? n : 0] = 0;
	const char *s = strrchr(text, ')');
	for (; s && *s && blanks > 0; s++)
		blanks -= *s == ' ';
	for (; s && *s >= '0' && *s <= '9'; s++)
		id = id * 10 + (uint64_t)(*s - '0');
	return id;
}

static void describe(void)
{
	struct utsname host;
	struct monfmt_process *p = mon_live_process;
	p->pid = (uint64_t)syscall(SYS_getpid);
	p->ppid = (uint64_t)syscall(SYS_getppid);
	p->start = mon_now();
	p->identity = find_identity();
	p->rank = find_rank();
	text_section(MONFMT_ARGUMENT, mon_progname());
	if (MON_SYS(uname, &host) == 0)
		text_section(MONFMT_HOST, host.nodename);
}

/* In a file of this process; 0 or an errno. */
static int open_file(void)
{
	int error = mon_live_open();
	if (error)
		return error;
	describe();
	if (!mon_object_open() || !mon_bins_open() || !mon_count_open())
		return ENOMEM;
	mon_record_open();
	mon_count_live();
	mon_live_forget();
	return mon_clock_open() ? mon_live_publish() : ENOMEM;
}

static void give_up(int error)
{
	static struct mon_name own;
	mon_name_own(&own);
	mon_live_close(true);
	mon_live_header = NULL;
	mon_say(own.path, mon_reason(error), "no profile is kept");
}

/* A child that calls no function compiled with -p would never be noticed.  It is looked at when it has used some CPU time;
 * one that execs before, or hardly works, leaves no trace. */
static void in_child(void)
{
	if (mon_armed)
		mon_clock_watch();
}

static void watch_children(void)
{
	static bool watching;
	if (!watching)
		watching = pthread_atfork(NULL, NULL, in_child) == 0;
}

bool mon_native_begin(void)
{
	if (!mon_name_settle())
		return false;
	int error = open_file();
	if (error) {
		give_up(error);
		return false;
	}
	watch_children();
	mon_ctl.alive = 1;
	mon_armed = 1;
	mon_count_run(true);
	return true;
}

/* A fork child has something to say: it gets a file of its own. */
bool mon_native_forked(bool paused)
{
	int error = open_file();
	if (error) {
		give_up(error);
		mon_armed = 0;
		return false;
	}
	mon_ctl.alive = 1;
	if (paused)
		mon_clock_run(false);
	mon_count_run(!paused);
	return true;
}

static uint64_t cpu_time(void)
{
	struct rusage u;
	if (MON_SYS(getrusage, RUSAGE_SELF, &u) < 0)
		return 0;
	return ((uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
		(uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec)) *
	       1000;
}

static void update_records(void)
{
	mon_clock->cpu = cpu_time();
	for (struct mon_thread *t = mon_threads; t; t = t->next)
		mon_record_update(t);
}

int mon_native_snapshot(const char *path)
{
	update_records();
	mon_clock_drain();
	return mon_finish_copy(path);
}

/* Stop; keep: write the finished file, else leave nothing behind. */
void mon_native_end(bool keep)
{
	mon_count_run(false);
	update_records();
	if (!mon_tick_installed())
		mon_live_process->flags |= MONFMT_F_SIGPROF;
	mon_clock_close();
	mon_live_process->end = mon_now();
	if (keep)
		mon_finish();
	mon_live_close(!keep);
	mon_live_header = NULL;
	for (struct mon_thread *t = mon_threads; t; t = t->next)
		t->record = NULL;
}
