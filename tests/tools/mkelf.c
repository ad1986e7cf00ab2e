/* SPDX-License-Identifier: BSD-2-Clause */
/* mkelf.c -- mkelf description program: the ELF file that a text (elfmake.h) describes. */
#include "elfmake.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
	struct bytes text = { 0 };
	int c;

	if (!f) {
		fputs("usage: mkelf description program\n", stderr);
		return 1;
	}
	while ((c = getc(f)) != EOF)
		bytes_number(&text, (unsigned)c, 1, ORDER_LE);
	bytes_fill(&text, 0, 1);
	fclose(f);
	elfmake_file((const char *)text.data, argv[2]);
	free(text.data);
	return 0;
}
