/* SPDX-License-Identifier: BSD-2-Clause */
/* object.c -- a program file: checks, segments, sections and where its symbol table is.
 *
 * libelf is given the file only after the tables that its header claims were found to lie inside it.
 */
#include "monread_impl.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_NAMES = 1 << 24, /* largest table of section names that is read */
	MAX_NOTES = 16,	     /* segments of notes that are looked at */
};
#define MAX_SYMTAB (UINT64_C(1) << 32) /* largest symbol table that is read */

typedef unsigned long long ull;

/* ---- the header, before libelf sees it --------------------------------------------------------------------------- */

struct ehdr {
	struct mon_field type, machine, entry, phoff, shoff, phentsize, phnum, shentsize, shnum;
	uint8_t size, sh_size;	   /* of the header; of a section header */
	struct mon_field sh_count; /* sh_size of section 0: how many there are when shnum is 0 */
};

static const struct ehdr ehdr32 = {
	.type = { 16, 2 },
	.machine = { 18, 2 },
	.entry = { 24, 4 },
	.phoff = { 28, 4 },
	.shoff = { 32, 4 },
	.phentsize = { 42, 2 },
	.phnum = { 44, 2 },
	.shentsize = { 46, 2 },
	.shnum = { 48, 2 },
	.size = 52,
	.sh_size = 40,
	.sh_count = { 20, 4 },
};
static const struct ehdr ehdr64 = {
	.type = { 16, 2 },
	.machine = { 18, 2 },
	.entry = { 24, 8 },
	.phoff = { 32, 8 },
	.shoff = { 40, 8 },
	.phentsize = { 54, 2 },
	.phnum = { 56, 2 },
	.shentsize = { 58, 2 },
	.shnum = { 60, 2 },
	.size = 64,
	.sh_size = 64,
	.sh_count = { 32, 8 },
};

static int bad(struct mon_error *err, const char *what)
{
	return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET, "%s", what);
}

/* libelf failed; it has no code for a lack of memory that programs may know, but malloc leaves one. */
static int bad_elf(struct mon_error *err)
{
	return errno == ENOMEM ? mon_error_nomem(err) : bad(err, elf_errmsg(-1));
}

/* Does a table of n entries lie in the file? */
static bool fits(const struct mon_input *in, uint64_t off, uint64_t n, uint64_t size)
{
	return off <= in->size && n <= (in->size - off) / size;
}

static int check_tables(struct mon_input *in, const struct ehdr *e, const unsigned char *h, enum mon_order order,
			struct mon_error *err)
{
	uint64_t phoff = mon_get_field(h, e->phoff, order), phnum = mon_get_field(h, e->phnum, order);
	uint64_t shoff = mon_get_field(h, e->shoff, order), shnum = mon_get_field(h, e->shnum, order);
	uint64_t shentsize = mon_get_field(h, e->shentsize, order);
	const unsigned char *first;

	if (phnum && !fits(in, phoff, phnum, MON_MAX(mon_get_field(h, e->phentsize, order), 1u)))
		return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET,
				     "its program headers (%llu at byte %llu) lie outside its %llu bytes: truncated?",
				     (ull)phnum, (ull)phoff, (ull)in->size);
	if (shoff == 0)
		return 0;
	if (shentsize != e->sh_size)
		return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET, "its section headers have %llu bytes, not %u",
				     (ull)shentsize, e->sh_size);
	if (shnum == 0 && fits(in, shoff, 1, shentsize)) {
		first = mon_input_at(in, shoff, e->sh_size, err);
		if (!first)
			return -1;
		shnum = mon_get_field(first, e->sh_count, order);
	}
	if (!fits(in, shoff, MON_MAX(shnum, 1u), shentsize))
		return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET,
				     "its section headers (%llu at byte %llu) lie outside its %llu bytes: truncated?",
				     (ull)shnum, (ull)shoff, (ull)in->size);
	return 0;
}

static int check_type(uint64_t type, struct mon_error *err)
{
	switch (type) {
	case ET_EXEC:
	case ET_DYN:
		return 0;
	case ET_REL:
		return bad(err, "is an object file that was not linked yet");
	case ET_CORE:
		return bad(err, "is a core dump, not a program");
	default:
		return bad(err, "is no program or shared object");
	}
}

static int check_header(struct mon_object *obj, struct mon_input *in, struct mon_error *err)
{
	const unsigned char *h = mon_input_at(in, 0, (size_t)MON_MIN(in->size, (uint64_t)MON_HEAD), err);
	enum mon_kind kind;
	const char *what;
	const struct ehdr *e;
	enum mon_order order;

	if (!h)
		return -1;
	what = mon_sniff(h, (size_t)MON_MIN(in->size, (uint64_t)MON_HEAD), &kind);
	if (kind != MON_KIND_ELF)
		return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET, "is %s, not an ELF program",
				     in->size == 0 ? "empty"
				     : what	   ? what
						   : "something else");
	if (in->size < EI_NIDENT || (h[EI_CLASS] != ELFCLASS32 && h[EI_CLASS] != ELFCLASS64) ||
	    (h[EI_DATA] != ELFDATA2LSB && h[EI_DATA] != ELFDATA2MSB))
		return bad(err, "its ELF header names no known class and byte order");
	e = h[EI_CLASS] == ELFCLASS64 ? &ehdr64 : &ehdr32;
	if (in->size < e->size)
		return mon_error_set(err, MON_E_OBJECT, 0, in->size,
				     "the file ends after %llu bytes, inside its ELF header", (ull)in->size);
	obj->word = h[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	obj->big_endian = h[EI_DATA] == ELFDATA2MSB;
	order = obj->big_endian ? MON_BE : MON_LE;
	obj->entry = mon_get_field(h, e->entry, order);
	obj->thumb = mon_get_field(h, e->machine, order) == EM_ARM;
	if (check_type(mon_get_field(h, e->type, order), err))
		return -1;
	return check_tables(in, e, h, order, err);
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

static int load_segments(struct mon_object *obj, Elf *elf, struct mon_error *err)
{
	size_t n, nnote = 0;

	obj->text_low = obj->base = UINT64_MAX;
	if (elf_getphdrnum(elf, &n))
		return bad_elf(err);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			return bad_elf(err);
		if (ph.p_type == PT_NOTE && nnote++ < MAX_NOTES &&
		    mon_object_read_notes(obj, ph.p_offset, ph.p_filesz, ph.p_align, err))
			return -1;
		if (ph.p_type != PT_LOAD || ph.p_memsz == 0)
			continue;
		if (ph.p_vaddr > UINT64_MAX - ph.p_memsz)
			return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET,
					     "a segment at 0x%llx of 0x%llx bytes wraps around", (ull)ph.p_vaddr,
					     (ull)ph.p_memsz);
		obj->base = MON_MIN(obj->base, ph.p_vaddr);
		if (!(ph.p_flags & PF_X))
			continue;
		obj->text_low = MON_MIN(obj->text_low, ph.p_vaddr);
		obj->text_high = MON_MAX(obj->text_high, ph.p_vaddr + ph.p_memsz);
	}
	return obj->text_high ? 0 : bad(err, "has no executable segment");
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* What the walk over the sections looks for. */
struct walk {
	struct mon_object *obj;
	Elf *elf;
	uint64_t file_size;
	size_t names;		  /* section of the section names; 0: not usable */
	size_t room;		  /* of obj->section */
	GElf_Shdr symtab, dynsym; /* sh_type SHT_NULL: not found */
};

/* Where the bytes of the section lie that belong to no function. */
static int section_place(const struct walk *w, const GElf_Shdr *sh, enum mon_place *place, struct mon_error *err)
{
	const char *name = w->names ? elf_strptr(w->elf, w->names, sh->sh_name) : NULL;

	if (w->names && !name && errno == ENOMEM)
		return mon_error_nomem(err);
	*place = name && (!strncmp(name, ".plt", 4) || !strncmp(name, ".iplt", 5)) ? MON_IN_PLT : MON_IN_GAP;
	return 0;
}

static int take_section(struct walk *w, const GElf_Shdr *sh, struct mon_error *err)
{
	struct mon_object *obj = w->obj;
	enum mon_place place = MON_IN_GAP;

	if (sh->sh_type == SHT_SYMTAB && w->symtab.sh_type == SHT_NULL)
		w->symtab = *sh;
	if (sh->sh_type == SHT_DYNSYM && w->dynsym.sh_type == SHT_NULL)
		w->dynsym = *sh;
	if ((sh->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) || sh->sh_size == 0 ||
	    sh->sh_addr > UINT64_MAX - sh->sh_size)
		return 0;
	if (section_place(w, sh, &place, err) ||
	    mon_grow((void **)&obj->section, obj->nsection, &w->room, sizeof(*obj->section), err))
		return -1;
	obj->section[obj->nsection++] =
	    (struct mon_section){ .addr = sh->sh_addr, .end = sh->sh_addr + sh->sh_size, .place = place };
	return 0;
}

/* The table of section names, unless it is damaged or too large to be true. */
static size_t find_names(Elf *elf, uint64_t file_size)
{
	GElf_Shdr sh;
	size_t index;

	if (elf_getshdrstrndx(elf, &index) || !gelf_getshdr(elf_getscn(elf, index), &sh) || sh.sh_type != SHT_STRTAB ||
	    sh.sh_size > MAX_NAMES || sh.sh_offset > file_size || sh.sh_size > file_size - sh.sh_offset)
		return 0;
	return index;
}

/* Sort, and cut each section where the next begins. */
static void order_sections(struct mon_object *obj)
{
	size_t n = 0;

	mon_sort(obj->section, obj->nsection, sizeof(*obj->section), MON_KEY(struct mon_section, addr), NULL, NULL);
	for (size_t i = 0; i < obj->nsection; i++) {
		struct mon_section *s = &obj->section[i];

		if (i + 1 < obj->nsection)
			s->end = MON_MIN(s->end, s[1].addr);
		if (s->addr < s->end)
			obj->section[n++] = *s;
	}
	obj->nsection = n;
}

static int load_sections(struct walk *w, struct mon_error *err)
{
	w->names = find_names(w->elf, w->file_size);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(w->elf, scn));) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh))
			return bad_elf(err);
		if (take_section(w, &sh, err))
			return -1;
	}
	order_sections(w->obj);
	return 0;
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

static int check_extent(const struct walk *w, const GElf_Shdr *sh, const char *what, struct mon_error *err)
{
	if (sh->sh_offset > w->file_size || sh->sh_size > w->file_size - sh->sh_offset)
		return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET,
				     "its %s (%llu bytes at byte %llu) lies outside its %llu bytes: truncated?", what,
				     (ull)sh->sh_size, (ull)sh->sh_offset, (ull)w->file_size);
	return 0;
}

static int load_symbols(struct walk *w, const GElf_Shdr *sh, struct mon_error *err)
{
	size_t entry = gelf_fsize(w->elf, ELF_T_SYM, 1, EV_CURRENT);
	struct mon_symtab tab = { .off = sh->sh_offset, .size = sh->sh_size };
	GElf_Shdr names;

	if (sh->sh_entsize != entry)
		return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET, "its symbols have %llu bytes, not %zu",
				     (ull)sh->sh_entsize, entry);
	if (sh->sh_flags & SHF_COMPRESSED || sh->sh_size > MAX_SYMTAB)
		return bad(err, "its symbol table is compressed or too large to be true");
	if (check_extent(w, sh, "symbol table", err))
		return -1;
	if (!gelf_getshdr(elf_getscn(w->elf, sh->sh_link), &names) || names.sh_type != SHT_STRTAB)
		return mon_error_set(err, MON_E_NOSYMS, 0, MON_NO_OFFSET,
				     "its symbol table has no names (section %llu is no string table)",
				     (ull)sh->sh_link);
	if (check_extent(w, &names, "table of symbol names", err))
		return -1;
	tab.names_off = names.sh_offset;
	tab.names_size = names.sh_size;
	return mon_symtab_load(w->obj, &tab, err);
}

static int load_tables(struct walk *w, struct mon_error *err)
{
	struct mon_object *obj = w->obj;

	if (w->symtab.sh_type != SHT_NULL && load_symbols(w, &w->symtab, err))
		return -1;
	if (obj->nsym == 0 && w->dynsym.sh_type != SHT_NULL) {
		mon_symtab_free(obj);
		obj->stripped = true;
		if (load_symbols(w, &w->dynsym, err))
			return -1;
	}
	if (obj->nsym > 0)
		return 0;
	return mon_error_set(err, MON_E_NOSYMS, 0, MON_NO_OFFSET,
			     w->symtab.sh_type == SHT_NULL
				 ? "has no symbols: it was stripped; use the program as it was linked"
				 : "has symbols, but none of them is a function");
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int load(struct mon_object *obj, uint64_t size, struct mon_error *err)
{
	struct walk w = { .obj = obj, .file_size = size };
	int rc = -1;

	errno = 0;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return bad_elf(err);
	w.elf = elf_begin(obj->fd, ELF_C_READ, NULL);
	if (!w.elf || elf_kind(w.elf) != ELF_K_ELF)
		rc = w.elf ? bad(err, "is no ELF file") : bad_elf(err);
	else if (load_segments(obj, w.elf, err) == 0 && load_sections(&w, err) == 0)
		rc = load_tables(&w, err);
	elf_end(w.elf);
	return rc;
}

int mon_object_open(const char *path, struct mon_object **out, struct mon_error *err)
{
	struct mon_object *obj = calloc(1, sizeof(*obj));
	struct mon_input in = { .fd = -1 };
	struct stat st;
	int rc = -1;

	if (!obj)
		return mon_error_nomem(err);
	obj->fd = -1;
	obj->path = strdup(path);
	in.window = MON_HEAD;
	in.owned = malloc(in.window);
	if (!obj->path || !in.owned) {
		mon_error_nomem(err);
	} else if (mon_file_open(path, &obj->fd, &st, err) == 0) {
		in.fd = obj->fd;
		in.bytes = in.owned;
		in.size = (uint64_t)st.st_size;
		if (check_header(obj, &in, err) == 0)
			rc = load(obj, in.size, err);
	}
	free(in.owned);
	if (rc == 0) {
		*out = obj;
		return 0;
	}
	if (err && err->code == MON_E_UNSUPPORTED) /* no regular file */
		err->code = MON_E_OBJECT;
	mon_object_close(obj);
	return -1;
}

void mon_object_close(struct mon_object *obj)
{
	if (!obj)
		return;
	mon_symtab_free(obj);
	if (obj->fd >= 0)
		close(obj->fd);
	free(obj->section);
	free(obj->path);
	free(obj);
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

const char *mon_object_path(const struct mon_object *obj)
{
	return obj->path;
}

void mon_object_text(const struct mon_object *obj, uint64_t *low, uint64_t *high)
{
	*low = obj->text_low;
	*high = obj->text_high;
}

unsigned mon_object_word(const struct mon_object *obj)
{
	return obj->word;
}

bool mon_object_big_endian(const struct mon_object *obj)
{
	return obj->big_endian;
}

bool mon_object_stripped(const struct mon_object *obj)
{
	return obj->stripped;
}

const struct mon_section *mon_object_section(const struct mon_object *obj, uint64_t addr)
{
	size_t low = 0, high = obj->nsection;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (obj->section[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < obj->nsection ? &obj->section[low] : NULL;
}
