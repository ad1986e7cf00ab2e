/* SPDX-License-Identifier: BSD-2-Clause */
/* loaded.c -- which object the loader has at an address, without its lock, also in a signal handler.
 *
 * _dl_find_object tells, from glibc 2.35 on.  Elsewhere a snapshot does, taken when the profile starts: objects opened
 * later are not in it, those closed since are.
 */
#include "mon_impl.h"

#include <dlfcn.h>
#include <link.h>

#define MOST_IN_SNAPSHOT 512

static struct snapshot {
	uintptr_t low, high; /* of all its segments */
	struct mon_loaded loaded;
} snapshot[MOST_IN_SNAPSHOT];
static uint32_t nsnapshot;

static int take(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct snapshot s = { UINTPTR_MAX, 0, { NULL, 0, info->dlpi_addr, info->dlpi_name } };
	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + ph->p_vaddr, high = low + ph->p_memsz;
		if (ph->p_type != PT_LOAD)
			continue;
		s.low = low < s.low ? low : s.low;
		s.high = high > s.high ? high : s.high;
	}
	s.loaded.start = s.low;
	s.loaded.map = (const void *)s.low;
	if (s.high > s.low && nsnapshot < MOST_IN_SNAPSHOT)
		snapshot[nsnapshot++] = s;
	return 0;
}

static bool find_in_snapshot(uintptr_t pc, struct mon_loaded *found)
{
	for (uint32_t i = 0; i < nsnapshot; i++)
		if (pc >= snapshot[i].low && pc < snapshot[i].high) {
			*found = snapshot[i].loaded;
			return true;
		}
	return false;
}

#if defined(DLFO_STRUCT_HAS_EH_DBASE) && !defined(MON_SNAPSHOT)
#pragma weak _dl_find_object
static bool can_ask(void)
{
	return _dl_find_object != NULL;
}

static bool ask(uintptr_t pc, struct mon_loaded *found)
{
	struct dl_find_object o;
	if (_dl_find_object((void *)pc, &o) != 0 || !o.dlfo_link_map)
		return false;
	*found = (struct mon_loaded){ o.dlfo_link_map, (uintptr_t)o.dlfo_map_start, o.dlfo_link_map->l_addr,
				      o.dlfo_link_map->l_name };
	return true;
}
#else
static bool can_ask(void)
{
	return false;
}

static bool ask(uintptr_t pc, struct mon_loaded *found)
{
	(void)pc;
	(void)found;
	return false;
}
#endif

/* Takes the loader's lock. */
void mon_loaded_init(void)
{
	if (!can_ask() && !nsnapshot)
		dl_iterate_phdr(take, NULL);
}

bool mon_loaded_find(uintptr_t pc, struct mon_loaded *found)
{
	return can_ask() ? ask(pc, found) : find_in_snapshot(pc, found);
}
