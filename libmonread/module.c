/* SPDX-License-Identifier: BSD-2-Clause */
/* module.c -- objects of a process: which are the same file, within one profile and between two.
 *
 * A file is told by its build-id; without one by its path and text range.  Where a process had it, and how often, does
 * not matter: the first copy in one profile goes with the first in the other, the second with the second.
 */
#include "monread_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_files(const struct mon_module *a, const struct mon_module *b)
{
	int order = compare_numbers(a->build_id_size, b->build_id_size);

	if (order == 0 && a->build_id_size > 0)
		return memcmp(a->build_id, b->build_id, a->build_id_size);
	if (order == 0)
		order = strcmp(a->path ? a->path : "", b->path ? b->path : "");
	if (order == 0)
		order = compare_numbers(a->low, b->low);
	return order ? order : compare_numbers(a->high, b->high);
}

bool mon_module_is(const struct mon_module *a, const struct mon_module *b)
{
	return compare_files(a, b) == 0;
}

static int by_file(const void *a, const void *b, void *modules)
{
	const struct mon_module *m = modules;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_files(&m[x], &m[y]);

	return order ? order : compare_numbers(x, y);
}

/* The numbers of modules, those of one file side by side; to be freed.  NULL: no memory. */
static uint32_t *sorted(struct mon_module *module, size_t n)
{
	uint32_t *list = malloc((n + 1) * sizeof(*list));

	if (!list)
		return NULL;
	for (size_t i = 0; i < n; i++)
		list[i] = (uint32_t)i;
	if (n > 1)
		qsort_r(list, n, sizeof(*list), by_file, module);
	return list;
}

int mon_modules_group(struct mon_module *module, size_t n, struct mon_error *err)
{
	uint32_t *list = n > 0 ? sorted(module, n) : NULL;

	if (n > 0 && !list)
		return mon_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct mon_module *m = &module[list[i]];

		m->first = list[i];
		if (i > 0 && mon_module_is(&module[list[i - 1]], m))
			m->first = module[list[i - 1]].first;
	}
	free(list);
	return 0;
}

/* Pair the two sorted lists; what has no partner stays UINT32_MAX. */
static void pair(const struct mon_profile *into, const uint32_t *a, const struct mon_profile *from, const uint32_t *b,
		 uint32_t *map)
{
	size_t i = 0, k = 0;

	for (size_t n = 0; n < from->nmodule; n++)
		map[n] = UINT32_MAX;
	while (i < into->nmodule && k < from->nmodule) {
		int order = compare_files(&into->module[a[i]], &from->module[b[k]]);

		if (order == 0)
			map[b[k]] = a[i];
		i += order <= 0;
		k += order >= 0;
	}
}

int mon_modules_map(const struct mon_profile *into, const struct mon_profile *from, uint32_t *map, size_t *n,
		    struct mon_error *err)
{
	uint32_t *a = sorted(into->module, into->nmodule), *b = sorted(from->module, from->nmodule);
	size_t next = into->nmodule;

	if (a && b)
		pair(into, a, from, b, map);
	free(a);
	free(b);
	if (!a || !b)
		return mon_error_nomem(err);
	for (size_t i = 0; i < from->nmodule; i++)
		if (map[i] == UINT32_MAX)
			map[i] = (uint32_t)next++;
	*n = next;
	return 0;
}

void mon_module_describe(const struct mon_module *m, char *text, size_t size)
{
	const char *path = m->path ? m->path : "an object without a name";
	char hex[2 * sizeof(m->build_id) + 1] = "";

	for (size_t i = 0; i < m->build_id_size; i++)
		snprintf(hex + 2 * i, sizeof(hex) - 2 * i, "%02x", m->build_id[i]);
	if (m->build_id_size > 0)
		snprintf(text, size, "%s (build-id %s)", path, hex);
	else
		snprintf(text, size, "%s (text 0x%llx-0x%llx)", path, (unsigned long long)m->low,
			 (unsigned long long)m->high);
}

void mon_modules_free(struct mon_module *module, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(module[i].path);
	free(module);
}
