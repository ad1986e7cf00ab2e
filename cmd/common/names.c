/* SPDX-License-Identifier: BSD-2-Clause */
/* names.c -- what the rows of a report are called in front of people. */
#include "names.h"

#include "monread.h"
#include "unmangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* A name that at least one static function has. */
struct slot {
	const char *name; /* borrowed from the object; NULL: free */
	bool repeated;
};

struct names {
	const struct mon_object *obj; /* borrowed */
	struct slot *slot;	      /* owned; open hash table of nslot, a power of two, or none when 0 */
	size_t nslot;
	uint64_t seed;	  /* of the hash, so that no file can be made to collide */
	char *readable;	  /* owned; where the current name is demangled to, NULL: names stay as they are */
	char address[24]; /* the current qualifier, where it is an address */
};

/* The slot of a name, or the free one where it belongs.  Some slots are always free. */
static struct slot *find(const struct names *n, const char *name)
{
	uint64_t h = n->seed; /* FNV-1a */
	size_t i;

	for (const char *p = name; *p != '\0'; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3;
	i = (size_t)(h ^ h >> 32) & (n->nslot - 1);
	while (n->slot[i].name != NULL && n->slot[i].name != name && strcmp(n->slot[i].name, name) != 0)
		i = (i + 1) & (n->nslot - 1);
	return &n->slot[i];
}

/* Enter the names of all rows' static functions, then see which of them global functions have too. */
static void find_repeated(struct names *n, const struct mon_report *r)
{
	for (int global = 0; global < 2; global++) {
		for (size_t i = 0; i < r->nrow; i++) {
			const struct mon_symbol *sym = r->row[i].sym;
			const char *name;
			struct slot *s;

			if (sym == NULL || sym->local == global)
				continue;
			name = mon_symbol_name(n->obj, sym);
			s = find(n, name);
			if (s->name != NULL)
				s->repeated = true;
			else if (!global)
				s->name = name;
		}
	}
}

struct names *names_build(const struct mon_report *r, bool readable)
{
	struct names *n = calloc(1, sizeof *n);
	size_t nlocal = 0;

	if (n == NULL)
		return NULL;
	n->obj = r->obj;
	n->seed = 0xcbf29ce484222325;
	getrandom(&n->seed, sizeof n->seed, GRND_NONBLOCK);
	for (size_t i = 0; i < r->nrow; i++)
		nlocal += r->row[i].sym != NULL && r->row[i].sym->local;
	if (nlocal > 0)
		for (n->nslot = 4; n->nslot < 2 * nlocal;)
			n->nslot *= 2;
	n->slot = n->nslot > 0 ? calloc(n->nslot, sizeof *n->slot) : NULL;
	n->readable = readable ? malloc(UNMANGLE_SIZE) : NULL;
	if ((n->nslot > 0 && n->slot == NULL) || (readable && n->readable == NULL)) {
		names_free(n);
		return NULL;
	}
	if (n->nslot > 0)
		find_repeated(n, r);
	return n;
}

void names_free(struct names *n)
{
	if (n == NULL)
		return;
	free(n->slot);
	free(n->readable);
	free(n);
}

const char *names_row(struct names *n, const struct mon_row *row, const char **qualifier)
{
	const char *name;

	*qualifier = NULL;
	if (row->sym == NULL)
		return mon_place_name(row->place);
	name = mon_symbol_name(n->obj, row->sym);
	if (row->sym->local && find(n, name)->repeated) {
		*qualifier = mon_symbol_file(n->obj, row->sym);
		if (*qualifier == NULL) {
			snprintf(n->address, sizeof n->address, "0x%" PRIx64, row->sym->addr);
			*qualifier = n->address;
		}
	}
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
