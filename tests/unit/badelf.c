/* SPDX-License-Identifier: BSD-2-Clause */
/* badelf.c -- programs with impossible fields: refused, or read as far as they make sense. */
#include "check.h"
#include "sample.h"

#include <elf.h>

static enum mon_errcode open_bytes(const struct bytes *b)
{
	struct mon_error err = { 0 };
	struct mon_object *obj = NULL;
	FILE *f = fopen("bad.elf", "wb");

	if (!f || (b->size > 0 && fwrite(b->data, 1, b->size, f) != b->size) || fclose(f))
		exit(1);
	if (mon_object_open("bad.elf", &obj, &err) == 0)
		err.code = MON_OK;
	else
		CHECK(err.text[0] && !strchr(err.text, '\n'));
	mon_object_close(obj);
	return err.code;
}

/* One field of a good 64-bit program made bad; the library must end, with an error or with what symbols are left. */
static const struct field {
	const char *why;
	bool in_section; /* offset counts from the section header of the symbols, else from the file's start */
	size_t offset;
	uint64_t value;
	unsigned width;
	enum mon_errcode code; /* MON_E_NOSYMS: this or MON_E_OBJECT; MON_OK: any of the three */
} fields[] = {
	{ "section headers beyond the end", false, offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX, 8, MON_E_OBJECT },
	{ "section headers' place wraps", false, offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX - 63, 8, MON_E_OBJECT },
	{ "program headers beyond the end", false, offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 55, 8, MON_E_OBJECT },
	{ "section header size 0", false, offsetof(Elf64_Ehdr, e_shentsize), 0, 2, MON_E_OBJECT },
	{ "65535 program headers", false, offsetof(Elf64_Ehdr, e_phnum), 0xffff, 2, MON_OK },
	{ "name section out of range", false, offsetof(Elf64_Ehdr, e_shstrndx), 0xfff0, 2, MON_OK },
	{ "names in no string table", false, offsetof(Elf64_Ehdr, e_shstrndx), 1, 2, MON_OK },
	{ "unknown class", false, EI_CLASS, 7, 1, MON_E_OBJECT },
	{ "unknown order", false, EI_DATA, 9, 1, MON_E_OBJECT },
	{ "an object file, not linked", false, offsetof(Elf64_Ehdr, e_type), ET_REL, 2, MON_E_OBJECT },
	{ "a core file", false, offsetof(Elf64_Ehdr, e_type), ET_CORE, 2, MON_E_OBJECT },
	{ "symbol size 0", true, offsetof(Elf64_Shdr, sh_entsize), 0, 8, MON_E_NOSYMS },
	{ "symbol size 1", true, offsetof(Elf64_Shdr, sh_entsize), 1, 8, MON_E_NOSYMS },
	{ "symbol size 2^32", true, offsetof(Elf64_Shdr, sh_entsize), UINT64_C(1) << 32, 8, MON_E_NOSYMS },
	{ "symbols of no whole number", true, offsetof(Elf64_Shdr, sh_size), 24 * 3 + 5, 8, MON_OK },
	{ "2^60 bytes of symbols", true, offsetof(Elf64_Shdr, sh_size), UINT64_C(1) << 60, 8, MON_E_NOSYMS },
	{ "symbols' place wraps", true, offsetof(Elf64_Shdr, sh_offset), UINT64_MAX - 24, 8, MON_E_NOSYMS },
	{ "names in section 0", true, offsetof(Elf64_Shdr, sh_link), 0, 4, MON_E_NOSYMS },
	{ "names in the symbols themselves", true, offsetof(Elf64_Shdr, sh_link), 1, 4, MON_E_NOSYMS },
	{ "names in section 9999", true, offsetof(Elf64_Shdr, sh_link), 9999, 4, MON_E_NOSYMS },
};

static void test_bad_fields(void)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct field *f = &fields[i];
		struct bytes b = { 0 };
		uint64_t shoff;
		enum mon_errcode code;

		elfmake("section .text 0x1000\nfunc a 64\nfunc b 64\n", &b);
		memcpy(&shoff, b.data + offsetof(Elf64_Ehdr, e_shoff), sizeof(shoff));
		bytes_poke(&b, f->offset + (f->in_section ? (size_t)shoff + sizeof(Elf64_Shdr) : 0), f->value, f->width,
			   ORDER_LE);
		code = open_bytes(&b);
		if (!CHECK(code == f->code || (f->code == MON_E_NOSYMS && code == MON_E_OBJECT) ||
			   (f->code == MON_OK && (code == MON_E_NOSYMS || code == MON_E_OBJECT))))
			printf("\t%s: %s\n", f->why, mon_error_name(code));
		free(b.data);
	}
}

/* Symbols with impossible values are no reason to fail, nor to own what they cannot. */
static void test_bad_symbols(void)
{
	struct bytes b = { 0 };
	uint64_t shoff, off;
	Elf64_Sym sym[4];
	struct mon_object *obj = NULL;
	struct mon_error err = { 0 };
	size_t n = 0;

	elfmake("section .text 0x1000\nfunc good 64\nfunc wraps 64\nfunc far 64\n", &b);
	memcpy(&shoff, b.data + offsetof(Elf64_Ehdr, e_shoff), sizeof(shoff));
	memcpy(&off, b.data + shoff + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), sizeof(off));
	memcpy(sym, b.data + off, sizeof(sym));
	sym[2].st_size = UINT64_MAX - 5; /* value + size wraps */
	sym[3].st_name = 0xffffff00;	 /* a name beyond the names */
	memcpy(b.data + off, sym, sizeof(sym));
	CHECK_EQ(open_bytes(&b), MON_OK);
	if (CHECK(mon_object_open("bad.elf", &obj, &err) == 0)) {
		const struct mon_symbol *s = mon_object_symbols(obj, &n);

		for (size_t i = 0; i < n; i++) {
			CHECK(s[i].addr >= 0x1000 && s[i].addr < s[i].end && s[i].end <= 0x10c0);
			CHECK(mon_symbol_name(obj, &s[i]) != NULL);
		}
		CHECK_STR(sample_name(obj, 0x1000), "good");
	}
	mon_object_close(obj);
	free(b.data);
}

static void test_refused(void)
{
	struct bytes b = { 0 };
	struct mon_error err = { 0 };
	struct mon_object *obj = NULL;

	CHECK_EQ(open_bytes(&b), MON_E_OBJECT); /* empty */
	bytes_add(&b, "#!/bin/sh\necho hello\n", 21);
	CHECK_EQ(open_bytes(&b), MON_E_OBJECT);
	b.size = 0;
	bytes_add(&b, "!<arch>\n", 8);
	CHECK_EQ(open_bytes(&b), MON_E_OBJECT);
	b.size = 0;
	elfmake("section .text 0x1000\ngap 64\n", &b);
	CHECK_EQ(open_bytes(&b), MON_E_NOSYMS);
	b.size = 0;
	elfmake("section .text 0x1000\nnotype $x 0\nnotype .L1 0x20\nnotype $d 0x10\n", &b); /* marks only */
	CHECK_EQ(open_bytes(&b), MON_E_NOSYMS);
	b.size = 0;
	elfmake("section .text 0x1000\nfunc a 64\n", &b);
	for (size_t size = b.size; size > 0; size--) {
		b.size = size - 1;
		CHECK(open_bytes(&b) != MON_OK);
	}
	free(b.data);
	CHECK(mon_object_open("no-such-file", &obj, &err) == -1);
	CHECK_EQ(err.code, MON_E_IO);
	CHECK(err.sys != 0);
	CHECK(mon_object_open(".", &obj, &err) == -1);
	CHECK(!obj);
}

/* Sections and segments that end behind the last address hold nothing. */
static void test_wrapped(void)
{
	struct bytes b = { 0 };

	elfmake("section .text 0x1000\nfunc a 0x80\nsection .far 0xffffffffffffffc0\nfunc b 0x80\n", &b);
	CHECK_EQ(open_bytes(&b), MON_E_OBJECT); /* its segment wraps, too */
	b.size = 0;
	/* the section alone: its header is the last of the file, its address 48 bytes before the end */
	elfmake("section .text 0x1000\nfunc a 0x80\nsection .two 0x2000\nfunc b 0x80\npoke -48 0xffffffffffffffc0 8\n",
		&b);
	if (CHECK_EQ(open_bytes(&b), MON_OK)) {
		struct mon_object *obj = NULL;

		CHECK(mon_object_open("bad.elf", &obj, NULL) == 0);
		CHECK_STR(sample_name(obj, 0x1000), "a");
		CHECK_STR(sample_name(obj, 0x2000), "(none)");
		CHECK_STR(sample_name(obj, 0xffffffffffffffd0), "(none)");
		CHECK_STR(sample_name(obj, 0x10), "(none)");
		mon_object_close(obj);
	}
	free(b.data);
}

int main(void)
{
	test_bad_fields();
	test_bad_symbols();
	test_refused();
	test_wrapped();
	return check_status();
}
