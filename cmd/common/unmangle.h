/* SPDX-License-Identifier: BSD-2-Clause */
/* unmangle.h -- C++ and Rust names as their authors wrote them. */
#ifndef UNMANGLE_H
#define UNMANGLE_H

#include <stdbool.h>

/* Names longer than this, mangled or not, stay as they are. */
enum { UNMANGLE_SIZE = 1 << 16 };

/* Is there a demangler in this build? */
bool unmangle_present(void);

/* The readable form of name, kept in out (UNMANGLE_SIZE bytes), or name itself when it has none. */
const char *unmangle(const char *name, char *out);

#endif
