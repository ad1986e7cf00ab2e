/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c -- where the program's own code lies: the executable segments of the main program and its load bias. */
#include "mon_impl.h"

#include <link.h>

struct search {
	uintptr_t pc;
	struct mon_text *text;
};

/* The first object reported is the program itself, also when it is static or was started through ld.so. */
static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct search *want = arg;
	struct mon_text text = { .bias = info->dlpi_addr, .header = info->dlpi_phdr, .nheader = info->dlpi_phnum };
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + ph->p_vaddr, high = low + ph->p_memsz;
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		if (ph->p_offset ==
		    0) /* some linkers put the file's headers there: no code, and the address may be 0 */
			low = ((uintptr_t)(info->dlpi_phdr + info->dlpi_phnum) + 7) & ~(uintptr_t)7;
		if (!text.high || low < text.low)
			text.low = low;
		if (high > text.high)
			text.high = high;
	}
	if (want->pc && (want->pc < text.low || want->pc >= text.high))
		return 0;
	*want->text = text;
	return 1;
}

bool mon_text_find(uintptr_t pc, struct mon_text *text)
{
	struct search want = { pc, text };
	return dl_iterate_phdr(look_at, &want) && text->high > text->low;
}

struct mon_text mon_text_main;

void mon_text_init(void)
{
	if (!mon_text_main.high)
		mon_text_find(0, &mon_text_main);
}
