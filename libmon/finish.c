/* SPDX-License-Identifier: BSD-2-Clause */
/* finish.c -- the finished file: the live one written anew, compact and with a checksum, and given its name for good. */
#include "mon_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The sums of all threads' counts, taken once. */
struct totals {
	uint64_t n, size; /* size: bytes of call */
	struct call {
		struct monfmt_function function;
		uint64_t count;
	} * call;
};

static bool take_totals(struct totals *t)
{
	struct monfmt_function f;
	uint64_t id = 0, count, most = 0;
	while (mon_count_next(&id, &f, &count))
		most++;
	*t = (struct totals){ .size = most * sizeof t->call[0] };
	if (!most)
		return true;
	t->call = mon_map(t->size);
	for (id = 0; t->call && t->n < most && mon_count_next(&id, &f, &count);)
		t->call[t->n++] = (struct call){ f, count };
	return t->call != NULL;
}

/* A file in memory.  It is built twice: first to find its size (data NULL), then for real. */
struct image {
	char *data;
	uint64_t size, most; /* bytes; most: room in data */
	struct monfmt_section *section;
	uint32_t nsection, room;
};

/* Other threads go on counting while a snapshot is built: what does not fit any more is left out. */
static void *append(struct image *im, enum monfmt_type type, uint32_t of, const void *data, uint64_t size)
{
	uint64_t offset = (im->size + 7) / 8 * 8;
	void *p = im->data ? im->data + offset : NULL;
	if (im->data && (offset + size > im->most || im->nsection == im->room))
		return NULL;
	im->size = offset + size;
	if (im->data)
		im->section[im->nsection] = (struct monfmt_section){ type, of, offset, size };
	im->nsection++;
	if (p && data)
		mon_copy(p, data, size);
	return p;
}

static void append_bins(struct image *im, const struct mon_object *o)
{
	uint64_t bin = 0, count, n = 0;
	while (mon_bins_next(o, &bin, &count))
		n++;
	struct monfmt_bin *out = n ? append(im, MONFMT_BINS, o->index, NULL, n * sizeof *out) : NULL;
	for (bin = 0; out && n > 0 && mon_bins_next(o, &bin, &count); n--)
		*out++ = (struct monfmt_bin){ bin - 1, count };
}

/* Of one object; total holds the counts of all functions. */
static void append_calls(struct image *im, const struct totals *total, uint32_t object, uint64_t low)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < total->n; i++)
		n += total->call[i].function.object == object;
	struct monfmt_call *out = n ? append(im, MONFMT_CALLS, object, NULL, n * sizeof *out) : NULL;
	for (uint64_t i = 0; out && i < total->n; i++)
		if (total->call[i].function.object == object)
			*out++ = (struct monfmt_call){ low + total->call[i].function.offset, total->call[i].count };
}

/* Sections that are as they were: texts, clock, threads. */
static void append_copies(struct image *im)
{
	static const bool copied[] = {
		[MONFMT_PROCESS] = true, [MONFMT_ARGUMENT] = true, [MONFMT_HOST] = true,  [MONFMT_CLOCK] = true,
		[MONFMT_OBJECT] = true,	 [MONFMT_THREAD] = true,   [MONFMT_VTIMES] = true
	};
	struct monfmt_section s;
	const void *data;
	for (uint32_t i = 0; mon_live_nth(i, &s, &data); i++)
		if (s.type < sizeof copied / sizeof copied[0] && copied[s.type])
			append(im, s.type, s.of, data, s.size);
}

static void build(struct image *im, const struct totals *total, uint32_t nsection)
{
	const struct monfmt_header h = { .magic = MONFMT_MAGIC,
					 .order = MONFMT_ORDER,
					 .version = MONFMT_VERSION,
					 .word = sizeof(void *),
					 .state = MONFMT_FINISHED,
					 .table = sizeof h };
	struct monfmt_table *t = (struct monfmt_table *)(void *)(im->data + sizeof h);
	if (im->data) {
		mon_copy(im->data, &h, sizeof h);
		im->section = t->section;
		im->room = nsection;
	}
	im->size = sizeof h + sizeof *t + nsection * sizeof t->section[0];
	append_copies(im);
	const struct mon_object *o;
	for (uint32_t i = 0; (o = mon_object_nth(i)); i++) {
		append_calls(im, total, i, o->record->low);
		append_bins(im, o);
	}
	append_calls(im, total, MONFMT_NO_OBJECT, 0);
	if (im->data)
		t->nsection = t->room = im->nsection;
}

/* As zlib's. */
static uint32_t crc32(const unsigned char *p, uint64_t n)
{
	static uint32_t table[256];
	uint32_t crc = ~0u;
	for (uint32_t i = 0; i < 256 && !table[255]; i++) {
		uint32_t c = i;
		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		table[i] = c;
	}
	while (n-- > 0)
		crc = table[(crc ^ *p++) & 0xff] ^ crc >> 8;
	return ~crc;
}

/* Build the finished file; its data is NULL when there is no memory. */
static struct image build_image(const struct totals *total)
{
	struct image im = { 0 };
	build(&im, total, 0);
	uint32_t nsection = im.nsection;
	/* Room for what other threads add between the two passes. */
	uint64_t most = im.size + im.size / 8 + nsection * sizeof(struct monfmt_section) + 65536;
	im = (struct image){ .data = mon_map(most), .most = most };
	if (!im.data)
		return im;
	build(&im, total, nsection);
	struct monfmt_header *h = (struct monfmt_header *)(void *)im.data;
	h->size = im.size;
	h->crc = crc32((const unsigned char *)im.data, im.size);
	return im;
}

/* The finished file of what there is now; its data is NULL when there is no memory. */
static struct image compact(void)
{
	struct totals total;
	struct image im = { 0 };
	if (take_totals(&total))
		im = build_image(&total);
	mon_unmap(total.call, total.size);
	return im;
}

/* Write it to fd, which is closed; 0 or an errno. */
static int write_image(const struct image *im, int fd)
{
	if (fd < 0)
		return errno;
	int error = im->data ? mon_write(fd, im->data, im->size) : ENOMEM;
	if (MON_SYS(close, fd) < 0 && !error)
		error = errno;
	return error;
}

/* Under a temporary name beside it first: whoever opens path sees all of it or nothing. */
int mon_finish_copy(const char *path)
{
	static struct mon_name temporary, name;
	struct mon_line t = MON_LINE(temporary.path), l = MON_LINE(name.path);
	mon_put(&l, path);
	mon_put(&t, path);
	mon_put(&t, ".");
	mon_put_number(&t, (uint64_t)mon_tid());
	if (t.cut)
		return ENAMETOOLONG;
	int fd = (int)MON_SYS(openat, AT_FDCWD, temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct image im = compact();
	int error = write_image(&im, fd);
	mon_unmap(im.data, im.most);
	if (!error)
		error = mon_name_replace(&temporary, &name);
	if (error && fd >= 0)
		mon_name_remove(&temporary);
	return error;
}

/* mon.out of the started process takes the place of an older one; every other name is the live file's own. */
static void take_name(const struct mon_name *temporary, const struct mon_name *live)
{
	static struct mon_name final;
	if (mon_name_may_be_plain(&final) && mon_name_replace(temporary, &final) == 0) {
		if (temporary != live)
			mon_name_remove(live);
	} else if (temporary != live && mon_name_replace(temporary, live)) {
		mon_name_remove(temporary);
	}
}

void mon_finish(void)
{
	static struct mon_name temporary;
	const struct mon_name *live = mon_live_name();
	bool private = mon_live_process->flags & MONFMT_F_PRIVATE, lost_calls = mon_live_process->lost_calls != 0;
	struct image im = compact();
	int fd = mon_name_create_temporary(&temporary), error = write_image(&im, fd);
	if (error && fd >= 0)
		mon_name_remove(&temporary);
	/* Without a new file the live one is as good, only larger, unless a part of it is elsewhere. */
	if (error && private && im.data && mon_live_overwrite(im.data, im.size) == 0)
	private = false;
	else if (error) __atomic_store_n(&mon_live_header->state, MONFMT_FINISHED, __ATOMIC_RELEASE);
	take_name(error ? live : &temporary, live);
	mon_unmap(im.data, im.most);
	if (error && private)
		mon_say(live->path, mon_reason(error), "part of the profile is lost");
	else if (lost_calls)
		mon_say(live->path, "out of memory", "some calls are missing from the counts");
}
