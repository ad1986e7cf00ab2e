/* SPDX-License-Identifier: BSD-2-Clause */
/* symtab.c -- the function symbols of a program, sorted, with extents and aliases.
 *
 * The table is read twice, in pieces: the first time counts how many functions start in each small part of the text,
 * the second puts each one into its part, so that only few neighbours are left to sort.  Nothing is held twice.
 */
#include "monread_impl.h"

#include <assert.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- one symbol -------------------------------------------------------------------------------------------------- */

/* A symbol while the table is built: struct mon_symbol with what decides between aliases in its padding. */
struct draft {
	uint64_t addr, end; /* end == addr: no size stated */
	uint32_t name, file;
	uint8_t local;
	uint8_t rank; /* the least is preferred: global, weak, local; functions before labels */
};
enum { LABEL = 1, WEAK = 2, LOCAL = 4 };
static_assert(sizeof(struct draft) == sizeof(struct mon_symbol), "drafts become symbols in place");

/* What the two ELF classes say alike. */
struct raw {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	uint8_t info;
};

struct builder {
	struct mon_object *obj;
	struct mon_names *names;
	uint32_t file;			   /* of the local symbols that follow */
	const struct mon_section *section; /* of the symbol before */
	uint64_t low;			   /* of the first section */
	unsigned shift;			   /* part of an address: (addr - low) >> shift */
	uint32_t *part;			   /* owned; drafts in each part; then where the next one goes */
	size_t npart;
	struct draft *draft; /* becomes obj->sym */
	size_t n;
	size_t sorted, next_part; /* drafts before sorted are in order; the part that begins there */
};

/* Mapping symbols of ARM and RISC-V, and local labels of compilers, mark places, not functions. */
static bool is_mark(struct builder *b, uint32_t offset)
{
	char buf[MON_NAME_PEEK];
	const char *name = mon_names_peek(b->names, offset, buf);

	return (name[0] == '$' && name[1] && strchr("xdatp", name[1])) || !strncmp(name, ".L", 2) ||
	       !mon_name_known(name);
}

static bool find_section(struct builder *b, uint64_t addr)
{
	const struct mon_section *s = b->section;

	if (!s || addr < s->addr || addr >= s->end)
		s = mon_object_section(b->obj, addr);
	if (!s || addr < s->addr)
		return false;
	b->section = s;
	return true;
}

/* Is it a function?  Then fill in the draft. */
static bool take(struct builder *b, const struct raw *r, struct draft *d)
{
	unsigned type = r->info & 0xf, bind = r->info >> 4;
	uint64_t addr = r->value;

	if (type == STT_FILE)
		b->file = r->name;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (r->section == SHN_UNDEF || (r->section >= SHN_LORESERVE && r->section != SHN_XINDEX))
		return false;
	if (b->obj->thumb && type != STT_NOTYPE)
		addr &= ~UINT64_C(1);
	if (!find_section(b, addr) || (type == STT_NOTYPE && is_mark(b, r->name)))
		return false;
	d->addr = addr;
	d->end = r->size < b->section->end - addr ? addr + r->size : b->section->end;
	d->name = r->name;
	d->local = bind == STB_LOCAL;
	d->file = d->local ? b->file : 0;
	d->rank = (uint8_t)((d->local ? LOCAL : bind == STB_WEAK ? WEAK : 0) | (type == STT_NOTYPE ? LABEL : 0));
	return true;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static size_t entry_size(const struct mon_object *obj)
{
	return obj->word == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static struct raw raw_get(const void *table, size_t i, unsigned word)
{
	struct raw r;

	if (word == 8) {
		const Elf64_Sym *s = (const Elf64_Sym *)table + i;

		r = (struct raw){ s->st_value, s->st_size, s->st_name, s->st_shndx, s->st_info };
	} else {
		const Elf32_Sym *s = (const Elf32_Sym *)table + i;

		r = (struct raw){ s->st_value, s->st_size, s->st_name, s->st_shndx, s->st_info };
	}
	return r;
}

/* Numbers of the machine instead of those of the file, in place. */
static int convert(const struct mon_object *obj, void *buf, size_t len, struct mon_error *err)
{
	Elf_Data d = { .d_buf = buf, .d_type = ELF_T_SYM, .d_version = EV_CURRENT, .d_size = len };
	unsigned encode = obj->big_endian ? ELFDATA2MSB : ELFDATA2LSB;

	if (obj->word == 8 ? elf64_xlatetom(&d, &d, encode) : elf32_xlatetom(&d, &d, encode))
		return 0;
	return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET, "its symbols cannot be converted: %s",
			     elf_errmsg(-1));
}

static size_t part_of(const struct builder *b, uint64_t addr)
{
	return (size_t)((addr - b->low) >> b->shift);
}

static int changed(struct mon_error *err)
{
	return mon_error_set(err, MON_E_OBJECT, 0, MON_NO_OFFSET, "changed while it was read");
}

/* Count the functions among n symbols of a piece of the table or, once there are drafts, put them into their parts. */
static int take_piece(struct builder *b, const void *piece, size_t n, struct mon_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct raw r = raw_get(piece, i, b->obj->word);
		struct draft d = { 0 };
		uint32_t *part;

		if (!take(b, &r, &d))
			continue;
		part = &b->part[part_of(b, d.addr)];
		if (b->draft && *part == b->n)
			return changed(err);
		if (b->draft)
			b->draft[*part] = d;
		++*part;
	}
	return 0;
}

static int take_all(struct builder *b, const struct mon_symtab *tab, struct mon_error *err)
{
	size_t entry = entry_size(b->obj), room = MON_WINDOW / entry * entry, got;
	void *buf = malloc((size_t)MON_MIN(tab->size, (uint64_t)room) + 1);
	int rc = buf ? 0 : mon_error_nomem(err);

	b->file = 0;
	for (uint64_t off = 0; rc == 0 && off < tab->size; off += room) {
		size_t len = (size_t)MON_MIN(tab->size - off, (uint64_t)room) / entry * entry;

		rc = mon_file_read(b->obj->fd, buf, len, tab->off + off, &got, err);
		if (rc == 0 && got < len)
			rc = changed(err);
		if (rc == 0)
			rc = convert(b->obj, buf, len, err);
		if (rc == 0)
			rc = take_piece(b, buf, len / entry, err);
	}
	free(buf);
	return rc;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

enum { PER_PART = 8, MIN_PARTS = 64, MAX_PARTS = 1 << 20, HUGE_PAGE = 2 << 20 };

/* Divide the text into parts of some eight symbols each. */
static int make_parts(struct builder *b, const struct mon_symtab *tab, struct mon_error *err)
{
	const struct mon_object *obj = b->obj;
	uint64_t last, wanted = MON_MAX(tab->size / entry_size(obj) / PER_PART, (uint64_t)MIN_PARTS);

	if (obj->nsection == 0)
		return 0;
	b->low = obj->section[0].addr;
	last = obj->section[obj->nsection - 1].end - 1;
	while (b->shift < 63 && (last - b->low) >> b->shift >= MON_MIN(wanted, (uint64_t)MAX_PARTS))
		b->shift++;
	b->npart = part_of(b, last) + 1;
	b->part = calloc(b->npart, sizeof(*b->part));
	return b->part ? 0 : mon_error_nomem(err);
}

/* Cleared memory.  A large table is filled at random places: pages of the usual size would make each one slow. */
static void *alloc_drafts(size_t n)
{
	char *p = calloc(n, sizeof(struct draft));
	size_t size = n * sizeof(struct draft), skip;

	if (p && size > 2 * HUGE_PAGE) {
		skip = HUGE_PAGE - (uintptr_t)p % HUGE_PAGE;
		madvise(p + skip, size - skip, MADV_HUGEPAGE);
	}
	return p;
}

/* Counts of the parts become the places of their first drafts. */
static int place_parts(struct builder *b, struct mon_error *err)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->npart; i++) {
		uint32_t count = b->part[i];

		b->part[i] = (uint32_t)sum;
		sum += count;
	}
	b->n = (size_t)sum;
	if (sum == 0)
		return 0;
	b->draft = alloc_drafts(b->n);
	return b->draft ? 0 : mon_error_nomem(err);
}

/* Bring the drafts up to i into order; parts are sorted one after the other. */
static int sort_to(struct builder *b, size_t i, struct mon_error *err)
{
	while (b->sorted <= i && b->next_part < b->npart) {
		size_t part = b->next_part++, n = b->part[part] - b->sorted; /* which now is where the part ends */
		struct draft *d = b->draft + b->sorted;

		if (n == 0)
			continue;
		mon_sort(d, n, sizeof(*d), MON_KEY(struct draft, addr), NULL, NULL);
		if (d->addr < b->low || part_of(b, d->addr) != part || part_of(b, d[n - 1].addr) != part)
			return changed(err); /* between the two times it was read */
		b->sorted += n;
	}
	return 0;
}

/* ---- aliases ----------------------------------------------------------------------------------------------------- */

static size_t underscores(const char *s)
{
	size_t n = 0;

	while (n < MON_NAME_PEEK - 1 && s[n] == '_')
		n++;
	return n;
}

static int by_preference(const void *a, const void *b, void *names)
{
	const struct draft *x = a, *y = b;
	char xbuf[MON_NAME_PEEK], ybuf[MON_NAME_PEEK];
	const char *s, *t;
	size_t n, m;
	int order;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->name == y->name)
		return 0;
	s = mon_names_peek(names, x->name, xbuf);
	t = mon_names_peek(names, y->name, ybuf);
	if (!mon_name_known(s) || !mon_name_known(t))
		return mon_name_known(t) - mon_name_known(s);
	n = underscores(s);
	m = underscores(t);
	if (n == m) {
		n = strnlen(s, MON_NAME_PEEK - 1);
		m = strnlen(t, MON_NAME_PEEK - 1);
	}
	if (n != m)
		return n < m ? -1 : 1;
	order = strncmp(s, t, MON_NAME_PEEK - 1);
	return order ? order : x->name < y->name ? -1 : 1;
}

/* How many drafts from i on have one address; 0: failed. */
static size_t group_of(struct builder *b, size_t i, struct mon_error *err)
{
	size_t n = 1;

	for (; i + n < b->n; n++) {
		if (sort_to(b, i + n, err))
			return 0;
		if (b->draft[i + n].addr != b->draft[i].addr)
			break;
	}
	return n;
}

/* ---- extents ----------------------------------------------------------------------------------------------------- */

/* Labels inside a function of known size are places in that function. */
static bool only_labels(const struct draft *d, size_t n)
{
	while (n > 0 && d[n - 1].rank & LABEL)
		n--;
	return n == 0;
}

/* The end that all names of the n drafts at d share: the largest stated one; if there is none, the next symbol, but not
 * beyond the function that d lies in, if it lies in one, or the section. */
static uint64_t group_end(struct builder *b, const struct draft *d, size_t n, const struct draft *next, uint64_t around)
{
	uint64_t end = d->addr;

	for (size_t i = 0; i < n; i++)
		end = MON_MAX(end, d[i].end);
	if (end > d->addr)
		return end;
	find_section(b, d->addr);
	end = b->section->end;
	if (next)
		end = MON_MIN(end, next->addr);
	return around > d->addr ? MON_MIN(end, around) : end;
}

/* Turn the n drafts at from into symbols at to, which is not behind them. */
static void finish_group(const struct draft *from, size_t n, struct draft *to, uint64_t end)
{
	for (size_t i = 0; i < n; i++) {
		struct draft d = from[i];
		struct mon_symbol s = { .addr = d.addr, .end = end, .name = d.name, .file = d.file };

		s.local = d.local;
		s.alias = i > 0;
		memcpy(to + i, &s, sizeof(s));
	}
}

/* Turn drafts into symbols, in place.  *overlap: a function reaches beyond the start of the next one. */
static int finish(struct builder *b, bool *overlap, struct mon_error *err)
{
	uint64_t around = 0; /* the last end of the functions so far */
	size_t done = 0;

	if (sort_to(b, 0, err))
		return -1;
	for (size_t i = 0, n; i < b->n; i += n) {
		struct draft *d = b->draft + i;
		uint64_t end;

		n = group_of(b, i, err);
		if (n == 0)
			return -1;
		if (d->addr < around && only_labels(d, n))
			continue;
		if (n > 1)
			qsort_r(d, n, sizeof(*d), by_preference, b->names);
		end = group_end(b, d, n, i + n < b->n ? d + n : NULL, around);
		*overlap |= d->addr < around;
		around = MON_MAX(around, end);
		finish_group(d, n, b->draft + done, end);
		done += n;
	}
	b->n = done;
	return 0;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static int build(struct builder *b, const struct mon_symtab *tab, struct mon_error *err)
{
	bool overlap = false;

	if (make_parts(b, tab, err) || (b->part && take_all(b, tab, err)) || place_parts(b, err))
		return -1;
	if (b->n == 0)
		return 0;
	if (take_all(b, tab, err) || finish(b, &overlap, err))
		return -1;
	b->obj->sym = (void *)b->draft;
	b->obj->nsym = b->n;
	b->draft = NULL;
	return overlap ? mon_object_find_tails(b->obj, err) : 0;
}

int mon_symtab_load(struct mon_object *obj, const struct mon_symtab *tab, struct mon_error *err)
{
	struct builder b = { .obj = obj };
	int rc;

	b.names = obj->names = mon_names_new(obj->fd, tab->names_off, tab->names_size);
	if (!b.names)
		return mon_error_nomem(err);
	rc = build(&b, tab, err);
	free(b.part);
	free(b.draft);
	return rc;
}

void mon_symtab_free(struct mon_object *obj)
{
	mon_names_free(obj->names);
	free(obj->sym);
	free(obj->tail);
	obj->names = NULL;
	obj->sym = NULL;
	obj->tail = NULL;
	obj->nsym = obj->ntail = 0;
}
