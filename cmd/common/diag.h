/* SPDX-License-Identifier: BSD-2-Clause */
/* diag.h -- how a command starts, complains and ends. */
#ifndef DIAG_H
#define DIAG_H

struct mon_error;

/* What an exit code says; the same in all commands. */
enum {
	DIAG_DONE = 0,
	DIAG_USAGE = 1,	  /* wrong use, or the system refused something */
	DIAG_PROFILE = 2, /* a profile is missing, damaged, empty or of another program */
	DIAG_PROGRAM = 3, /* the program file is not usable or has no symbols */
	DIAG_MEMORY = 4,
};

/* The first call of main.  name stands before every message. */
void diag_begin(const char *name);
const char *diag_name(void);

/* "name: file: text" as one line on standard error; file may be NULL.  Everything in it may be hostile. */
void diag(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit code that a library's error means; the same with a message that says its place in the file. */
int diag_status(const struct mon_error *err);
int diag_error(const char *file, const struct mon_error *err);
int diag_memory(void);

/* The last call of main: what could not be written to standard output is an error.  Returns the exit code.  A reader
 * that went away ends the command by SIGPIPE, as with every filter, or, where that is ignored, as such an error. */
int diag_end(int status);

#endif
