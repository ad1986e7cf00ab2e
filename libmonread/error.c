/* SPDX-License-Identifier: BSD-2-Clause */
/* error.c -- the list of errors and how one is described. */
#include "monread_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *text;
} errors[] = {
#define ERROR_ROW(code, general) [code] = { .name = #code, .text = general },
	MON_ERRORS(ERROR_ROW)
#undef ERROR_ROW
};
enum { NERROR = sizeof(errors) / sizeof(errors[0]) };

const char *mon_error_name(enum mon_errcode code)
{
	return (unsigned)code < NERROR ? errors[code].name : "MON_E_?";
}

const char *mon_error_text(enum mon_errcode code)
{
	return (unsigned)code < NERROR ? errors[code].text : "unknown error";
}

int mon_error_set(struct mon_error *err, enum mon_errcode code, int sys, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	err->code = code;
	err->sys = sys;
	err->offset = offset;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	for (char *c = err->text; (c = strchr(c, '\n'));) /* of a path */
		*c = ' ';
	return -1;
}

int mon_error_nomem(struct mon_error *err)
{
	return mon_error_set(err, MON_E_NOMEM, 0, MON_NO_OFFSET, "out of memory");
}
