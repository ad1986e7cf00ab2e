/* SPDX-License-Identifier: BSD-2-Clause */
/* lookup.c -- which function an address belongs to, and what it is called. */
#include "monread_impl.h"

#include <stdlib.h>

const char *mon_symbol_name(const struct mon_object *obj, const struct mon_symbol *sym)
{
	return mon_names_get(obj->names, sym->name);
}

const char *mon_symbol_file(const struct mon_object *obj, const struct mon_symbol *sym)
{
	const char *file = sym->file ? mon_names_get(obj->names, sym->file) : NULL;

	return file && mon_name_known(file) ? file : NULL;
}

/* ---- functions inside functions ---------------------------------------------------------------------------------- */

/* Functions that reach beyond the start of the next one, the innermost last. */
struct open {
	size_t *sym; /* owned */
	size_t n, room;
};

/* Give the bytes [from, to) that the last function before does not reach to those around it. */
static int add_tails(struct mon_object *obj, struct open *open, uint64_t from, uint64_t to, size_t *room,
		     struct mon_error *err)
{
	while (from < to && open->n > 0) {
		size_t sym = open->sym[open->n - 1];
		uint64_t end = MON_MIN(obj->sym[sym].end, to);

		if (end <= from) {
			open->n--;
			continue;
		}
		if (mon_grow((void **)&obj->tail, obj->ntail, room, sizeof(*obj->tail), err))
			return -1;
		obj->tail[obj->ntail++] = (struct mon_tail){ .from = from, .to = end, .sym = sym };
		from = end;
	}
	return 0;
}

static int walk_tails(struct mon_object *obj, struct open *open, struct mon_error *err)
{
	size_t room = 0, j;

	for (size_t i = 0; i < obj->nsym; i = j) {
		const struct mon_symbol *s = obj->sym;
		uint64_t next;

		for (j = i + 1; j < obj->nsym && s[j].alias; j++)
			;
		next = j < obj->nsym ? s[j].addr : UINT64_MAX;
		if (s[i].end < next) {
			if (add_tails(obj, open, s[i].end, next, &room, err))
				return -1;
			continue;
		}
		if (s[i].end == next)
			continue;
		if (mon_grow((void **)&open->sym, open->n, &open->room, sizeof(*open->sym), err))
			return -1;
		open->sym[open->n++] = i;
	}
	return 0;
}

int mon_object_find_tails(struct mon_object *obj, struct mon_error *err)
{
	struct open open = { 0 };
	int rc = walk_tails(obj, &open, err);

	free(open.sym);
	return rc;
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

const struct mon_symbol *mon_object_symbols(const struct mon_object *obj, size_t *n)
{
	*n = obj->nsym;
	return obj->sym;
}

/* Index of the first symbol above addr, which is not before from: steps that double, then halves. */
static size_t first_above(const struct mon_object *obj, uint64_t addr, size_t from)
{
	const struct mon_symbol *s = obj->sym;
	size_t n = obj->nsym, low = from, high, step = 1;

	while (low < n && s[low].addr <= addr && low + step < n && s[low + step].addr <= addr) {
		low += step;
		step *= 2;
	}
	for (high = MON_MIN(low + step, n); low < high;) {
		size_t mid = low + (high - low) / 2;

		if (s[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The tail that holds addr, or NULL. */
static const struct mon_tail *find_tail(const struct mon_object *obj, uint64_t addr)
{
	size_t low = 0, high = obj->ntail;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (obj->tail[mid].to <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < obj->ntail && addr >= obj->tail[low].from ? &obj->tail[low] : NULL;
}

struct mon_piece mon_object_piece(const struct mon_object *obj, uint64_t addr, size_t *hint)
{
	const struct mon_symbol *s = obj->sym;
	size_t above = first_above(obj, addr, *hint), i = above;
	const struct mon_tail *tail;
	uint64_t next;

	*hint = above;
	if (i > 0) {
		i--;
		if (s[i].alias) /* to the first of its address */
			i = s[i].addr ? first_above(obj, s[i].addr - 1, 0) : 0;
		next = above < obj->nsym ? s[above].addr : UINT64_MAX;
		if (addr < s[i].end)
			return (struct mon_piece){ .sym = i, .from = s[i].addr, .to = MON_MIN(s[i].end, next) };
		tail = find_tail(obj, addr);
		if (tail)
			return (struct mon_piece){ .sym = tail->sym, .from = tail->from, .to = tail->to };
	}
	if (above == obj->nsym)
		return (struct mon_piece){ .sym = obj->nsym, .from = UINT64_MAX, .to = UINT64_MAX };
	i = first_above(obj, s[above].addr, above); /* past its aliases */
	next = i < obj->nsym ? s[i].addr : UINT64_MAX;
	return (struct mon_piece){ .sym = above, .from = s[above].addr, .to = MON_MIN(s[above].end, next) };
}

const struct mon_symbol *mon_object_find(const struct mon_object *obj, uint64_t addr)
{
	size_t hint = 0;
	struct mon_piece p = mon_object_piece(obj, addr, &hint);

	return p.sym < obj->nsym && addr >= p.from ? &obj->sym[p.sym] : NULL;
}
