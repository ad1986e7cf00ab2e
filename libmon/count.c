/* SPDX-License-Identifier: BSD-2-Clause */
/* count.c -- exact call counts: function ids, a counter table per thread, and the slow path of mcount.
 *
 * A function gets a number, its id, at its first call; ids[] maps 4 bytes of text to an id (two mcount calls cannot
 * return into the same 4 bytes, since a call instruction is longer).  Each thread counts in a table of its own, so the
 * fast path needs no lock and loses nothing.  Ids and tables are never taken back while the process lives: a new profile
 * remembers the sums it starts from (base[]).
 */
#include "mon_impl.h"

#include <pthread.h>

#define KEYS_WITHOUT_MALLOC 32 /* glibc keeps the values of the first 32 keys in the thread itself */

/* What mcount.S reads. */
uintptr_t mon_text_low;
uint32_t *mon_ids; /* by (pc - mon_text_low) / 4: byte offset in a thread's table, plus 8; 0: no id yet */
uint32_t mon_armed;
bool mon_count_incomplete;
__thread struct mon_tls mon_tls;

struct mon_thread *mon_threads;

static uint64_t text_size;
static uint64_t nid;
static struct mon_array pcs;  /* uint32_t by id: pc - mon_text_low */
static struct mon_array base; /* uint64_t by id: its count when the profile began */
static pthread_key_t key;
static bool have_key;

/* A dying thread's tables keep their counts and wait for the next thread. */
static void thread_end(void *arg)
{
	struct mon_thread *t = arg;
	struct mon_guard g;
	mon_enter(&g);
	mon_tls.size = 0;
	mon_tls.self = NULL;
	mon_tick_detach(t);
	t->tid = 0;
	if (sigismember(&g.mask, SIGPROF) == 1) /* what it used with the signal blocked is not the next owner's */
		mon_tick_forgive(t);
	mon_leave(&g);
}

void mon_count_init(void)
{
	have_key = pthread_key_create(&key, thread_end) == 0 && key < KEYS_WITHOUT_MALLOC;
}

bool mon_count_open(void)
{
	if (mon_ids)
		return true;
	text_size = mon_text_main.high - mon_text_main.low;
	mon_text_low = mon_text_main.low;
	if (text_size < UINT32_MAX)
		mon_ids = mon_map(text_size + sizeof *mon_ids);
	return mon_ids != NULL;
}

void mon_count_run(bool on)
{
	__atomic_store_n(&mon_ctl.text_size, on ? text_size : 0, __ATOMIC_RELEASE);
}

static uint64_t total(uint64_t id)
{
	uint64_t sum = 0;
	for (const struct mon_thread *t = mon_threads; t; t = t->next)
		for (const struct mon_table *table = t->table; table; table = table->older)
			if (id < table->size / sizeof table->count[0])
				sum += __atomic_load_n(&table->count[id], __ATOMIC_RELAXED);
	return sum;
}

void mon_count_rebase(void)
{
	for (uint64_t id = 0; id < nid; id++)
		((uint64_t *)base.data)[id] = total(id);
}

bool mon_count_next(uint64_t *id, uintptr_t *pc, uint64_t *count)
{
	while (*id < nid) {
		uint64_t i = (*id)++;
		*count = total(i) - ((const uint64_t *)base.data)[i];
		*pc = mon_text_low + ((const uint32_t *)pcs.data)[i];
		if (*count)
			return true;
	}
	return false;
}

/* ---- threads ---- */

/* Without a key nobody tells when a thread ends. */
static bool is_free(const struct mon_thread *t)
{
	return !t->tid || (!have_key && !mon_tid_alive(t->tid));
}

static struct mon_thread *free_thread(void)
{
	for (struct mon_thread *t = mon_threads; t; t = t->next)
		if (is_free(t)) {
			mon_tick_detach(t);
			return t;
		}
	struct mon_thread *t = mon_map(sizeof *t);
	if (t) {
		t->timer = -1;
		if (mon_threads) /* many that live at once and briefly must not all fall short of a first tick */
			t->owed = (uint32_t)mon_tid() * 2654435761u % (1000000000 / MON_HZ);
		t->next = mon_threads;
		mon_threads = t;
	}
	return t;
}

struct mon_thread *mon_thread_attach(void)
{
	if (mon_tls.self)
		return mon_tls.self;
	struct mon_thread *t = free_thread();
	if (!t)
		return NULL;
	t->tid = mon_tid();
	mon_tls.self = t;
	mon_tls.count = t->table ? t->table->count : NULL;
	mon_tls.size = t->table ? t->table->size : 0;
	if (have_key)
		pthread_setspecific(key, t);
	mon_tick_attach(t);
	return t;
}

/* The counters of the calling thread, with room for id. */
static uint64_t *own_counts(uint64_t id)
{
	struct mon_thread *t = mon_thread_attach();
	const size_t need = (id + 1) * sizeof(uint64_t);
	if (!t)
		return NULL;
	if (!t->table || t->table->size < need) {
		size_t size = t->table ? t->table->size + sizeof *t->table : MON_PAGE;
		while (size - sizeof *t->table < need)
			size *= 2;
		struct mon_table *fresh = mon_map(size);
		if (!fresh)
			return NULL;
		fresh->older = t->table;
		fresh->size = size - sizeof *fresh;
		t->table = fresh;
	}
	mon_tls.count = t->table->count;
	mon_tls.size = t->table->size;
	return t->table->count;
}

/* The id of the function that called mcount, which returns to pc; nid when there is no memory for a new one. */
static uint64_t function_id(uintptr_t pc)
{
	uint32_t *slot = &mon_ids[(pc - mon_text_low) / sizeof *mon_ids];
	if (*slot)
		return *slot / sizeof(uint64_t) - 1;
	if (!mon_array_grow(&pcs, (nid + 1) * sizeof(uint32_t)) || !mon_array_grow(&base, (nid + 1) * sizeof(uint64_t)))
		return nid;
	((uint32_t *)pcs.data)[nid] = (uint32_t)(pc - mon_text_low);
	__atomic_store_n(slot, (uint32_t)((nid + 1) * sizeof(uint64_t)), __ATOMIC_RELAXED);
	return nid++;
}

/* Only the calling thread lives on in a fork child, and no timer does. */
void mon_count_forked(void)
{
	for (struct mon_thread *t = mon_threads; t; t = t->next) {
		t->timer = -1;
		t->ticking = false;
		if (t != mon_tls.self)
			t->tid = 0;
	}
	if (mon_tls.self) {
		mon_tls.self->tid = mon_tid();
		mon_tick_attach(mon_tls.self);
	}
}

static void count_call(uintptr_t pc)
{
	uint64_t id = function_id(pc);
	uint64_t *count = id < nid ? own_counts(id) : NULL;
	if (count) {
		count[id]++;
	} else {
		mon_count_incomplete = true;
		mon_count_run(false);
	}
}

/* Called with every register saved: count one call, after whatever is needed first. */
void mon_count_slow(uintptr_t pc)
{
	struct mon_guard g;
	if (mon_tls.inside)
		return;
	mon_enter(&g);
	if (!mon_ctl.alive && mon_armed)
		mon_profile_auto();
	if (pc - mon_text_low < mon_ctl.text_size)
		count_call(pc);
	mon_leave(&g);
}
