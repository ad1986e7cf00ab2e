/* SPDX-License-Identifier: BSD-2-Clause */
/* describe.c -- what a native profile says beside its counts: process, clock, objects, threads. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_MODULE = 65536,   /* objects of a process */
	MAX_NAME_SIZE = 4096, /* bytes of a name that are read */
	MAX_PATH_SIZE = 65535,
	MAX_HZ = 10000,
};

/* Where the structure in a section is; NULL: it could not be read. */
static const unsigned char *bytes_of(struct mon_native *n, const struct mon_native_section *s, size_t size,
				     struct mon_error *err)
{
	return mon_input_at(n->in, s->offset, size, err);
}

#define MEMBER(type, member) MON_MEMBER(b, n->order, type, member)

/* ---- process ----------------------------------------------------------------------------------------------------- */

static int load_process(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	const unsigned char *b = bytes_of(n, s, sizeof(struct monfmt_process), err);
	struct mon_process *p = &n->p->process;

	if (!b)
		return -1;
	p->pid = MEMBER(monfmt_process, pid);
	p->ppid = MEMBER(monfmt_process, ppid);
	p->rank = (int64_t)MEMBER(monfmt_process, rank);
	p->start = MEMBER(monfmt_process, start);
	p->end = MEMBER(monfmt_process, end);
	n->p->clock.lost_calls = MEMBER(monfmt_process, lost_calls);
	n->identity = MEMBER(monfmt_process, identity);
	n->flags = MEMBER(monfmt_process, flags);
	if (n->flags & MONFMT_F_SIGPROF)
		n->p->flags |= MON_F_SIGPROF;
	return 0;
}

/* A text without NUL, up to the first one that is in it all the same. */
static int load_text(struct mon_native *n, uint64_t off, uint64_t size, char **out, struct mon_error *err)
{
	const unsigned char *b = mon_input_at(n->in, off, (size_t)size, err);

	if (!b)
		return -1;
	*out = strndup((const char *)b, (size_t)size);
	return *out ? 0 : mon_error_nomem(err);
}

static int load_argument(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	return load_text(n, s->offset, MON_MIN(s->size, (uint64_t)MAX_NAME_SIZE), &n->p->process.program, err);
}

static int load_host(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	return load_text(n, s->offset, MON_MIN(s->size, (uint64_t)MAX_NAME_SIZE), &n->p->process.host, err);
}

static int load_sum(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	const unsigned char *b = bytes_of(n, s, sizeof(struct monfmt_sum), err);
	struct mon_profile *p = n->p;
	uint64_t life, flags;

	if (!b)
		return -1;
	life = MEMBER(monfmt_sum, life);
	flags = MEMBER(monfmt_sum, flags);
	p->threads = MON_MAX(MEMBER(monfmt_sum, threads), (uint64_t)p->nthread);
	p->process.life = life == MONFMT_L_FINISHED ? MON_LIFE_FINISHED
			  : life == MONFMT_L_DIED   ? MON_LIFE_DIED
						    : MON_LIFE_UNKNOWN;
	p->flags |= (flags & MONFMT_S_PRIVATE ? MON_F_PRIVATE : 0u) | (flags & MONFMT_S_CUT ? MON_F_CUT : 0u) |
		    (flags & MONFMT_S_LIMIT ? MON_F_COUNT_LIMIT : 0u);
	return 0;
}

/* ---- clock ------------------------------------------------------------------------------------------------------- */

static enum mon_method method_of(uint64_t method)
{
	static const enum mon_method methods[] = {
		[MONFMT_PERF] = MON_METHOD_PERF,
		[MONFMT_PERF_SIGNAL] = MON_METHOD_PERF_SIGNAL,
		[MONFMT_TIMER] = MON_METHOD_TIMER,
		[MONFMT_ITIMER] = MON_METHOD_ITIMER,
	};

	return method < sizeof(methods) / sizeof(methods[0]) ? methods[method] : MON_METHOD_UNKNOWN;
}

static int load_clock(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	const unsigned char *b = bytes_of(n, s, sizeof(struct monfmt_clock), err);
	struct mon_clock *c = &n->p->clock;
	uint64_t hz, flags;

	if (!b)
		return -1;
	hz = MEMBER(monfmt_clock, hz);
	flags = MEMBER(monfmt_clock, flags);
	if (hz == 0 && n->state == MONFMT_LIVE && MEMBER(monfmt_clock, ticks) == 0)
		return 0; /* it had not begun to tick */
	c->method = method_of(MEMBER(monfmt_clock, method));
	c->user_only = flags & MONFMT_C_USER_ONLY;
	c->tick_bound = flags & MONFMT_C_TICK_BOUND;
	c->cpu = MEMBER(monfmt_clock, cpu);
	c->unknown = MEMBER(monfmt_clock, outside);
	c->mcount = MEMBER(monfmt_clock, mcount);
	c->vdso = MEMBER(monfmt_clock, vdso);
	c->lost = MEMBER(monfmt_clock, lost);
	if (hz < 1 || hz > MAX_HZ)
		return mon_error_set(err, MON_E_FORMAT, 0, s->offset + offsetof(struct monfmt_clock, hz),
				     "a clock rate of %llu Hz cannot be: 1 to %d are believed", (ull)hz, MAX_HZ);
	n->p->hz = (unsigned)hz;
	n->p->hz_source = MON_HZ_FILE;
	return 0;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static int load_path(struct mon_native *n, const struct mon_native_section *s, uint64_t size, struct mon_module *m,
		     struct mon_error *err)
{
	if (size == 0)
		return 0;
	if (size > MAX_PATH_SIZE || size > s->size - sizeof(struct monfmt_object))
		return mon_error_set(err, MON_E_FORMAT, 0, s->offset + offsetof(struct monfmt_object, path_size),
				     "a path of %llu bytes in an object's section of %llu", (ull)size, (ull)s->size);
	return load_text(n, s->offset + sizeof(struct monfmt_object), size, &m->path, err);
}

static int load_object(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	const unsigned char *b = bytes_of(n, s, sizeof(struct monfmt_object), err);
	struct mon_module *m = &n->p->module[s->of];
	uint64_t path_size;

	if (!b)
		return -1;
	m->build_id_size = (size_t)MEMBER(monfmt_object, build_id_size);
	if (m->path || m->high > 0 || m->build_id_size > sizeof(m->build_id))
		return mon_error_set(err, MON_E_FORMAT, 0, s->offset,
				     "object %lu is there twice or its build-id is too long (%zu bytes)",
				     (unsigned long)s->of, m->build_id_size);
	memcpy(m->build_id, b + offsetof(struct monfmt_object, build_id), m->build_id_size);
	m->low = MEMBER(monfmt_object, low);
	m->high = MEMBER(monfmt_object, high);
	m->bias = MEMBER(monfmt_object, bias);
	m->loaded = MEMBER(monfmt_object, loaded);
	m->unloaded = MEMBER(monfmt_object, unloaded);
	path_size = MEMBER(monfmt_object, path_size);
	if (m->high == 0)
		m->low = 0; /* its end is what a live file gets last */
	if (m->low > m->high || m->high > UINT64_MAX - MONFMT_BIN_TEXT)
		return mon_error_set(err, MON_E_FORMAT, 0, s->offset,
				     "the text 0x%llx-0x%llx of object %lu is backwards or too large", (ull)m->low,
				     (ull)m->high, (unsigned long)s->of);
	return load_path(n, s, path_size, m, err);
}

/* Room for as many modules as the objects' numbers need. */
static int make_modules(struct mon_native *n, struct mon_error *err)
{
	const struct mon_native_section *s = NULL;
	size_t count = 0;

	while ((s = mon_native_next(n, MONFMT_OBJECT, s))) {
		if (s->of >= MAX_MODULE)
			return mon_error_set(err, MON_E_UNSUPPORTED, 0, s->offset,
					     "object number %lu; up to %d are read", (unsigned long)s->of,
					     MAX_MODULE - 1);
		count = MON_MAX(count, (size_t)s->of + 1);
	}
	n->p->module = calloc(count + 1, sizeof(*n->p->module));
	n->bins = calloc(count + 1, sizeof(struct mon_bins *));
	if (!n->p->module || !n->bins)
		return mon_error_nomem(err);
	n->p->nmodule = count;
	return 0;
}

/* The program's path may be a section of its own. */
static int load_program(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	if (n->p->nmodule == 0 || n->p->module[0].path)
		return 0;
	return load_text(n, s->offset, MON_MIN(s->size, (uint64_t)MAX_PATH_SIZE), &n->p->module[0].path, err);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static int load_threads(struct mon_native *n, const struct mon_native_section *s, struct mon_error *err)
{
	const size_t each = sizeof(struct monfmt_thread);
	struct mon_profile *p = n->p;

	for (uint64_t off = s->offset; off < s->offset + s->size; off += each) {
		const unsigned char *b = mon_input_at(n->in, off, each, err);
		struct mon_thread_row t = { 0 };

		if (!b)
			return -1;
		t.tid = MEMBER(monfmt_thread, tid);
		if (t.tid == 0)
			continue;
		p->threads++;
		if (p->nthread == MON_THREAD_MAX)
			continue;
		t.born = MEMBER(monfmt_thread, born);
		t.ended = MEMBER(monfmt_thread, ended);
		t.ticks = MEMBER(monfmt_thread, ticks);
		t.user = MEMBER(monfmt_thread, user);
		t.system = MEMBER(monfmt_thread, system);
		t.wait = MEMBER(monfmt_thread, wait);
		memcpy(t.name, b + offsetof(struct monfmt_thread, name), sizeof(((struct monfmt_thread *)0)->name));
		p->thread[p->nthread++] = t;
	}
	return 0;
}

static int make_threads(struct mon_native *n, struct mon_error *err)
{
	uint64_t room = mon_native_total(n, MONFMT_THREAD) / sizeof(struct monfmt_thread);

	n->p->thread = calloc((size_t)MON_MIN(room, (uint64_t)MON_THREAD_MAX) + 1, sizeof(*n->p->thread));
	return n->p->thread ? 0 : mon_error_nomem(err);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int mon_native_describe(struct mon_native *n, struct mon_error *err)
{
	static const struct loader {
		enum monfmt_type type;
		int (*load)(struct mon_native *, const struct mon_native_section *, struct mon_error *);
	} loaders[] = {
		{ MONFMT_PROCESS, load_process }, { MONFMT_ARGUMENT, load_argument }, { MONFMT_HOST, load_host },
		{ MONFMT_CLOCK, load_clock },	  { MONFMT_OBJECT, load_object },     { MONFMT_PROGRAM, load_program },
		{ MONFMT_THREAD, load_threads },
	};
	const struct mon_native_section *s;
	struct mon_process *p = &n->p->process;

	if (make_modules(n, err) || make_threads(n, err))
		return -1;
	for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++)
		for (s = NULL; (s = mon_native_next(n, loaders[i].type, s));)
			if (loaders[i].load(n, s, err))
				return -1;
	if (n->flags & MONFMT_F_THREADS)
		n->p->threads++;
	p->life = n->state == MONFMT_FINISHED ? MON_LIFE_FINISHED : mon_life_find(p->pid, n->identity, p->host);
	s = mon_native_next(n, MONFMT_SUM, NULL);
	return s ? load_sum(n, s, err) : 0;
}
