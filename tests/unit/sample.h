/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.h -- profiles and programs from descriptions (monmake.h, elfmake.h), opened with the library under test. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "elfmake.h"
#include "monmake.h"
#include "monread.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline struct bytes sample_bytes(const char *text)
{
	struct bytes b = { 0 };
	const char *why;
	unsigned line = monmake(text, &b, &why);

	if (line > 0) {
		printf("line %u of a profile's description: %s\n", line, why);
		exit(1);
	}
	return b;
}

/* The described profile as the library reads it; variant NULL lets it guess.  NULL when it refuses. */
static inline struct mon_profile *sample_decode(const char *text, const char *variant, struct mon_error *err)
{
	struct bytes b = sample_bytes(text);
	struct mon_read_opts opts = { .variant = variant ? mon_variant_find(variant) : NULL };
	struct mon_profile *p = NULL;

	if (variant && !opts.variant) {
		printf("the library knows no variant %s\n", variant);
		exit(1);
	}
	if (mon_profile_decode(b.data, b.size, &opts, &p, err))
		p = NULL;
	free(b.data);
	return p;
}

/* The described profile, which the library must accept. */
static inline struct mon_profile *sample_profile(const char *text, const char *variant)
{
	struct mon_error err = { 0 };
	struct mon_profile *p = sample_decode(text, variant, &err);

	if (!p) {
		printf("a good profile is refused: %s: %s\nit was:\n%s\n", mon_error_name(err.code), err.text, text);
		exit(1);
	}
	return p;
}

/* The described program, which the library must accept. */
static inline struct mon_object *sample_object(const char *text)
{
	char path[] = "sample.XXXXXX";
	int fd = mkstemp(path);
	struct mon_error err = { 0 };
	struct mon_object *obj = NULL;

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
	elfmake_file(text, path);
	if (mon_object_open(path, &obj, &err)) {
		printf("a good program is refused: %s: %s\nit was:\n%s\n", mon_error_name(err.code), err.text, text);
		exit(1);
	}
	unlink(path);
	return obj;
}

/* The function that holds addr. */
static inline const char *sample_name(const struct mon_object *obj, uint64_t addr)
{
	const struct mon_symbol *s = mon_object_find(obj, addr);

	return s ? mon_symbol_name(obj, s) : "(none)";
}

/* The profile charged to the program, which must work. */
static inline struct mon_report *sample_report(const struct mon_profile *p, const struct mon_object *obj, bool zeros,
					       bool fold)
{
	struct mon_report_opts opts = { .zeros = zeros, .fold_statics = fold };
	struct mon_error err = { 0 };
	struct mon_report *r = NULL;

	if (mon_report_build(p, (const struct mon_object *const[]){ obj }, 1, &opts, &r, &err)) {
		printf("no report: %s\n", err.text);
		exit(1);
	}
	return r;
}

#endif
