/* SPDX-License-Identifier: BSD-2-Clause */
/* note.c -- the build-id of a program, from its notes. */
#include "monread_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_NOTES = 64 << 10, /* bytes looked at */
	HEAD = 12,	      /* sizes of name and contents, type: 4 bytes each */
	BUILD_ID = 3,	      /* the type, for the name "GNU" */
};

static size_t rounded(uint64_t size, size_t align)
{
	return (size_t)((size + align - 1) / align * align);
}

/* Look at the note at b; returns its size, or 0: it is none. */
static size_t take_note(struct mon_object *obj, const unsigned char *b, size_t left, size_t align)
{
	enum mon_order order = obj->big_endian ? MON_BE : MON_LE;
	uint64_t name, contents;
	size_t at;

	if (left < HEAD)
		return 0;
	name = mon_get(b, 4, order);
	contents = mon_get(b + 4, 4, order);
	at = rounded(HEAD + name, align);
	if (at > left || contents > left - at)
		return 0;
	if (mon_get(b + 8, 4, order) == BUILD_ID && name == 4 && !memcmp(b + HEAD, "GNU", 4) && contents > 0 &&
	    contents <= sizeof(obj->build_id) && obj->build_id_size == 0) {
		memcpy(obj->build_id, b + at, (size_t)contents);
		obj->build_id_size = (size_t)contents;
	}
	return MON_MIN(left, at + rounded(contents, align));
}

int mon_object_read_notes(struct mon_object *obj, uint64_t off, uint64_t size, uint64_t align, struct mon_error *err)
{
	unsigned char *notes;
	size_t got, n;
	int rc;

	if (size > MAX_NOTES || off > INT64_MAX)
		return 0;
	notes = malloc((size_t)size + 1);
	if (!notes)
		return mon_error_nomem(err);
	rc = mon_file_read(obj->fd, notes, (size_t)size, off, &got, err);
	for (size_t at = 0; rc == 0 && at < got; at += n) {
		n = take_note(obj, notes + at, got - at, align == 8 ? 8 : 4);
		if (n == 0)
			break;
	}
	free(notes);
	return rc;
}

const unsigned char *mon_object_build_id(const struct mon_object *obj, size_t *size)
{
	*size = obj->build_id_size;
	return obj->build_id;
}
