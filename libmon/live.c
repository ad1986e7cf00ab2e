/* SPDX-License-Identifier: BSD-2-Clause */
/* live.c -- the live file: created when collection starts, grown chunk by chunk, mapped shared, never moved.
 *
 * Room is taken from the file system before it is mapped (fallocate), so that a full disk is an error here and never a
 * SIGBUS in the program.  When the file cannot grow, sections are kept in private memory, which says so in the file
 * (MONFMT_F_PRIVATE): they are in the finished file, and lost if the process is killed.
 */
#include "mon_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_CHUNK	   (128 * 1024)
#define LARGEST_CHUNK	   (4 * 1024 * 1024)
#define HIGH_FD		   100 /* out of the way of programs that count on low numbers */
#define SECTIONS_PER_TABLE 120

/* A section, and where it is in memory. */
struct kept {
	struct monfmt_section section;
	void *data;
};

struct chunk {
	void *data;
	uint64_t size;
};

static struct {
	int fd; /* -1: none */
	dev_t dev;
	ino_t ino; /* of fd, in case the program closed it and the number is somebody else's now */
	char *chunk;
	uint64_t chunk_offset, chunk_size, chunk_used;
	uint64_t next_chunk; /* bytes */
	struct monfmt_table *table;
	struct mon_array kept;	 /* struct kept */
	struct mon_array chunks; /* struct chunk */
	struct mon_array old;	 /* struct chunk: of the file before */
	uint64_t nkept, nchunk, nold;
	bool created; /* the file of that name is ours */
	struct mon_name name;
} live = { .fd = -1 };

struct monfmt_header *mon_live_header;
struct monfmt_process *mon_live_process;

static bool fd_is_ours(void)
{
	struct stat st;
	return live.fd >= 0 && fstat(live.fd, &st) == 0 && st.st_dev == live.dev && st.st_ino == live.ino;
}

/* Make the file at least so long, with blocks behind it; 0 or an errno. */
static int reserve(uint64_t offset, uint64_t size)
{
	static const char zeros[MON_PAGE];
	const struct mon_trap trap = mon_trap_set(SIGXFSZ, EFBIG);
	int error = MON_SYS(fallocate, live.fd, 0, offset, size) < 0 ? errno : 0;
	if (error == EOPNOTSUPP || error == ENOSYS) { /* the file system cannot: write what it would have reserved */
		error = 0;
		for (uint64_t at = offset; at < offset + size && !error; at += sizeof zeros)
			if (MON_SYS(pwrite64, live.fd, zeros, sizeof zeros, at) != (long)sizeof zeros)
				error = errno ? errno : ENOSPC;
	}
	mon_trap_clear(&trap, error);
	return error;
}

/* Map the next size bytes of the file; NULL and an errno when it cannot grow. */
static char *map_next(uint64_t offset, uint64_t size, int *error)
{
	*error = fd_is_ours() ? reserve(offset, size) : EBADF;
	if (*error)
		return NULL;
	long p = MON_SYS(mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, live.fd, offset);
	if (p == -1)
		*error = errno;
	return p == -1 ? NULL : (char *)p;
}

/* A new chunk with room for at least size bytes. */
static bool new_chunk(uint64_t size, int *error)
{
	uint64_t offset = live.chunk_offset + live.chunk_size, want = live.next_chunk;
	while (want < size)
		want *= 2;
	char *p = map_next(offset, want, error);
	if (!p && want > size) { /* little is left: take just what is needed */
		want = (size + MON_PAGE - 1) / MON_PAGE * MON_PAGE;
		p = map_next(offset, want, error);
	}
	if (!p)
		return false;
	if (mon_array_grow(&live.chunks, (live.nchunk + 1) * sizeof(struct chunk)))
		((struct chunk *)live.chunks.data)[live.nchunk++] = (struct chunk){ p, want };
	live.chunk = p;
	live.chunk_offset = offset;
	live.chunk_size = want;
	live.chunk_used = 0;
	if (live.next_chunk < LARGEST_CHUNK)
		live.next_chunk *= 2;
	return true;
}

/* size bytes of the file, and their offset; zeros. */
static void *take(uint64_t size, uint64_t *offset)
{
	int error;
	size = (size + 63) / 64 * 64;
	if (live.chunk_used + size > live.chunk_size && !new_chunk(size, &error))
		return NULL;
	char *p = live.chunk + live.chunk_used;
	*offset = live.chunk_offset + live.chunk_used;
	live.chunk_used += size;
	if (mon_live_header)
		__atomic_store_n(&mon_live_header->size, *offset + size, __ATOMIC_RELEASE);
	return p;
}

/* A table of sections with room in it. */
static struct monfmt_table *roomy_table(void)
{
	struct monfmt_table *t = live.table;
	uint64_t offset;
	if (t && t->nsection < t->room)
		return t;
	struct monfmt_table *fresh = take(sizeof *fresh + SECTIONS_PER_TABLE * sizeof fresh->section[0], &offset);
	if (!fresh)
		return NULL;
	fresh->room = SECTIONS_PER_TABLE;
	__atomic_store_n(t ? &t->next : &mon_live_header->table, offset, __ATOMIC_RELEASE);
	live.table = fresh;
	return fresh;
}

void *mon_live_section(enum monfmt_type type, uint32_t of, uint64_t size)
{
	uint64_t offset;
	struct monfmt_table *t = roomy_table();
	void *p = t ? take(size, &offset) : NULL;
	if (!mon_array_grow(&live.kept, (live.nkept + 1) * sizeof(struct kept)))
		return NULL;
	if (!p) {
		mon_live_process->flags |= MONFMT_F_PRIVATE;
		p = mon_map(size);
		offset = 0;
	}
	if (p)
		((struct kept *)live.kept.data)[live.nkept++] = (struct kept){ { type, of, offset, size }, p };
	if (!p || !offset)
		return p;
	t->section[t->nsection] = (struct monfmt_section){ type, of, offset, size };
	__atomic_store_n(&t->nsection, t->nsection + 1, __ATOMIC_RELEASE);
	return p;
}

/* Create the file; 0 or an errno. */
static int create(void)
{
	struct stat st;
	int fd = mon_name_create_temporary(&live.name);
	live.created = fd >= 0;
	if (fd < 0)
		return errno;
	if (fd < HIGH_FD) {
		int high = (int)MON_SYS(fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD);
		if (high >= 0) {
			MON_SYS(close, fd);
			fd = high;
		}
	}
	if (fstat(fd, &st) < 0)
		return errno;
	live.fd = fd;
	live.dev = st.st_dev;
	live.ino = st.st_ino;
	return 0;
}

static int set_up(void)
{
	uint64_t offset;
	int error;
	if (!new_chunk(FIRST_CHUNK, &error))
		return error;
	struct monfmt_header *h = take(sizeof *h, &offset);
	*h = (struct monfmt_header){ .magic = MONFMT_MAGIC,
				     .version = MONFMT_VERSION,
				     .word = sizeof(void *),
				     .state = MONFMT_LIVE,
				     .size = sizeof *h };
	mon_live_header = h;
	mon_live_process = mon_live_section(MONFMT_PROCESS, 0, sizeof *mon_live_process);
	__atomic_store_n(&h->order, MONFMT_ORDER, __ATOMIC_RELEASE); /* last: only now is it a profile */
	return 0;
}

/* In a fork child the mappings of the parent's file, which nobody counts in any more. */
void mon_live_forget(void)
{
	for (uint64_t i = 0; i < live.nold; i++) {
		const struct chunk *c = (const struct chunk *)live.old.data + i;
		mon_unmap(c->data, c->size);
	}
	live.nold = 0;
}

/* What is mapped now becomes old. */
static void set_aside(void)
{
	mon_array_free(&live.old);
	live.old = live.chunks;
	live.nold = live.nchunk;
	live.chunks = (struct mon_array){ NULL, 0 };
	live.nchunk = live.nkept = 0;
	if (live.kept.data)
		mon_clear(live.kept.data, live.kept.size);
}

int mon_live_open(void)
{
	if (fd_is_ours()) /* a fork child's, of its parent */
		MON_SYS(close, live.fd);
	live.fd = -1;
	live.created = false;
	set_aside();
	live.chunk_offset = live.chunk_size = live.chunk_used = 0;
	live.next_chunk = FIRST_CHUNK;
	live.table = NULL;
	mon_live_header = NULL;
	int error = create();
	if (!error)
		error = set_up();
	if (error)
		mon_live_close(true);
	return error;
}

/* Before that it has a temporary name: a process killed in its first millisecond leaves no half profile to be found. */
int mon_live_publish(void)
{
	static struct mon_name own;
	int error = mon_name_take_own(&live.name, &own);
	if (!error)
		live.name = own;
	return error;
}

int mon_live_overwrite(const void *data, size_t size)
{
	const char *p = data;
	if (!fd_is_ours() || size > live.chunk_offset + live.chunk_size)
		return ENOSPC;
	for (size_t done = 0; done < size;) {
		long n = MON_SYS(pwrite64, live.fd, p + done, size - done, done);
		if (n <= 0)
			return n < 0 ? errno : EIO;
		done += (size_t)n;
	}
	return 0;
}

/* Mappings stay: another thread may still be counting in them. */
void mon_live_close(bool remove)
{
	if (remove && live.created)
		mon_name_remove(&live.name);
	if (fd_is_ours())
		MON_SYS(close, live.fd);
	live.fd = -1;
}

const struct mon_name *mon_live_name(void)
{
	return &live.name;
}

bool mon_live_nth(uint32_t n, struct monfmt_section *section, const void **data)
{
	if (n * sizeof(struct kept) >= live.kept.size)
		return false;
	const struct kept *k = (const struct kept *)live.kept.data + n;
	*section = k->section;
	*data = k->data;
	return *data != NULL;
}
