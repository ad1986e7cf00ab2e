/* SPDX-License-Identifier: BSD-2-Clause */
/* classic.c -- write a classic file in one piece: it appears under its name only when it is whole. */
#include "mon_impl.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Fill and close fd; 0 or an errno. */
static int fill(int fd, const struct mon_part *part, size_t npart)
{
	int error = 0;
	for (size_t i = 0; i < npart && !error; i++)
		error = mon_write(fd, part[i].data, part[i].size);
	if (MON_SYS(close, fd) < 0 && !error)
		error = errno;
	return error;
}

void mon_classic_write(const struct mon_part *part, size_t npart)
{
	static struct mon_name temporary, final;
	int fd = mon_name_create_temporary(&temporary);
	int error = fd < 0 ? errno : fill(fd, part, npart);
	mon_name_put(&final);
	if (!error)
		error = mon_name_final(&temporary, &final);
	if (error && fd >= 0)
		mon_name_remove(&temporary);
	if (error)
		mon_say(final.path, mon_reason(error), "the profile is lost");
	else if (mon_count_incomplete)
		mon_say(final.path, "out of memory", "later calls are missing from the counts");
	else if (mon_tick_refused)
		mon_say(final.path, "the system refused a timer", "ticks of some threads are missing");
}
