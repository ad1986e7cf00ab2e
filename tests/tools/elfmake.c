/* SPDX-License-Identifier: BSD-2-Clause */
/* elfmake.c -- text to the bytes of a small ELF program.
 *
 * In the file: ELF header, program headers, contents of the executable sections, symbol table, names, section headers.
 * Sections by number: 0 none, 1 symbols, 2 names of symbols, 3 names of sections, then the executable ones. */
#include "elfmake.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 4, MOST_SECTIONS = 8, MOST_SYMBOLS = 20000 };

struct section {
	char name[32];
	uint64_t addr, size, off;
};

struct symbol {
	size_t name; /* in names */
	uint64_t value, size;
	unsigned char info;
	unsigned shndx;
};

struct maker {
	unsigned word; /* 4 or 8 */
	enum order order;
	bool dynamic;
	struct section section[MOST_SECTIONS];
	unsigned nsection;
	struct symbol symbol[MOST_SYMBOLS];
	unsigned nsymbol, last; /* last: the function that alias, nosize and inner speak of */
	struct bytes names, id; /* id: of the build; empty: there is no note */
	struct poke {
		long long at;
		uint64_t value;
		unsigned width;
	} poke[8];
	unsigned npoke;
};

static const struct {
	const char *name;
	unsigned char info;
} kinds[] = {
	{ "func", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) },       { "weak", ELF64_ST_INFO(STB_WEAK, STT_FUNC) },
	{ "static", ELF64_ST_INFO(STB_LOCAL, STT_FUNC) },      { "notype", ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE) },
	{ "ifunc", ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC) },
};

static const unsigned char *kind_info(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i].info;
	return NULL;
}

/* The words of a line; returns how many of the three there are. */
static int words(char *line, char *w[4])
{
	int n = 0;
	char *save = NULL;

	line[strcspn(line, "#")] = '\0';
	for (char *p = strtok_r(line, " \t\r", &save); p && n < 4; p = strtok_r(NULL, " \t\r", &save))
		w[n++] = p;
	for (int i = n; i < 4; i++)
		w[i] = line + strlen(line);
	return n;
}

static size_t add_name(struct maker *m, const char *name)
{
	size_t at = m->names.size;

	for (; *name; name++) {
		unsigned c = (unsigned char)*name;

		if (c == '\\' && strspn(name + 1, "01234567") >= 3) {
			c = (unsigned)(name[1] - '0') << 6 | (unsigned)(name[2] - '0') << 3 | (unsigned)(name[3] - '0');
			name += 3;
		}
		bytes_number(&m->names, c, 1, ORDER_LE);
	}
	bytes_fill(&m->names, 0, 1);
	return at;
}

static bool add_symbol(struct maker *m, const char *name, unsigned char info, uint64_t value, uint64_t size)
{
	unsigned shndx = FIRST + m->nsection - 1;

	if (ELF64_ST_TYPE(info) == STT_FILE)
		shndx = SHN_ABS;
	else if (m->nsection == 0)
		return false;
	if (m->nsymbol == MOST_SYMBOLS)
		return false;
	m->symbol[m->nsymbol++] =
	    (struct symbol){ .name = add_name(m, name), .value = value, .size = size, .info = info, .shndx = shndx };
	return true;
}

static bool add_function(struct maker *m, const char *name, unsigned char info, uint64_t size)
{
	struct section *s = m->nsection > 0 ? &m->section[m->nsection - 1] : NULL;

	if (!s || !add_symbol(m, name, info, s->addr + s->size, size))
		return false;
	m->last = m->nsymbol - 1;
	s->size += size;
	return true;
}

static bool add_section(struct maker *m, const char *name, uint64_t addr)
{
	struct section *s = &m->section[m->nsection];

	if (m->nsection == MOST_SECTIONS)
		return false;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->addr = addr;
	m->nsection++;
	return true;
}

static bool add_poke(struct maker *m, const char *at, uint64_t value, uint64_t width)
{
	if (m->npoke == sizeof(m->poke) / sizeof(m->poke[0]) || width < 1 || width > 8)
		return false;
	m->poke[m->npoke++] = (struct poke){ strtoll(at, NULL, 0), value, (unsigned)width };
	return true;
}

static bool add_build_id(struct maker *m, const char *hex)
{
	for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes_number(&m->id, byte, 1, ORDER_LE);
	return *hex == '\0' && m->id.size > 0;
}

static bool run_line(struct maker *m, char *line)
{
	char *w[4];
	int n = words(line, w);
	uint64_t a = strtoull(w[1], NULL, 0), b = strtoull(w[2], NULL, 0), c = strtoull(w[3], NULL, 0);
	const struct symbol *last = m->nsymbol > 0 ? &m->symbol[m->last] : NULL;
	const unsigned char *info = n > 0 ? kind_info(w[0]) : NULL, *alias = kind_info(w[1]);

	if (n == 0)
		return true;
	if (info && n == 3)
		return add_function(m, w[1], *info, b);
	if (!strcmp(w[0], "section") && n == 3)
		return add_section(m, w[1], b);
	if (!strcmp(w[0], "file") && n == 2)
		return add_symbol(m, w[1], ELF64_ST_INFO(STB_LOCAL, STT_FILE), 0, 0);
	if (!strcmp(w[0], "alias") && n == 3 && last && alias)
		return add_symbol(m, w[2], *alias, last->value, last->size);
	if (!strcmp(w[0], "inner") && n == 4 && last)
		return add_symbol(m, w[1], kinds[0].info, last->value + b, c);
	if (!strcmp(w[0], "build-id") && n == 2)
		return add_build_id(m, w[1]);
	if (!strcmp(w[0], "poke") && n == 4)
		return add_poke(m, w[1], b, c);
	if (!strcmp(w[0], "gap") && n == 2 && m->nsection > 0)
		m->section[m->nsection - 1].size += a;
	else if (!strcmp(w[0], "nosize") && n == 1 && last)
		m->symbol[m->last].size = 0;
	else if (!strcmp(w[0], "dynamic") && n == 1)
		m->dynamic = true;
	else if (!strcmp(w[0], "class") && (a == 32 || a == 64))
		m->word = (unsigned)a / 8;
	else if (!strcmp(w[0], "order") && n == 2)
		m->order = strcmp(w[1], "be") ? ORDER_LE : ORDER_BE;
	else
		return false;
	return true;
}

static void half(const struct maker *m, struct bytes *b, uint64_t value)
{
	bytes_number(b, value, 2, m->order);
}

static void word(const struct maker *m, struct bytes *b, uint64_t value)
{
	bytes_number(b, value, 4, m->order);
}

static void addr(const struct maker *m, struct bytes *b, uint64_t value)
{
	bytes_number(b, value, m->word, m->order);
}

static unsigned nsegment(const struct maker *m)
{
	return m->nsection + (m->id.size > 0);
}

static void put_header(const struct maker *m, struct bytes *b, uint64_t shoff)
{
	bool wide = m->word == 8;
	unsigned machine = m->order == ORDER_BE ? EM_S390 : wide ? EM_X86_64 : EM_386;
	unsigned char ident[EI_NIDENT] = { ELFMAG0,
					   ELFMAG1,
					   ELFMAG2,
					   ELFMAG3,
					   wide ? ELFCLASS64 : ELFCLASS32,
					   m->order == ORDER_BE ? ELFDATA2MSB : ELFDATA2LSB,
					   EV_CURRENT };

	bytes_add(b, ident, sizeof(ident));
	half(m, b, ET_EXEC);
	half(m, b, machine);
	word(m, b, EV_CURRENT);
	addr(m, b, m->section[0].addr);
	addr(m, b, wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	addr(m, b, shoff);
	word(m, b, 0);
	half(m, b, wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	half(m, b, wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	half(m, b, nsegment(m));
	half(m, b, wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	half(m, b, FIRST + m->nsection);
	half(m, b, 3);
}

static void put_segment(const struct maker *m, struct bytes *b, unsigned type, unsigned flags, const struct section *s)
{
	word(m, b, type);
	if (m->word == 8)
		word(m, b, flags);
	addr(m, b, s->off);
	addr(m, b, s->addr);
	addr(m, b, s->addr);
	addr(m, b, s->size);
	addr(m, b, s->size);
	if (m->word == 4)
		word(m, b, flags);
	addr(m, b, type == PT_NOTE ? 4 : 1);
}

static void put_note(const struct maker *m, struct bytes *b)
{
	word(m, b, 4);
	word(m, b, m->id.size);
	word(m, b, NT_GNU_BUILD_ID);
	bytes_add(b, "GNU", 4);
	bytes_add(b, m->id.data, m->id.size);
	bytes_align(b, 4);
}

static void put_section(const struct maker *m, struct bytes *b, size_t name, const Elf64_Shdr *h)
{
	word(m, b, name);
	word(m, b, h->sh_type);
	addr(m, b, h->sh_flags);
	addr(m, b, h->sh_addr);
	addr(m, b, h->sh_offset);
	addr(m, b, h->sh_size);
	word(m, b, h->sh_link);
	word(m, b, h->sh_info);
	addr(m, b, h->sh_addralign);
	addr(m, b, h->sh_entsize);
}

static void put_symbol(const struct maker *m, struct bytes *b, const struct symbol *s)
{
	word(m, b, s->name);
	if (m->word == 4) {
		addr(m, b, s->value);
		addr(m, b, s->size);
	}
	bytes_number(b, s->info, 1, m->order);
	bytes_number(b, 0, 1, m->order);
	half(m, b, s->shndx);
	if (m->word == 8) {
		addr(m, b, s->value);
		addr(m, b, s->size);
	}
}

/* Local symbols must come first; returns the number of the first other one. */
static unsigned put_symbols(const struct maker *m, struct bytes *b)
{
	static const struct symbol none;
	unsigned nlocal = 1;

	put_symbol(m, b, &none);
	for (int local = 1; local >= 0; local--) {
		for (unsigned i = 0; i < m->nsymbol; i++) {
			if ((ELF64_ST_BIND(m->symbol[i].info) == STB_LOCAL) != local)
				continue;
			put_symbol(m, b, &m->symbol[i]);
			nlocal += (unsigned)local;
		}
	}
	return nlocal;
}

static void put_sections(const struct maker *m, struct bytes *b, Elf64_Shdr *head, const size_t *name)
{
	put_section(m, b, 0, &(Elf64_Shdr){ 0 });
	for (unsigned i = 0; i < 3; i++)
		put_section(m, b, name[i], &head[i]);
	for (unsigned i = 0; i < m->nsection; i++)
		put_section(m, b, name[3 + i],
			    &(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					   .sh_addr = m->section[i].addr,
					   .sh_offset = m->section[i].off,
					   .sh_size = m->section[i].size,
					   .sh_addralign = 1 });
}

static void put_program(struct maker *m, struct bytes *b)
{
	struct bytes shnames = { 0 };
	size_t name[3 + MOST_SECTIONS], entry = m->word == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t heads = m->word == 8 ? sizeof(Elf64_Ehdr) + nsegment(m) * sizeof(Elf64_Phdr)
				    : sizeof(Elf32_Ehdr) + nsegment(m) * sizeof(Elf32_Phdr);
	Elf64_Shdr head[3] = { { .sh_type = m->dynamic ? SHT_DYNSYM : SHT_SYMTAB, .sh_link = 2, .sh_entsize = entry },
			       { .sh_type = SHT_STRTAB },
			       { .sh_type = SHT_STRTAB } };
	struct section note = { .size = m->id.size > 0 ? 16 + (m->id.size + 3) / 4 * 4 : 0 };
	const char *fixed[3] = { m->dynamic ? ".dynsym" : ".symtab", ".strtab", ".shstrtab" };

	bytes_fill(&shnames, 0, 1);
	for (unsigned i = 0; i < 3 + m->nsection; i++) {
		const char *text = i < 3 ? fixed[i] : m->section[i - 3].name;

		name[i] = shnames.size;
		bytes_add(&shnames, text, strlen(text) + 1);
	}
	for (unsigned i = 0; i < m->nsection; i++) {
		m->section[i].off = heads;
		heads += (size_t)m->section[i].size;
	}
	/* The header tells where the section headers are: pass once for the size of all before them. */
	head[0].sh_offset = (heads + 7) / 8 * 8;
	head[0].sh_size = (m->nsymbol + 1) * entry;
	head[1].sh_offset = head[0].sh_offset + head[0].sh_size;
	head[1].sh_size = m->names.size;
	head[2].sh_offset = head[1].sh_offset + head[1].sh_size;
	head[2].sh_size = shnames.size;
	note.off = (head[2].sh_offset + head[2].sh_size + 7) / 8 * 8; /* before the section headers */
	put_header(m, b, (note.off + note.size + 7) / 8 * 8);
	for (unsigned i = 0; i < m->nsection; i++)
		put_segment(m, b, PT_LOAD, PF_R | PF_X, &m->section[i]);
	if (m->id.size > 0)
		put_segment(m, b, PT_NOTE, PF_R, &note);
	for (unsigned i = 0; i < m->nsection; i++)
		bytes_fill(b, 0x90, (size_t)m->section[i].size);
	bytes_align(b, 8);
	head[0].sh_info = put_symbols(m, b);
	bytes_add(b, m->names.data, m->names.size);
	bytes_add(b, shnames.data, shnames.size);
	bytes_align(b, 8);
	if (m->id.size > 0)
		put_note(m, b);
	bytes_align(b, 8);
	put_sections(m, b, head, name);
	for (unsigned i = 0; i < m->npoke; i++) {
		size_t at = (size_t)(m->poke[i].at < 0 ? (long long)b->size + m->poke[i].at : m->poke[i].at);

		bytes_poke(b, at, m->poke[i].value, m->poke[i].width, m->order);
	}
	free(shnames.data);
}

unsigned elfmake(const char *text, struct bytes *out)
{
	struct maker *m = calloc(1, sizeof(*m));
	char *copy = strdup(text), *next = copy;
	unsigned line = 0, wrong = 0;

	if (!m || !copy)
		exit(1);
	m->word = 8;
	bytes_fill(&m->names, 0, 1);
	while (next && !wrong) {
		line++;
		wrong = run_line(m, strsep(&next, "\n")) ? 0 : line;
	}
	if (!wrong)
		put_program(m, out);
	free(copy);
	free(m->names.data);
	free(m->id.data);
	free(m);
	return wrong;
}

void elfmake_file(const char *text, const char *path)
{
	struct bytes b = { 0 };
	unsigned wrong = elfmake(text, &b);
	FILE *f = wrong ? NULL : fopen(path, "wb");

	if (!f || fwrite(b.data, 1, b.size, f) != b.size || fclose(f)) {
		fprintf(stderr, "cannot make the program %s (line %u of its description)\n", path, wrong);
		exit(1);
	}
	free(b.data);
}
