/* SPDX-License-Identifier: BSD-2-Clause */
/* replay.c -- give files to a fuzz target, without a fuzzer. */
#include "fuzz.h"

#include <stdlib.h>

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL, part[4096];
	size_t n, size = 0;

	if (!f) {
		perror(path);
		return 1;
	}
	while ((n = fread(part, 1, sizeof(part), f)) > 0) {
		uint8_t *more = realloc(data, size + n); /* exact, so that a sanitizer sees a step too far */

		if (!more)
			exit(1);
		data = more;
		for (size_t i = 0; i < n; i++)
			data[size++] = part[i];
	}
	fclose(f);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int status = argc < 2;

	for (int i = 1; i < argc; i++)
		status |= replay(argv[i]);
	return status;
}
