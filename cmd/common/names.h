/* SPDX-License-Identifier: BSD-2-Clause */
/* names.h -- what the rows of a report are called in front of people. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>

struct mon_report;
struct mon_row;
struct names;

/* The names of r, which must outlive the result; as written in C++ or Rust when readable.  NULL: out of memory. */
struct names *names_build(const struct mon_report *r, bool readable);
void names_free(struct names *n);

/* The name of a row of r, valid until the next call.  *qualifier is NULL, or what tells the row from others of that name:
 * of a static function its source file, or its address when the file is not known; of a function or remainder in another
 * object than the program, the last component of that object's path. */
const char *names_row(struct names *n, const struct mon_row *row, const char **qualifier);

/* Sort r's rows by these names, remainders last.  -1: out of memory, nothing is changed. */
int names_sort(struct names *n, struct mon_report *r);

#endif
