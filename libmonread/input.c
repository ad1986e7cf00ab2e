/* SPDX-License-Identifier: BSD-2-Clause */
/* input.c -- the bytes of a profile: plain files through a window, pipes and gzip in memory.
 *
 * Plain files are never mapped: one that shrinks while it is read is an error, not a signal.
 */
#include "monread_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int io_error(struct mon_error *err, const char *what)
{
	int sys = errno;

	return mon_error_set(err, sys == ENOMEM ? MON_E_NOMEM : MON_E_IO, sys, MON_NO_OFFSET, "cannot %s: %s", what,
			     strerror(sys));
}

static const char *type_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a named pipe";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	default:
		return "no regular file";
	}
}

int mon_file_open(const char *path, int *fd, struct stat *st, struct mon_error *err)
{
	int f = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (f < 0 && errno == ENXIO) /* a socket; or a device that is not there */
		return mon_error_set(err, MON_E_UNSUPPORTED, ENXIO, MON_NO_OFFSET,
				     "is a socket or a device, not a file");
	if (f < 0)
		return io_error(err, "open");
	if (fstat(f, st)) {
		io_error(err, "stat");
		close(f);
		return -1;
	}
	if (!S_ISREG(st->st_mode)) {
		close(f);
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET, "is %s, not a file",
				     type_name(st->st_mode));
	}
	*fd = f;
	return 0;
}

int mon_file_read(int fd, void *buf, size_t len, uint64_t off, size_t *got, struct mon_error *err)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = pread(fd, (char *)buf + have, len - have, (off_t)(off + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return io_error(err, "read");
		if (n == 0)
			break;
		have += (size_t)n;
	}
	*got = have;
	return 0;
}

int mon_path_kind(const char *path, enum mon_kind *kind, struct mon_error *err)
{
	unsigned char head[MON_HEAD];
	size_t got;
	struct stat st;
	int fd, rc;

	if (!strcmp(path, "-")) {
		*kind = MON_KIND_PROFILE;
		return 0;
	}
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		*kind = MON_KIND_DIRECTORY;
		return 0;
	}
	if (mon_file_open(path, &fd, &st, err))
		return -1;
	rc = mon_file_read(fd, head, sizeof(head), 0, &got, err);
	close(fd);
	if (rc == 0)
		mon_sniff(head, got, kind);
	return rc;
}

/* ---- what is read whole ------------------------------------------------------------------------------------------ */

struct whole {
	unsigned char *data; /* owned */
	size_t len, room;
};

/* Bytes that come one after the other: a pipe, or a plain file from its start. */
struct source {
	int fd; /* -1: next .. next + left is all there is */
	bool seekable;
	uint64_t off;	    /* of the next read, seekable */
	unsigned char *buf; /* of room bytes; borrowed */
	size_t room;
	const unsigned char *next; /* not yet taken */
	size_t left;
};

/* Room for more at the end of w: at least one byte, doubling. */
static int whole_grow(struct whole *w, struct mon_error *err)
{
	size_t room = w->room ? 2 * w->room : MON_WINDOW;
	unsigned char *data;

	if (w->len < w->room)
		return 0;
	if (w->room >= MON_MEMORY_MAX)
		return mon_error_set(
		    err, MON_E_NOMEM, 0, w->len,
		    "more than %d MiB from a pipe or compressed file: store or unpack it as a plain file",
		    MON_MEMORY_MAX >> 20);
	data = realloc(w->data, room);
	if (!data)
		return mon_error_nomem(err);
	w->data = data;
	w->room = room;
	return 0;
}

static ssize_t read_some(struct source *s)
{
	for (;;) {
		ssize_t n = s->seekable ? pread(s->fd, s->buf, s->room, (off_t)s->off) : read(s->fd, s->buf, s->room);
		struct pollfd p = { .fd = s->fd, .events = POLLIN };

		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			return n;
		if (errno == EAGAIN) /* whoever shares the pipe made it non-blocking */
			poll(&p, 1, -1);
	}
}

/* Make left > 0 unless the end is reached. */
static int source_fill(struct source *s, struct mon_error *err)
{
	ssize_t n;

	if (s->left > 0 || s->fd < 0)
		return 0;
	n = read_some(s);
	if (n < 0)
		return io_error(err, "read");
	s->off += (uint64_t)n;
	s->next = s->buf;
	s->left = (size_t)n;
	return 0;
}

static int copy_rest(struct source *s, struct whole *w, struct mon_error *err)
{
	while (source_fill(s, err) == 0) {
		size_t n;

		if (s->left == 0)
			return 0;
		if (whole_grow(w, err))
			return -1;
		n = MON_MIN(s->left, w->room - w->len);
		memcpy(w->data + w->len, s->next, n);
		w->len += n;
		s->next += n;
		s->left -= n;
	}
	return -1;
}

static bool is_gzip(const unsigned char *b, size_t len)
{
	return len >= 3 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8;
}

/* One step of inflating; *rc is zlib's. */
static int inflate_some(z_stream *z, struct source *s, struct whole *w, int *rc, struct mon_error *err)
{
	if (whole_grow(w, err) || source_fill(s, err))
		return -1;
	z->next_in = s->next;
	z->avail_in = (uInt)s->left;
	z->next_out = w->data + w->len;
	z->avail_out = (uInt)MON_MIN(w->room - w->len, (size_t)MON_MEMORY_MAX);
	*rc = inflate(z, Z_NO_FLUSH);
	w->len = (size_t)(z->next_out - w->data);
	s->left -= (size_t)(z->next_in - s->next);
	s->next = z->next_in;
	switch (*rc) {
	case Z_OK:
	case Z_STREAM_END:
		return 0;
	case Z_BUF_ERROR:
		return mon_error_set(err, MON_E_TRUNCATED, 0, w->len,
				     "the compressed file ends too early (after %zu bytes)", w->len);
	case Z_MEM_ERROR:
		return mon_error_nomem(err);
	default:
		return mon_error_set(err, MON_E_FORMAT, 0, w->len, "the compressed data are damaged: %s",
				     z->msg ? z->msg : "bad gzip data");
	}
}

/* All members of a gzip file, one after the other; zero bytes may pad its end. */
static int inflate_all(struct source *s, struct whole *w, struct mon_error *err)
{
	z_stream z = { .next_in = s->next };
	int rc, result = -1;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return mon_error_nomem(err);
	while (inflate_some(&z, s, w, &rc, err) == 0) {
		if (rc != Z_STREAM_END)
			continue;
		if (source_fill(s, err))
			break;
		if (s->left == 0 || s->next[0] == 0) {
			result = 0;
			break;
		}
		inflateReset(&z);
	}
	inflateEnd(&z);
	return result;
}

/* Take the source whole into memory, decompressed. */
static int input_whole(struct mon_input *in, struct source *s, struct mon_error *err)
{
	struct whole w = { 0 };

	if (is_gzip(s->next, s->left) ? inflate_all(s, &w, err) : copy_rest(s, &w, err)) {
		free(w.data);
		return -1;
	}
	in->bytes = in->owned = w.data;
	in->len = w.len;
	in->size = w.len;
	return 0;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

int mon_input_memory(struct mon_input *in, const void *bytes, size_t len, struct mon_error *err)
{
	struct source s = { .fd = -1, .next = bytes, .left = len };

	*in = (struct mon_input){ .fd = -1, .bytes = bytes, .len = len, .size = len };
	return is_gzip(bytes, len) ? input_whole(in, &s, err) : 0;
}

/* A pipe on standard input. */
static int open_pipe(struct mon_input *in, struct mon_error *err)
{
	struct source s = { .fd = STDIN_FILENO, .buf = malloc(MON_WINDOW), .room = MON_WINDOW };
	int rc = -1;

	if (!s.buf)
		return mon_error_nomem(err);
	if (source_fill(&s, err) == 0)
		rc = input_whole(in, &s, err);
	free(s.buf);
	return rc;
}

/* A plain file: its first window, or all of it when it is compressed. */
static int open_plain(struct mon_input *in, struct mon_error *err)
{
	struct source s = { .fd = in->fd, .seekable = true, .room = (size_t)MON_MIN(in->size, (uint64_t)MON_WINDOW) };
	int rc = 0;

	if (in->size == 0)
		return 0;
	in->window = s.room;
	in->owned = s.buf = malloc(s.room);
	if (!s.buf)
		return mon_error_nomem(err);
	if (mon_file_read(in->fd, s.buf, s.room, in->start, &in->len, err))
		return -1;
	in->bytes = s.buf;
	if (is_gzip(in->bytes, in->len)) {
		s.next = s.buf;
		s.left = in->len;
		s.off = in->start + in->len;
		rc = input_whole(in, &s, err);
		if (rc == 0)
			free(s.buf);
	} else if (in->size > MON_FILE_MAX) {
		rc = mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET,
				   "has more than %d MiB: no profile is that large", MON_FILE_MAX >> 20);
	}
	return rc;
}

static int open_stdin(struct mon_input *in, struct mon_error *err)
{
	struct stat st;
	off_t at;

	if (fstat(STDIN_FILENO, &st))
		return io_error(err, "stat");
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return open_pipe(in, err);
	if (!S_ISREG(st.st_mode))
		return mon_error_set(err, MON_E_UNSUPPORTED, 0, MON_NO_OFFSET, "is %s, not a file or pipe",
				     isatty(STDIN_FILENO) ? "a terminal" : type_name(st.st_mode));
	at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (at < 0)
		return io_error(err, "seek");
	in->fd = STDIN_FILENO;
	in->start = (uint64_t)at;
	in->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
	return open_plain(in, err);
}

int mon_input_open(struct mon_input *in, const char *path, struct mon_error *err)
{
	struct stat st;
	int rc;

	*in = (struct mon_input){ .fd = -1 };
	if (!strcmp(path, "-")) {
		rc = open_stdin(in, err);
	} else {
		if (mon_file_open(path, &in->fd, &st, err))
			return -1;
		in->close_fd = true;
		in->size = (uint64_t)st.st_size;
		rc = open_plain(in, err);
	}
	if (rc)
		mon_input_close(in);
	return rc;
}

void mon_input_close(struct mon_input *in)
{
	free(in->owned);
	if (in->close_fd)
		close(in->fd);
	*in = (struct mon_input){ .fd = -1 };
}

const unsigned char *mon_input_fill(struct mon_input *in, uint64_t off, size_t len, struct mon_error *err)
{
	size_t want, got;

	if (off > in->size || len > in->size - off) {
		mon_error_set(err, MON_E_TRUNCATED, 0, in->size,
			      "the file ends after %llu bytes, inside the %zu bytes that start at byte %llu",
			      (unsigned long long)in->size, len, (unsigned long long)off);
		return NULL;
	}
	want = (size_t)MON_MIN(in->size - off, (uint64_t)in->window);
	in->len = 0;
	if (mon_file_read(in->fd, in->owned, want, in->start + off, &got, err))
		return NULL;
	if (got < want) {
		mon_error_set(err, MON_E_TRUNCATED, 0, off + got, "the file became shorter while it was read");
		return NULL;
	}
	in->at = off;
	in->len = got;
	return in->bytes;
}

int mon_input_refresh(struct mon_input *in, struct mon_error *err)
{
	unsigned char *window;
	struct stat st;

	if (in->fd < 0)
		return 0;
	if (fstat(in->fd, &st))
		return io_error(err, "stat");
	if (in->window < MON_WINDOW) {
		window = realloc(in->owned, MON_WINDOW);
		if (!window)
			return mon_error_nomem(err);
		in->bytes = in->owned = window;
		in->window = MON_WINDOW;
	}
	in->len = 0;
	in->size = (uint64_t)st.st_size > in->start ? (uint64_t)st.st_size - in->start : 0;
	return 0;
}

/* The crc32 of len bytes behind those whose crc32 is *crc. */
static int add_crc(struct mon_input *in, uint64_t off, uint64_t len, uLong *crc, struct mon_error *err)
{
	while (len > 0) {
		size_t n = (size_t)MON_MIN(len, (uint64_t)MON_WINDOW);
		const unsigned char *b = mon_input_at(in, off, n, err);

		if (!b)
			return -1;
		*crc = crc32(*crc, b, (uInt)n);
		off += n;
		len -= n;
	}
	return 0;
}

int mon_input_crc(struct mon_input *in, uint64_t size, uint64_t off, uint32_t *crc, struct mon_error *err)
{
	static const unsigned char zeros[4] = { 0 };
	uLong sum = 0;

	if (add_crc(in, 0, off, &sum, err))
		return -1;
	sum = crc32(sum, zeros, sizeof(zeros));
	if (add_crc(in, off + sizeof(zeros), size - off - sizeof(zeros), &sum, err))
		return -1;
	*crc = (uint32_t)sum;
	return 0;
}
