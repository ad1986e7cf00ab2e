/* SPDX-License-Identifier: BSD-2-Clause */
/* input.h -- what every command does with profiles that it reads: messages in, sums out. */
#ifndef INPUT_H
#define INPUT_H

#include "monread.h"
#include "option.h"

/* Read one; on failure a message is out and its exit code returned, otherwise 0. */
int input_read(const char *path, const struct mon_read_opts *opts, struct mon_profile **out);

/* Say that path is a directory and how to name what is in it; returns the exit code. */
int input_directory(const char *path);

/* Add p, read from path, to *sum, which began with the file first; the first one becomes the sum.  Takes p over. */
int input_add(struct mon_profile **sum, const char *first, struct mon_profile *p, const char *path);

/* One warning a flag. */
void input_warn(const char *path, unsigned flags);
/* A warning when there was, or will be, more of the run than is in the profile. */
void input_warn_life(const char *path, const struct mon_profile *p);

/* For option rows: keep the variant that the argument names in the pointer at row->field; "list" shows them all. */
enum option_result input_variant(const struct option_use *use);

#endif
