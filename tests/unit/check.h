/* SPDX-License-Identifier: BSD-2-Clause */
/* check.h -- checks of the unit programs: each prints where it failed and the values, the program goes on. */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned long checks_made, checks_failed;

static inline bool check_note(bool good, const char *file, int line, const char *what)
{
	checks_made++;
	if (good)
		return true;
	checks_failed++;
	printf("%s:%d: %s\n", file, line, what);
	return false;
}

static inline bool check_number(uint64_t got, uint64_t want, const char *file, int line, const char *what)
{
	if (check_note(got == want, file, line, what))
		return true;
	printf("\tis %" PRIu64 " (%#" PRIx64 "), not %" PRIu64 " (%#" PRIx64 ")\n", got, got, want, want);
	return false;
}

static inline bool check_string(const char *got, const char *want, const char *file, int line, const char *what)
{
	if (check_note(got && !strcmp(got, want), file, line, what))
		return true;
	printf("\tis \"%s\", not \"%s\"\n", got ? got : "(null)", want);
	return false;
}

static inline bool check_within(const char *got, const char *part, const char *file, int line, const char *what)
{
	if (check_note(got && strstr(got, part), file, line, what))
		return true;
	printf("\t\"%s\" does not hold \"%s\"\n", got ? got : "(null)", part);
	return false;
}

#define CHECK(condition)     check_note(condition, __FILE__, __LINE__, #condition)
#define CHECK_EQ(got, want)  check_number((uint64_t)(got), (uint64_t)(want), __FILE__, __LINE__, #got)
#define CHECK_STR(got, want) check_string(got, want, __FILE__, __LINE__, #got)
#define CHECK_HAS(got, part) check_within(got, part, __FILE__, __LINE__, #got)

/* The status of main; a program that checked nothing has failed. */
static inline int check_status(void)
{
	printf("%lu checks, %lu failed\n", checks_made, checks_failed);
	return checks_failed > 0 || checks_made == 0;
}

#endif
