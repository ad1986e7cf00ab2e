/* SPDX-License-Identifier: BSD-2-Clause */
/* symtab.c -- programs: which symbols are functions, how far they reach, what they are called. */
#include "check.h"
#include "sample.h"

static const struct mon_symbol *named(const struct mon_object *obj, const char *name)
{
	size_t n;
	const struct mon_symbol *s = mon_object_symbols(obj, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(mon_symbol_name(obj, &s[i]), name))
			return &s[i];
	return NULL;
}

static void check_extent(const struct mon_object *obj, const char *name, uint64_t addr, uint64_t end)
{
	const struct mon_symbol *s = named(obj, name);

	if (!CHECK(s != NULL)) {
		printf("\tno symbol %s\n", name);
		return;
	}
	CHECK_EQ(s->addr, addr);
	CHECK_EQ(s->end, end);
}

static const char program[] = "file one.c\n"
			      "section .text 0x1000\n"
			      "func alpha 0x40\n"
			      "gap 0x10\n"
			      "static helper 0x20\n"
			      "file two.c\n"
			      "static helper 0x10\n"
			      "weak beta 0x10\n"
			      "notype asm_entry 0x10\n"
			      "func sizeless 0x20\n"
			      "nosize\n"
			      "func last.cold 0x10\n"
			      "func tail 0x30\n"
			      "nosize\n"
			      "section .fini 0x2000\n"
			      "ifunc chosen 0x08\n";

static void check_program(const char *head, unsigned word, bool big)
{
	char text[1024];
	struct mon_object *obj;
	uint64_t low, high;
	size_t n;
	const struct mon_symbol *s;

	snprintf(text, sizeof(text), "%s%s", head, program);
	obj = sample_object(text);
	CHECK_EQ(mon_object_word(obj), word);
	CHECK_EQ(mon_object_big_endian(obj), big);
	CHECK(!mon_object_stripped(obj));
	mon_object_text(obj, &low, &high);
	CHECK_EQ(low, 0x1000);
	CHECK_EQ(high, 0x2008);
	s = mon_object_symbols(obj, &n);
	CHECK_EQ(n, 9);
	for (size_t i = 1; i < n; i++)
		CHECK(s[i - 1].addr < s[i].addr);
	check_extent(obj, "alpha", 0x1000, 0x1040);
	check_extent(obj, "beta", 0x1080, 0x1090);
	check_extent(obj, "asm_entry", 0x1090, 0x10a0);
	check_extent(obj, "sizeless", 0x10a0, 0x10c0);	/* to the next symbol */
	check_extent(obj, "last.cold", 0x10c0, 0x10d0); /* a clone keeps its own name */
	check_extent(obj, "tail", 0x10d0, 0x1100);	/* to the end of the section */
	check_extent(obj, "chosen", 0x2000, 0x2008);
	mon_object_close(obj);
}

static void test_classes(void)
{
	check_program("class 64\n", 8, false);
	check_program("class 64\norder be\n", 8, true);
	check_program("class 32\n", 4, false);
	check_program("class 32\norder be\n", 4, true);
}

static void test_find(void)
{
	struct mon_object *obj = sample_object(program);

	CHECK_STR(sample_name(obj, 0xfff), "(none)");
	CHECK_STR(sample_name(obj, 0x1000), "alpha");
	CHECK_STR(sample_name(obj, 0x103f), "alpha");
	CHECK_STR(sample_name(obj, 0x1040), "(none)");
	CHECK_STR(sample_name(obj, 0x1050), "helper");
	CHECK_STR(sample_name(obj, 0x106f), "helper");
	CHECK_STR(sample_name(obj, 0x10ff), "tail");
	CHECK_STR(sample_name(obj, 0x1100), "(none)");
	CHECK_STR(sample_name(obj, 0x2007), "chosen");
	CHECK_STR(sample_name(obj, 0x2008), "(none)");
	CHECK_STR(sample_name(obj, UINT64_MAX), "(none)");
	CHECK_STR(sample_name(obj, 0), "(none)");
	mon_object_close(obj);
}

/* Statics know their file; equal names of two files are two symbols. */
static void test_files(void)
{
	struct mon_object *obj = sample_object(program);
	const struct mon_symbol *one = mon_object_find(obj, 0x1050), *two = mon_object_find(obj, 0x1070);

	if (CHECK(one && two && one != two)) {
		CHECK(one->local && two->local);
		CHECK_STR(mon_symbol_file(obj, one), "one.c");
		CHECK_STR(mon_symbol_file(obj, two), "two.c");
		CHECK_STR(mon_symbol_name(obj, two), "helper");
	}
	CHECK(named(obj, "alpha") && !named(obj, "alpha")->local);
	CHECK(named(obj, "beta") && !named(obj, "beta")->local);
	mon_object_close(obj);
}

/* Of several names one is preferred: global before weak before local, fewest underscores in front, shortest. */
static void test_aliases(void)
{
	struct mon_object *obj =
	    sample_object("section .text 0x1000\n"
			  "static a 0x10\nalias weak bb\nalias func __global\nalias func _global_\n"
			  "alias func _global\n"
			  "weak w 0x10\nalias static a2\n"
			  "func longer 0x10\nalias func short\nalias weak x\n");
	const struct mon_symbol *s;
	size_t n;

	CHECK_STR(sample_name(obj, 0x1000), "_global");
	CHECK_STR(sample_name(obj, 0x1010), "w");
	CHECK_STR(sample_name(obj, 0x1020), "short");
	s = mon_object_symbols(obj, &n);
	CHECK_EQ(n, 10);
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || s[i].addr != s[i - 1].addr;

		CHECK_EQ(s[i].alias, !first);
		CHECK(!mon_object_find(obj, s[i].addr)->alias);
	}
	mon_object_close(obj);
}

/* Functions inside functions: every byte has one owner, always the same, and it covers the byte. */
static void test_overlap(void)
{
	struct mon_object *obj =
	    sample_object("section .text 0x1000\nfunc outer 0x100\ninner mid 0x40 0x20\nfunc after 0x20\n");

	for (uint64_t a = 0x1000; a < 0x1120; a++) {
		const struct mon_symbol *s = mon_object_find(obj, a);

		CHECK(s && s->addr <= a && a < s->end);
	}
	CHECK_STR(sample_name(obj, 0x1000), "outer");
	CHECK_STR(sample_name(obj, 0x1040), "mid");
	CHECK_STR(sample_name(obj, 0x1100), "after");
	mon_object_close(obj);
}

static void test_stripped(void)
{
	struct mon_object *obj =
	    sample_object("dynamic\nsection .text 0x1000\nfunc visible 0x40\nstatic hidden 0x20\n");

	CHECK(mon_object_stripped(obj));
	CHECK_STR(sample_name(obj, 0x1000), "visible");
	mon_object_close(obj);
}

/* What compilers and the ARM and RISC-V conventions mark is no function. */
static void test_marks(void)
{
	struct mon_object *obj = sample_object("section .text 0x1000\nnotype $x 0\nfunc f 0x20\nnotype .Ltable 0x10\n"
					       "notype $d 0x10\nnotype real 0x10\n");
	size_t n;

	mon_object_symbols(obj, &n);
	CHECK_EQ(n, 2);
	CHECK_STR(sample_name(obj, 0x1000), "f");
	CHECK_STR(sample_name(obj, 0x1020), "(none)");
	CHECK_STR(sample_name(obj, 0x1030), "(none)");
	CHECK_STR(sample_name(obj, 0x1040), "real");
	mon_object_close(obj);
}

/* A big table: found by halving, not by walking; sorted whatever the order in the file. */
static void test_many(void)
{
	struct bytes text = { 0 };
	struct mon_object *obj;
	char line[64];
	size_t n;

	bytes_add(&text, "section .text 0x10000\n", 22);
	for (unsigned i = 0; i < 4000; i++) {
		snprintf(line, sizeof(line), "%s f%u 16\n", i % 3 ? "func" : "static", i);
		bytes_add(&text, line, strlen(line));
	}
	bytes_fill(&text, 0, 1);
	obj = sample_object((const char *)text.data);
	mon_object_symbols(obj, &n);
	CHECK_EQ(n, 4000);
	for (unsigned i = 0; i < 4000; i++) {
		snprintf(line, sizeof(line), "f%u", i);
		CHECK_STR(sample_name(obj, 0x10000 + 16 * i + i % 16), line);
	}
	mon_object_close(obj);
	free(text.data);
}

static void test_kind(void)
{
	static const struct {
		const char *path;
		enum mon_kind kind;
	} paths[] = { { ".", MON_KIND_DIRECTORY }, { "kind.elf", MON_KIND_ELF }, { "kind.mon", MON_KIND_PROFILE } };
	struct bytes b = sample_bytes("variant a64-le\nhist 0x1000 0x1100 32\nbin 3 1\n");
	FILE *f = fopen("kind.mon", "wb");
	struct mon_error err = { 0 };
	enum mon_kind kind;

	if (!f || fwrite(b.data, 1, b.size, f) != b.size || fclose(f))
		exit(1);
	elfmake_file("section .text 0x1000\nfunc a 64\n", "kind.elf");
	for (size_t i = 0; i < 3; i++) {
		CHECK(mon_path_kind(paths[i].path, &kind, &err) == 0);
		CHECK_EQ(kind, paths[i].kind);
	}
	CHECK(mon_path_kind("no-such-file", &kind, &err) == -1);
	CHECK_EQ(err.code, MON_E_IO);
	free(b.data);
}

int main(void)
{
	test_classes();
	test_find();
	test_files();
	test_aliases();
	test_overlap();
	test_stripped();
	test_marks();
	test_many();
	test_kind();
	return check_status();
}
