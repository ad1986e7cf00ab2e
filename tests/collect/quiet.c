/* SPDX-License-Identifier: BSD-2-Clause */
/* quiet.c -- threads that work a little and then wait, in every way a signal can break; another one works all the time.
 * Prints a line for each wait that ended too early or in error.
 */
#include "prog.h"

#include <arpa/inet.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#define ROUNDS 10
#define WAIT   0.040 /* seconds */

static volatile int end;

PLAIN void work(unsigned long turns)
{
	WORK(turns);
}

static const struct timespec span = { 0, (long)(WAIT * 1e9) };

static int by_nanosleep(void)
{
	return nanosleep(&span, NULL);
}

static int by_poll(void)
{
	return poll(NULL, 0, (int)(WAIT * 1e3));
}

static int by_select(void)
{
	struct timeval t = { 0, (long)(WAIT * 1e6) };
	return select(0, NULL, NULL, NULL, &t);
}

static int by_epoll(void)
{
	struct epoll_event e;
	int fd = epoll_create1(0), r = epoll_wait(fd, &e, 1, (int)(WAIT * 1e3)), error = errno;
	close(fd);
	errno = error;
	return r;
}

static int by_semaphore(void)
{
	struct timespec t;
	sem_t s;
	sem_init(&s, 0, 0);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += span.tv_nsec;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return sem_timedwait(&s, &t) == -1 && errno == ETIMEDOUT ? 0 : -1;
}

static int by_accept(void)
{
	struct timeval t = { 0, (long)(WAIT * 1e6) };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 1) ||
	    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t))
		return 0; /* no network here: nothing tried */
	int r = accept(s, NULL, NULL), error = errno;
	close(s);
	errno = error;
	return r == -1 && (error == EAGAIN || error == EWOULDBLOCK) ? 0 : -1;
}

/* The other end writes after a while. */
static int writer[2];

static int by_read(void)
{
	char c;
	return read(writer[0], &c, 1) == 1 ? 0 : -1;
}

static void *write_slowly(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		nanosleep(&span, NULL);
		if (write(writer[1], "x", 1) != 1)
			break;
	}
	return arg;
}

static const struct way {
	const char *name;
	int (*wait)(void);
	double least;
} ways[] = {
	{ "nanosleep", by_nanosleep, WAIT },	 { "poll", by_poll, WAIT }, { "select", by_select, WAIT },
	{ "epoll_wait", by_epoll, WAIT },	 { "read", by_read, 0 },    { "accept", by_accept, 0 },
	{ "sem_timedwait", by_semaphore, WAIT },
};
#define NWAY (sizeof ways / sizeof *ways)

static void *wait_often(void *arg)
{
	const struct way *w = arg;
	for (int i = 0; i < ROUNDS; i++) {
		work(4 * MS);
		double t = WALL();
		if (w->wait() < 0)
			printf("%s: %s\n", w->name, strerror(errno));
		else if (WALL() - t < w->least - 0.001)
			printf("%s: only %f s\n", w->name, WALL() - t);
	}
	return NULL;
}

static void *busy(void *arg)
{
	while (!end)
		work(MS);
	return arg;
}

int main(void)
{
	pthread_t t[NWAY], b, w;
	if (pipe(writer) || pthread_create(&b, NULL, busy, NULL))
		return 1;
	for (size_t i = 0; i < NWAY; i++)
		if (pthread_create(&t[i], NULL, wait_often, (void *)&ways[i]))
			return 1;
	if (pthread_create(&w, NULL, write_slowly, NULL))
		return 1;
	for (size_t i = 0; i < NWAY; i++)
		pthread_join(t[i], NULL);
	pthread_join(w, NULL);
	end = 1;
	pthread_join(b, NULL);
	return 0;
}
