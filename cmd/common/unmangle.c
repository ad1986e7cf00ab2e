/* SPDX-License-Identifier: BSD-2-Clause */
/* unmangle.c -- C++ and Rust names as their authors wrote them, by libiberty when the build has it.
 *
 * A short hostile name can stand for an endless text.  libiberty bounds how deep it goes, not how much it writes, and
 * its callbacks cannot refuse; so the callback leaves by longjmp as soon as the limit is passed.
 */
#include "unmangle.h"

#ifdef HAVE_DEMANGLE

#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

struct sink {
	char *text;
	size_t len; /* without the final NUL */
	jmp_buf full;
};

static void collect(const char *piece, size_t len, void *opaque)
{
	struct sink *s = opaque;

	if (len >= UNMANGLE_SIZE - s->len)
		longjmp(s->full, 1);
	memcpy(s->text + s->len, piece, len);
	s->len += len;
	s->text[s->len] = '\0';
}

bool unmangle_present(void)
{
	return true;
}

const char *unmangle(const char *name, char *out)
{
	static int (*const style[])(const char *, int, demangle_callbackref, void *) = {
		rust_demangle_callback, /* first: its older names are valid C++ ones too */
		cplus_demangle_v3_callback,
	};
	struct sink s = { .text = out };

	if (name[0] != '_' || strnlen(name, UNMANGLE_SIZE) == UNMANGLE_SIZE)
		return name;
	if (setjmp(s.full) != 0)
		return name;
	for (size_t i = 0; i < sizeof style / sizeof style[0]; i++) {
		s.len = 0;
		if (style[i](name, DMGL_PARAMS | DMGL_ANSI, collect, &s) && s.len > 0)
			return out;
	}
	return name;
}

#else

bool unmangle_present(void)
{
	return false;
}

const char *unmangle(const char *name, char *out)
{
	(void)out;
	return name;
}

#endif
