/* SPDX-License-Identifier: BSD-2-Clause */
/* write.c -- bytes on their way to a descriptor, and their checksum. */
#include "monread_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

struct mon_sink *mon_sink_new(int fd, struct mon_error *err)
{
	struct mon_sink *s = malloc(sizeof(*s));

	if (!s) {
		mon_error_nomem(err);
		return NULL;
	}
	s->fd = fd;
	s->dry = false;
	s->size = 0;
	s->crc = 0;
	s->used = 0;
	return s;
}

int mon_sink_flush(struct mon_sink *s, struct mon_error *err)
{
	s->crc = (uint32_t)crc32(s->crc, s->buf, (uInt)s->used);
	for (size_t done = 0; !s->dry && done < s->used;) {
		ssize_t n = write(s->fd, s->buf + done, s->used - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int sys = errno;

			return mon_error_set(err, MON_E_IO, sys, MON_NO_OFFSET, "cannot write: %s", strerror(sys));
		}
		done += (size_t)n;
	}
	s->used = 0;
	return 0;
}

unsigned char *mon_sink_next(struct mon_sink *s, size_t len, struct mon_error *err)
{
	unsigned char *b;

	if (len > sizeof(s->buf) - s->used && mon_sink_flush(s, err))
		return NULL;
	b = memset(s->buf + s->used, 0, len);
	s->used += len;
	s->size += len;
	return b;
}

int mon_sink_put(struct mon_sink *s, const void *bytes, size_t len, struct mon_error *err)
{
	const unsigned char *from = bytes;

	while (len > 0) {
		size_t n = MON_MIN(len, sizeof(s->buf));
		unsigned char *to = mon_sink_next(s, n, err);

		if (!to)
			return -1;
		memcpy(to, from, n);
		from += n;
		len -= n;
	}
	return 0;
}
