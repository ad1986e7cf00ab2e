/* SPDX-License-Identifier: BSD-2-Clause */
/* mkmon.c -- mkmon [description]: the profile that a text (monmake.h) describes, on standard output. */
#include "monmake.h"

#include <stdio.h>
#include <stdlib.h>

static void slurp(FILE *f, struct bytes *text)
{
	char part[4096];
	size_t n;

	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		bytes_add(text, part, n);
	bytes_fill(text, 0, 1);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "standard input", *why = "";
	FILE *f = argc > 1 ? fopen(name, "r") : stdin;
	struct bytes text = { 0 }, out = { 0 };
	unsigned line;

	if (!f) {
		perror(name);
		return 1;
	}
	slurp(f, &text);
	line = monmake((const char *)text.data, &out, &why);
	if (line > 0) {
		fprintf(stderr, "mkmon: %s, line %u: %s\n", name, line, why);
		return 1;
	}
	if (fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout)) {
		perror("mkmon: standard output");
		return 1;
	}
	fclose(f);
	free(text.data);
	free(out.data);
	return 0;
}
