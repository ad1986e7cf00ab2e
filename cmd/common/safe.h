/* SPDX-License-Identifier: BSD-2-Clause */
/* safe.h -- text that came from files and processes, made harmless on its way out. */
#ifndef SAFE_H
#define SAFE_H

#include <stddef.h>
#include <stdio.h>

/* Learn from LC_CTYPE whether the reader understands UTF-8.  Until then, and in any other locale, all that is not ASCII
 * is escaped. */
void safe_begin(void);

/* Write text to out so that it cannot steer a terminal, break a line or reorder what stands around it: unsafe bytes
 * become \xNN, unsafe code points \u{NNNN}.  Works on text of any length without memory of its own; errors stay in
 * ferror(out). */
void safe_write(FILE *out, const char *text, size_t len);
void safe_puts(FILE *out, const char *text);

#endif
