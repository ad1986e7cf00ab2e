/* SPDX-License-Identifier: BSD-2-Clause */
/* names.c -- what the rows of a report are called in front of people. */
#include "names.h"

#include "monread.h"
#include "unmangle.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* A name: of at least one static function of an object, or, with obj NULL, of a function of any object. */
struct slot {
	const char *name; /* borrowed from the object; NULL: free */
	const struct mon_object *obj;
	const struct mon_object *first; /* whose the first one was */
	bool repeated;			/* in the object, or in another one than first */
};

struct names {
	const struct mon_profile *profile; /* borrowed */
	bool several;			   /* objects with functions */
	struct slot *slot;		   /* owned; open hash table of nslot, a power of two, or none when 0 */
	size_t nslot;
	uint64_t seed;	  /* of the hash, so that no file can be made to collide */
	char *readable;	  /* owned; where the current name is demangled to, NULL: names stay as they are */
	char *composed;	  /* owned; the current name or qualifier, where it had to be put together */
	char address[24]; /* the current qualifier, where it is an address */
};

/* The slot of a name, or the free one where it belongs.  Some slots are always free. */
static struct slot *find(const struct names *n, const char *name, const struct mon_object *obj)
{
	uint64_t h = n->seed ^ (uintptr_t)obj; /* FNV-1a */
	size_t i;

	for (const char *p = name; *p != '\0'; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3;
	i = (size_t)(h ^ h >> 32) & (n->nslot - 1);
	while (n->slot[i].name != NULL &&
	       (n->slot[i].obj != obj || (n->slot[i].name != name && strcmp(n->slot[i].name, name) != 0)))
		i = (i + 1) & (n->nslot - 1);
	return &n->slot[i];
}

/* Enter the names of all rows' static functions, then see which of them global functions of the object have too. */
static void find_repeated(struct names *n, const struct mon_report *r)
{
	for (int global = 0; global < 2; global++) {
		for (size_t i = 0; i < r->nrow; i++) {
			const struct mon_row *row = &r->row[i];
			const char *name;
			struct slot *s;

			if (row->sym == NULL || row->sym->local == global)
				continue;
			name = mon_symbol_name(row->obj, row->sym);
			s = find(n, name, row->obj);
			if (s->name != NULL)
				s->repeated = true;
			else if (!global)
				*s = (struct slot){ .name = name, .obj = row->obj };
		}
	}
}

/* See which names are those of functions in several objects. */
static void find_shared(struct names *n, const struct mon_report *r)
{
	for (size_t i = 0; i < r->nrow; i++) {
		const struct mon_row *row = &r->row[i];
		const char *name;
		struct slot *s;

		if (row->sym == NULL)
			continue;
		name = mon_symbol_name(row->obj, row->sym);
		s = find(n, name, NULL);
		if (s->name == NULL)
			*s = (struct slot){ .name = name, .first = row->obj };
		else
			s->repeated |= s->first != row->obj;
	}
}

static bool make_table(struct names *n, const struct mon_report *r)
{
	const struct mon_object *first = NULL;
	size_t nlocal = 0, nfunction = 0, need;

	for (size_t i = 0; i < r->nrow; i++) {
		const struct mon_row *row = &r->row[i];

		if (row->sym == NULL)
			continue;
		nfunction++;
		nlocal += row->sym->local;
		first = first != NULL ? first : row->obj;
		n->several |= row->obj != first;
	}
	need = nlocal + (n->several ? nfunction : 0);
	if (need == 0)
		return true;
	for (n->nslot = 4; n->nslot < 2 * need;)
		n->nslot *= 2;
	n->slot = calloc(n->nslot, sizeof *n->slot);
	if (n->slot == NULL)
		return false;
	find_repeated(n, r);
	if (n->several)
		find_shared(n, r);
	return true;
}

struct names *names_build(const struct mon_report *r, bool readable)
{
	struct names *n = calloc(1, sizeof *n);

	if (n == NULL)
		return NULL;
	n->profile = r->profile;
	n->seed = 0xcbf29ce484222325;
	getrandom(&n->seed, sizeof n->seed, GRND_NONBLOCK);
	n->readable = readable ? malloc(UNMANGLE_SIZE) : NULL;
	if ((readable && n->readable == NULL) || !make_table(n, r)) {
		names_free(n);
		return NULL;
	}
	return n;
}

void names_free(struct names *n)
{
	if (n == NULL)
		return;
	free(n->slot);
	free(n->readable);
	free(n->composed);
	free(n);
}

/* A text to be valid until the next name is asked for; "?" when there is no memory for it. */
static const char *compose(struct names *n, const char *format, ...)
{
	va_list ap;

	free(n->composed);
	va_start(ap, format);
	if (vasprintf(&n->composed, format, ap) < 0)
		n->composed = NULL;
	va_end(ap);
	return n->composed != NULL ? n->composed : "?";
}

/* The last component of an object's path. */
static const char *object_name(const struct names *n, uint32_t module)
{
	const char *path = n->profile->module[module].path, *slash = path != NULL ? strrchr(path, '/') : NULL;

	return path == NULL ? "object without a name" : slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static bool is_of_library(const struct names *n, const struct mon_row *row)
{
	return row->module > 0 && row->module < n->profile->nmodule;
}

static const char *place_name(struct names *n, const struct mon_row *row, const char **qualifier)
{
	if (row->place == MON_IN_MODULE && row->module < n->profile->nmodule)
		return compose(n, "[%s]", object_name(n, row->module));
	if (is_of_library(n, row))
		*qualifier = object_name(n, row->module);
	return mon_place_name(row->place);
}

/* What tells a static function from others of that name in its object. */
static const char *file_name(struct names *n, const struct mon_row *row)
{
	const char *file = mon_symbol_file(row->obj, row->sym);

	if (file != NULL)
		return file;
	snprintf(n->address, sizeof n->address, "0x%" PRIx64, row->sym->addr);
	return n->address;
}

const char *names_row(struct names *n, const struct mon_row *row, const char **qualifier)
{
	const char *name, *file = NULL, *object = NULL;

	*qualifier = NULL;
	if (row->sym == NULL)
		return place_name(n, row, qualifier);
	name = mon_symbol_name(row->obj, row->sym);
	if (row->sym->local && find(n, name, row->obj)->repeated)
		file = file_name(n, row);
	if (n->several && is_of_library(n, row) && find(n, name, NULL)->repeated)
		object = object_name(n, row->module);
	if (file != NULL && object != NULL)
		*qualifier = compose(n, "%s, %s", object, file);
	else
		*qualifier = object != NULL ? object : file;
	return n->readable != NULL ? unmangle(name, n->readable) : name;
}

struct sort_key {
	char *name; /* owned; NULL for a remainder */
	struct mon_row row;
	size_t place; /* before sorting: it breaks ties */
};

static int compare(const void *va, const void *vb)
{
	const struct sort_key *a = va, *b = vb;
	int order = 0;

	if (a->name == NULL || b->name == NULL)
		order = (a->name == NULL) - (b->name == NULL);
	else
		order = strcmp(a->name, b->name);
	return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

int names_sort(struct names *n, struct mon_report *r)
{
	struct sort_key *key = calloc(r->nrow > 0 ? r->nrow : 1, sizeof *key);
	const char *qualifier;
	bool ok = key != NULL;

	for (size_t i = 0; ok && i < r->nrow; i++) {
		key[i] = (struct sort_key){ .row = r->row[i], .place = i };
		if (r->row[i].sym == NULL)
			continue;
		key[i].name = strdup(names_row(n, &r->row[i], &qualifier));
		ok = key[i].name != NULL;
	}
	if (ok)
		qsort(key, r->nrow, sizeof *key, compare);
	for (size_t i = 0; key != NULL && i < r->nrow; i++) {
		if (ok)
			r->row[i] = key[i].row;
		free(key[i].name);
	}
	free(key);
	return ok ? 0 : -1;
}
