/* SPDX-License-Identifier: BSD-2-Clause */
/* sniff.c -- what a file looks like that is no profile of the table: for messages, and to tell operands apart. */
#include "monread_impl.h"

#include <string.h>

/* Bytes that stand at a fixed place.  A mark that other files may hold by chance is weak. */
struct mark {
	uint8_t offset, len;
	const char *bytes;
	enum mon_kind kind;
	bool weak;
	const char *what;
};

#define PROGRAM MON_KIND_OTHER_PROGRAM

static const struct mark marks[] = {
	{ .len = 4, .bytes = "\177ELF", .kind = MON_KIND_ELF, .what = "an ELF file, a program or library" },
	{ .len = 8, .bytes = "!<arch>\n", .kind = PROGRAM, .what = "an archive of object files" },
	{ .len = 8, .bytes = "!<thin>\n", .kind = PROGRAM, .what = "a thin archive of object files" },
	{ .len = 4, .bytes = "\xfe\xed\xfa\xce", .kind = PROGRAM, .what = "a Mach-O file" },
	{ .len = 4, .bytes = "\xce\xfa\xed\xfe", .kind = PROGRAM, .what = "a Mach-O file" },
	{ .len = 4, .bytes = "\xfe\xed\xfa\xcf", .kind = PROGRAM, .what = "a Mach-O file" },
	{ .len = 4, .bytes = "\xcf\xfa\xed\xfe", .kind = PROGRAM, .what = "a Mach-O file" },
	{ .len = 4, .bytes = "\xca\xfe\xba\xbe", .kind = PROGRAM, .what = "a universal Mach-O or Java class file" },
	{ .len = 2, .bytes = "#!", .kind = PROGRAM, .what = "a script" },
	{ .len = 4,
	  .bytes = "\211MON",
	  .what = "a native profile that something on its way took for text and changed" },
	{ .len = 4, .bytes = "PROF", .what = "a versioned mon.out of Solaris, which is not yet readable" },
	{ .len = 4, .bytes = "FORP", .what = "a versioned mon.out of Solaris, which is not yet readable" },
	{ .len = 4, .bytes = "\xbe\xef\xba\xbe", .what = "a profile of NeXT or Darwin, which is not yet readable" },
	{ .len = 4, .bytes = "\xbe\xba\xef\xbe", .what = "a profile of NeXT or Darwin, which is not yet readable" },
	{ .len = 4, .bytes = "\xbe\xef\xba\xbf", .what = "a profile of NeXT or Darwin, which is not yet readable" },
	{ .len = 4, .bytes = "\xbf\xba\xef\xbe", .what = "a profile of NeXT or Darwin, which is not yet readable" },
	{ .len = 8,
	  .bytes = "\xff\xff\xff\xff\1\0\0\0",
	  .what = "a profile of Solaris' ld.so.1, which is not yet readable" },
	{ .len = 8,
	  .bytes = "\xff\xff\xff\xff\0\0\0\1",
	  .what = "a profile of Solaris' ld.so.1, which is not yet readable" },
	{ .len = 8,
	  .bytes = "\xff\xff\xff\xff\2\0\0\0",
	  .what = "a profile of Solaris' ld.so.1, which is not yet readable" },
	{ .len = 8,
	  .bytes = "\xff\xff\xff\xff\0\0\0\2",
	  .what = "a profile of Solaris' ld.so.1, which is not yet readable" },
	{ .offset = 12,
	  .len = 4,
	  .bytes = "\x79\x18\5\0",
	  .weak = true,
	  .what = "a gmon.out of 4.4BSD, which is not yet readable" },
	{ .offset = 12,
	  .len = 4,
	  .bytes = "\0\5\x18\x79",
	  .weak = true,
	  .what = "a gmon.out of 4.4BSD, which is not yet readable" },
	{ .offset = 20,
	  .len = 4,
	  .bytes = "\x79\x18\5\0",
	  .weak = true,
	  .what = "a gmon.out of 4.4BSD, which is not yet readable" },
	{ .offset = 20,
	  .len = 4,
	  .bytes = "\0\5\x18\x79",
	  .weak = true,
	  .what = "a gmon.out of 4.4BSD, which is not yet readable" },
	{ .offset = 2,
	  .len = 2,
	  .bytes = "\x0e\x0f",
	  .weak = true,
	  .what = "a MIPS profile, which is not yet readable" },
	{ .offset = 0,
	  .len = 2,
	  .bytes = "\x0f\x0e",
	  .weak = true,
	  .what = "a MIPS profile, which is not yet readable" },
	{ .offset = 18,
	  .len = 2,
	  .bytes = "\x0e\x0f",
	  .weak = true,
	  .what = "an Alpha profile, which is not yet readable" },
};
enum { NMARK = sizeof(marks) / sizeof(marks[0]) };

static const struct mark *find_mark(const unsigned char *head, size_t len, bool weak)
{
	for (const struct mark *m = marks; m < marks + NMARK; m++)
		if (m->weak == weak && len >= (size_t)m->offset + m->len && !memcmp(head + m->offset, m->bytes, m->len))
			return m;
	return NULL;
}

/* An MS-DOS header that leads to a PE header in the bytes at hand. */
static bool is_pe(const unsigned char *head, size_t len)
{
	uint64_t at;

	if (len < 64 || memcmp(head, "MZ", 2))
		return false;
	at = mon_get(head + 60, 4, MON_LE);
	return at <= len - 4 && !memcmp(head + at, "PE\0", 4);
}

static bool is_text(const unsigned char *head, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (head[i] < ' ' ? !strchr("\t\n\r\f\b\033", head[i]) || !head[i] : head[i] == 0x7f)
			return false;
	return len >= 16;
}

const char *mon_sniff(const unsigned char *head, size_t len, enum mon_kind *kind)
{
	const struct mark *m = find_mark(head, len, false);

	*kind = m ? m->kind : MON_KIND_PROFILE;
	if (m)
		return m->what;
	if (is_pe(head, len)) {
		*kind = MON_KIND_OTHER_PROGRAM;
		return "a program for Windows";
	}
	return is_text(head, len) ? "text" : NULL;
}

const char *mon_sniff_weak(const unsigned char *head, size_t len)
{
	const struct mark *m = find_mark(head, len, true);

	return m ? m->what : NULL;
}
