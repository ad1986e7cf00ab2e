/* SPDX-License-Identifier: BSD-2-Clause */
/* line.c -- text without stdio: names of files, and the one line on standard error that libmon may ever print. */
#include "mon_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void mon_put(struct mon_line *l, const char *s)
{
	for (; *s && l->at < l->end; s++)
		*l->at++ = *s;
	l->cut |= *s != 0;
	*l->at = 0;
}

void mon_put_number(struct mon_line *l, uint64_t n)
{
	char digits[24], *p = digits + sizeof digits;
	*--p = 0;
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	mon_put(l, p);
}

static bool is_pending(int sig)
{
	sigset_t set;
	return sigpending(&set) == 0 && sigismember(&set, sig) == 1;
}

struct mon_trap mon_trap_set(int sig, int error)
{
	return (struct mon_trap){ sig, error, is_pending(sig) };
}

void mon_trap_clear(const struct mon_trap *t, int error)
{
	const struct timespec now = { 0, 0 };
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, t->sig);
	if (error == t->error && !t->was_pending)
		sigtimedwait(&set, NULL, &now);
}

int mon_write(int fd, const void *data, size_t size)
{
	const struct mon_trap traps[] = { mon_trap_set(SIGXFSZ, EFBIG), mon_trap_set(SIGPIPE, EPIPE) };
	const char *p = data;
	int error = 0;
	while (size > 0 && !error) {
		long n = MON_SYS(write, fd, p, size);
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			error = n == 0 ? EIO : errno;
		}
	}
	for (size_t i = 0; i < sizeof traps / sizeof traps[0]; i++)
		mon_trap_clear(&traps[i], error);
	return error;
}

const char *mon_reason(int error)
{
#ifdef __GLIBC__
	return strerrordesc_np(error); /* strerror may allocate */
#else
	return strerror(error);
#endif
}

/* Bytes that could be commands to a terminal show as ?. */
void mon_say(const char *name, const char *why, const char *what)
{
	char text[MON_PATH + 512];
	struct mon_line l = MON_LINE(text);
	l.end--; /* of the newline */
	mon_put(&l, "libmon: ");
	mon_put(&l, name);
	mon_put(&l, ": ");
	mon_put(&l, why);
	mon_put(&l, ": ");
	mon_put(&l, what);
	for (char *p = text; p < l.at; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	*l.at++ = '\n';
	mon_write(STDERR_FILENO, text, (size_t)(l.at - text));
}
