/* SPDX-License-Identifier: BSD-2-Clause */
/* diag.c -- how a command starts, complains and ends. */
#include "diag.h"

#include "monread.h"
#include "safe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program;

static const int status_of[] = {
	[MON_OK] = DIAG_DONE,
	[MON_E_USAGE] = DIAG_USAGE,
	[MON_E_IO] = DIAG_USAGE,
	[MON_E_NOMEM] = DIAG_MEMORY,
	[MON_E_TRUNCATED] = DIAG_PROFILE,
	[MON_E_FORMAT] = DIAG_PROFILE,
	[MON_E_UNKNOWN] = DIAG_PROFILE,
	[MON_E_AMBIGUOUS] = DIAG_PROFILE,
	[MON_E_UNSUPPORTED] = DIAG_PROFILE,
	[MON_E_MISMATCH] = DIAG_PROFILE,
	[MON_E_OBJECT] = DIAG_PROGRAM,
	[MON_E_NOSYMS] = DIAG_PROGRAM,
};

/* A command started with a standard descriptor closed must not get a file of its own there and then write messages into
 * it.  The place holder is opened the wrong way round, so that using it still fails. */
static void hold_standard_files(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
			_exit(DIAG_USAGE);
}

void diag_begin(const char *name)
{
	static char out[1 << 16], err[1 << 12]; /* not from malloc: it may be what has run out */

	program = name;
	hold_standard_files();
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of write */
	setlocale(LC_CTYPE, "");
	safe_begin();
	setvbuf(stdout, out, _IOFBF, sizeof out);
	setvbuf(stderr, err, _IOLBF, sizeof err);
}

const char *diag_name(void)
{
	return program;
}

void diag(const char *file, const char *format, ...)
{
	va_list ap;
	char *text;
	int len;

	fprintf(stderr, "%s: ", program);
	if (file != NULL) {
		safe_puts(stderr, file);
		fputs(": ", stderr);
	}
	va_start(ap, format);
	len = vasprintf(&text, format, ap);
	va_end(ap);
	if (len >= 0) {
		safe_write(stderr, text, (size_t)len);
		free(text);
	} else {
		safe_puts(stderr, format);
	}
	putc('\n', stderr);
}

int diag_status(const struct mon_error *err)
{
	return status_of[err->code];
}

int diag_error(const char *file, const struct mon_error *err)
{
	const char *text = err->text[0] != '\0' ? err->text : mon_error_text(err->code);

	if (err->offset != MON_NO_OFFSET)
		diag(file, "%s (byte %" PRIu64 ")", text, err->offset);
	else
		diag(file, "%s", text);
	return diag_status(err);
}

int diag_memory(void)
{
	diag(NULL, "out of memory");
	return DIAG_MEMORY;
}

int diag_end(int status)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) != 0 || failed) {
		diag("standard output", "%s", errno != 0 ? strerror(errno) : "not all could be written");
		return status != DIAG_DONE ? status : DIAG_USAGE;
	}
	return status;
}
