/* SPDX-License-Identifier: BSD-2-Clause */
/* object.c -- the objects that ticks and calls fall into: the program, its shared objects, those opened and closed later.
 *
 * loaded.c tells which object holds an address; what the file says of it is read from its headers in memory.
 */
#include "mon_impl.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_OBJECTS 4096
#define LONGEST_PATH 4096

static struct mon_object object[MOST_OBJECTS];
static uint32_t nobject;
uintptr_t mon_vdso_low, mon_vdso_high;

/* ---- what the headers in memory say ---- */

struct headers {
	const ElfW(Phdr) * ph;
	size_t n;
	uintptr_t bias;
};

static bool find_headers(uintptr_t start, uintptr_t bias, struct headers *h)
{
	const ElfW(Ehdr) *eh = (const ElfW(Ehdr) *)start;
	if (memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0 || eh->e_phentsize != sizeof(ElfW(Phdr)) ||
	    eh->e_phoff + eh->e_phnum * sizeof(ElfW(Phdr)) > MON_PAGE)
		return false;
	*h = (struct headers){ (const ElfW(Phdr) *)(start + eh->e_phoff), eh->e_phnum, bias };
	return true;
}

static bool text_range(const struct headers *h, uintptr_t *low, uintptr_t *high)
{
	*low = UINTPTR_MAX;
	*high = 0;
	for (size_t i = 0; i < h->n; i++) {
		uintptr_t at = h->bias + h->ph[i].p_vaddr, end = at + h->ph[i].p_memsz;
		if (h->ph[i].p_type != PT_LOAD || !(h->ph[i].p_flags & PF_X))
			continue;
		if (h->ph[i].p_offset == 0) /* as in text.c */
			at = ((uintptr_t)(h->ph + h->n) + 7) & ~(uintptr_t)7;
		*low = at < *low ? at : *low;
		*high = end > *high ? end : *high;
	}
	return *high > *low;
}

static void read_build_id(const struct headers *h, struct monfmt_object *record)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->ph[i].p_type != PT_NOTE)
			continue;
		const char *p = (const char *)(h->bias + h->ph[i].p_vaddr), *end = p + h->ph[i].p_memsz;
		while (end - p > (long)sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)p;
			const char *name = p + sizeof *note, *desc = name + (note->n_namesz + 3u) / 4 * 4;
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
			    note->n_descsz <= sizeof record->build_id && desc + note->n_descsz <= end) {
				record->build_id_size = note->n_descsz;
				mon_copy(record->build_id, desc, note->n_descsz);
				return;
			}
			p = desc + (note->n_descsz + 3u) / 4 * 4;
		}
	}
}

/* The line of /proc/self/maps that holds addr: its path, or "".  Not /proc/self/exe, which is the loader when that was
 * asked to run the program. */
static void find_path(uintptr_t addr, char path[LONGEST_PATH])
{
	static char text[2 * LONGEST_PATH];
	int fd = (int)MON_SYS(openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	long n = 0;
	path[0] = 0;
	while (fd >= 0 && !path[0] && (n = MON_SYS(read, fd, text + have, sizeof text - 1 - have)) > 0) {
		char *line = text, *end;
		text[have += (size_t)n] = 0;
		for (; (end = strchr(line, '\n')); line = end + 1) {
			uintptr_t low = strtoul(line, &end, 16), high = strtoul(end + 1, &end, 16);
			const char *name = strchr(end, '/');
			end = strchr(end, '\n');
			if (addr >= low && addr < high && name && name < end && end - name < LONGEST_PATH) {
				mon_copy(path, name, (size_t)(end - name));
				path[end - name] = 0;
			}
		}
		have = strlen(line);
		memmove(text, line, have);
	}
	if (fd >= 0)
		MON_SYS(close, fd);
}

/* Of an object that the loader has: in full, as far as that can be found out. */
static const char *path_of(const struct mon_loaded *l)
{
	static char path[LONGEST_PATH];
	if (l->name[0] == '/')
		return l->name;
	find_path(l->start, path);
	return path[0] ? path : l->name;
}

/* ---- the list ---- */

/* Add an object; the last thing to be stored is what makes others see it. */
static struct mon_object *add(const struct headers *h, const void *map, const char *path)
{
	size_t path_size = strnlen(path, LONGEST_PATH);
	uintptr_t low, high;
	uint32_t n = nobject;
	if (n == MOST_OBJECTS || !text_range(h, &low, &high))
		return NULL;
	struct monfmt_object *record = mon_live_section(MONFMT_OBJECT, n, sizeof *record + path_size);
	uint32_t *page = mon_live_section(MONFMT_PAGES, n, ((high - low) / MONFMT_PAGE_TEXT + 1) * sizeof *page);
	if (!record || !page)
		return NULL;
	record->bias = h->bias;
	record->loaded = n == 0 ? 0 : mon_now();
	read_build_id(h, record);
	mon_copy(record->path, path, path_size);
	record->path_size = (uint32_t)path_size;
	record->low = low - h->bias;
	__atomic_store_n(&record->high, high - h->bias, __ATOMIC_RELEASE);
	object[n] = (struct mon_object){ low, high, map, n, page, record };
	__atomic_store_n(&nobject, n + 1, __ATOMIC_RELEASE);
	return &object[n];
}

/* Objects that are closed are forgotten at once (interpose.c), so the loader's own object tells them apart. */
static bool same(const struct mon_object *o, const struct mon_loaded *l)
{
	return o->map == l->map;
}

struct mon_object *mon_object_known(uintptr_t pc)
{
	struct mon_loaded loaded;
	bool asked = false;
	if (pc >= object[0].low && pc < object[0].high)
		return &object[0];
	for (uint32_t i = __atomic_load_n(&nobject, __ATOMIC_ACQUIRE); i-- > 1;) {
		if (pc < object[i].low || pc >= __atomic_load_n(&object[i].high, __ATOMIC_RELAXED))
			continue;
		if (!asked && !mon_loaded_find(pc, &loaded))
			return NULL;
		asked = true;
		if (same(&object[i], &loaded))
			return &object[i];
	}
	return NULL;
}

static void forget(struct mon_object *o)
{
	uintptr_t high = o->high;
	__atomic_store_n(&o->high, 0, __ATOMIC_SEQ_CST);
	o->record->unloaded = mon_now();
	mon_count_forget(o->low, high);
}

void mon_object_check(void)
{
	for (uint32_t i = 1; i < nobject; i++) {
		struct mon_loaded loaded;
		if (object[i].high && (!mon_loaded_find(object[i].low, &loaded) || !same(&object[i], &loaded)))
			forget(&object[i]);
	}
}

/* The same file as one that was closed: it is taken up again, at its new place, with what it has counted. */
static struct mon_object *revive(const struct headers *h, const void *map, const char *path)
{
	static struct monfmt_object fresh;
	uintptr_t low, high;
	fresh.build_id_size = 0;
	read_build_id(h, &fresh);
	if (!fresh.build_id_size || !text_range(h, &low, &high))
		return NULL;
	for (uint32_t i = 1; i < nobject; i++) {
		struct mon_object *o = &object[i];
		struct monfmt_object *r = o->record;
		if (o->high || r->high - r->low != high - low || r->build_id_size != fresh.build_id_size ||
		    memcmp(r->build_id, fresh.build_id, fresh.build_id_size) != 0 || strlen(path) != r->path_size ||
		    memcmp(r->path, path, r->path_size) != 0)
			continue;
		r->bias = h->bias;
		r->unloaded = 0;
		o->low = low;
		o->map = map;
		__atomic_store_n(&o->high, high, __ATOMIC_RELEASE);
		mon_count_recall(i, low);
		return o;
	}
	return NULL;
}

struct mon_object *mon_object_learn(uintptr_t pc)
{
	struct mon_object *o = mon_object_known(pc);
	struct mon_loaded loaded;
	struct headers h;
	if (o || !nobject || !mon_loaded_find(pc, &loaded) || !find_headers(loaded.start, loaded.bias, &h))
		return o;
	mon_object_check(); /* what is new may be in the place of what is gone */
	const char *path = path_of(&loaded);
	o = revive(&h, loaded.map, path);
	if (!o)
		o = add(&h, loaded.map, path);
	return o && pc >= o->low && pc < o->high ? o : NULL;
}

const struct mon_object *mon_object_nth(uint32_t n)
{
	return n < nobject ? &object[n] : NULL;
}

static void find_vdso(void)
{
	struct headers h;
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	if (!start || !find_headers(start, 0, &h))
		return;
	for (size_t i = 0; i < h.n; i++)
		if (h.ph[i].p_type == PT_LOAD) {
			mon_vdso_low = start;
			mon_vdso_high = start + h.ph[i].p_memsz;
		}
}

/* The objects of the parent, as they are now, in the file of a fork child; indexes stay. */
static bool list_anew(void)
{
	uint32_t n = nobject;
	nobject = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct mon_object o = object[i];
		struct monfmt_object *record = mon_live_section(MONFMT_OBJECT, i, sizeof *record + o.record->path_size);
		o.page = mon_live_section(MONFMT_PAGES, i,
					  ((o.record->high - o.record->low) / MONFMT_PAGE_TEXT + 1) * sizeof *o.page);
		if (!record || !o.page)
			return false;
		mon_copy(record, o.record, sizeof *record + o.record->path_size);
		o.record = record;
		object[i] = o;
	}
	nobject = n;
	return true;
}

bool mon_object_open(void)
{
	static char path[LONGEST_PATH];
	if (nobject)
		return list_anew();
	const struct headers h = { mon_text_main.header, mon_text_main.nheader, mon_text_main.bias };
	find_path(mon_text_main.low, path);
	if (!path[0]) { /* no descriptor is left to read that with */
		long n = MON_SYS(readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
		path[n > 0 ? n : 0] = 0;
	}
	find_vdso();
	return add(&h, NULL, path) != NULL;
}
