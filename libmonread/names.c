/* SPDX-License-Identifier: BSD-2-Clause */
/* names.c -- the string table of a program, of which only the names that are asked for are read.
 *
 * A small table is read whole at once.  Of a large one each name is read and kept by itself, until so many were asked
 * for that the whole is cheaper.
 */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
	SMALL = 8 << 20,   /* bytes of a table that is read whole at once */
	MANY = 1 << 17,	   /* names after which a larger one is read whole too */
	LONGEST = 1 << 19, /* bytes of the longest name that is believed */
	FIRST_READ = 256,  /* bytes read in the hope that a name ends there */
	ARENA = 64 << 10,
};

struct arena {
	struct arena *next; /* owned */
	char data[];
};

/* A name that is kept. */
struct kept {
	uint32_t offset;
	const char *name; /* NULL: the slot is free */
};

struct mon_names {
	int fd; /* borrowed */
	uint64_t off;
	size_t size;
	char *whole;	   /* owned; all of it and a zero byte, or NULL */
	bool no_whole;	   /* there was no memory for it */
	struct kept *kept; /* owned hash table of room (a power of two) slots */
	size_t nkept, room;
	struct arena *arena; /* owned; holds the names kept */
	size_t used, arena_size;
	size_t npeek; /* names looked at without keeping them */
};

static const char unknown[] = "?";

void mon_names_free(struct mon_names *n)
{
	if (!n)
		return;
	for (struct arena *a = n->arena, *next; a; a = next) {
		next = a->next;
		free(a);
	}
	free(n->kept);
	free(n->whole);
	free(n);
}

/* What cannot be read, because the file changed, is empty. */
static size_t read_at(const struct mon_names *n, uint64_t at, char *buf, size_t len)
{
	size_t got;

	return mon_file_read(n->fd, buf, len, n->off + at, &got, NULL) ? 0 : got;
}

static bool load_whole(struct mon_names *n)
{
	size_t got;

	if (n->whole || n->no_whole)
		return n->whole;
	n->whole = malloc(n->size + 1);
	if (!n->whole) {
		n->no_whole = true;
		return false;
	}
	got = read_at(n, 0, n->whole, n->size);
	memset(n->whole + got, 0, n->size + 1 - got);
	return true;
}

struct mon_names *mon_names_new(int fd, uint64_t off, uint64_t size)
{
	struct mon_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->fd = fd;
	n->off = off;
	n->size = (size_t)MON_MIN(size, (uint64_t)UINT32_MAX);
	if (n->size <= SMALL && !load_whole(n)) {
		mon_names_free(n);
		return NULL;
	}
	return n;
}

/* The name at offset of a table that is there as a whole. */
static const char *whole_get(const struct mon_names *n, uint32_t offset)
{
	const char *s = n->whole + offset;

	return *s && memchr(s, 0, MON_MIN(n->size + 1 - offset, (size_t)LONGEST)) ? s : unknown;
}

const char *mon_names_peek(struct mon_names *n, uint32_t offset, char buf[MON_NAME_PEEK])
{
	size_t got;

	if (offset >= n->size)
		return unknown;
	if (n->npeek++ >= MANY)
		load_whole(n);
	if (n->whole)
		return n->whole[offset] ? n->whole + offset : unknown;
	got = read_at(n, offset, buf, MON_MIN(n->size - offset, (size_t)MON_NAME_PEEK - 1));
	buf[got] = 0;
	return *buf ? buf : unknown;
}

/* ---- names that are kept ----------------------------------------------------------------------------------------- */

/* Room for size bytes at the end of the arena; what is used of it, the caller adds to n->used. */
static char *arena_room(struct mon_names *n, size_t size)
{
	if (!n->arena || n->arena_size - n->used < size) {
		size_t all = MON_MAX(size, (size_t)ARENA);
		struct arena *a = malloc(sizeof(*a) + all);

		if (!a)
			return NULL;
		a->next = n->arena;
		n->arena = a;
		n->arena_size = all;
		n->used = 0;
	}
	return n->arena->data + n->used;
}

/* Read the name at offset into the arena. */
static const char *read_name(struct mon_names *n, uint32_t offset)
{
	for (size_t len = FIRST_READ; len <= LONGEST; len *= 4) {
		char *s = arena_room(n, len + 1);
		size_t got;

		if (!s)
			break;
		got = read_at(n, offset, s, MON_MIN(n->size - offset, len));
		s[got] = 0;
		got = strlen(s);
		if (got == len) /* it may go on */
			continue;
		n->used += got + 1;
		return *s ? s : unknown;
	}
	return unknown;
}

/* The slot of offset, or the free one where it belongs. */
static struct kept *find(struct kept *kept, size_t room, uint32_t offset)
{
	size_t i = (size_t)(offset * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; i++) {
		struct kept *k = &kept[i & (room - 1)];

		if (!k->name || k->offset == offset)
			return k;
	}
}

static bool kept_grow(struct mon_names *n)
{
	size_t room = n->room ? 2 * n->room : 256;
	struct kept *more;

	if (2 * n->nkept < n->room)
		return true;
	more = calloc(room, sizeof(*more));
	if (!more)
		return false;
	for (size_t i = 0; i < n->room; i++)
		if (n->kept[i].name)
			*find(more, room, n->kept[i].offset) = n->kept[i];
	free(n->kept);
	n->kept = more;
	n->room = room;
	return true;
}

const char *mon_names_get(struct mon_names *n, uint32_t offset)
{
	struct kept *k;

	if (offset >= n->size)
		return unknown;
	if (n->nkept >= MANY)
		load_whole(n);
	if (n->whole)
		return whole_get(n, offset);
	if (!kept_grow(n))
		return unknown;
	k = find(n->kept, n->room, offset);
	if (!k->name) {
		*k = (struct kept){ .offset = offset, .name = read_name(n, offset) };
		n->nkept++;
	}
	return k->name;
}

bool mon_name_known(const char *name)
{
	return name != unknown;
}
