/* SPDX-License-Identifier: BSD-2-Clause */
/* samples.c -- testdata: every variant has a sample, and its bytes alone tell which it is. */
#include "check.h"
#include "monread.h"

#include <glob.h>
#include <stdlib.h>

/* Read the samples of a folder as opts say; each must be of the variant, or of one that says the same with the same bytes. */
static size_t read_folder(const char *src, const char *folder, const struct mon_variant *forced, const char *same)
{
	char pattern[512];
	glob_t g;
	size_t n;

	snprintf(pattern, sizeof(pattern), "%s/testdata/%s/*.mon", src, folder);
	if (glob(pattern, 0, NULL, &g))
		return 0;
	n = g.gl_pathc;
	for (size_t i = 0; i < n; i++) {
		struct mon_read_opts opts = { .variant = forced };
		struct mon_error err = { 0 };
		struct mon_profile *p = NULL;

		if (!CHECK(mon_profile_read(g.gl_pathv[i], &opts, &p, &err) == 0)) {
			printf("\t%s: %s\n", g.gl_pathv[i], err.text);
			continue;
		}
		if (!CHECK(!strcmp(p->variant->name, folder) || !strcmp(p->variant->name, same)))
			printf("\t%s: taken for %s\n", g.gl_pathv[i], p->variant->name);
		CHECK(p->ticks > 0 || p->calls > 0);
		mon_profile_free(p);
	}
	globfree(&g);
	return n;
}

int main(void)
{
	const char *src = getenv("SRC");

	for (const struct mon_variant *v = mon_variant_next(NULL); v; v = mon_variant_next(v)) {
		/* An int count of cells and four zero bytes are a 64-bit count in the little-endian order. */
		const char *same = strcmp(v->name, "a64i-le") ? v->name : "a64-le";

		if (!CHECK(read_folder(src ? src : ".", v->name, NULL, same) > 0))
			printf("\tno sample of %s\n", v->name);
		read_folder(src ? src : ".", v->name, v, v->name);
	}
	return check_status();
}
