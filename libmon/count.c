/* SPDX-License-Identifier: BSD-2-Clause */
/* count.c -- exact call counts: function ids, a counter table per thread, and the slow path of mcount.
 *
 * A function gets a number, its id, at its first call; ids map 4 bytes of text to an id (two mcount calls cannot return
 * into the same 4 bytes, since a call instruction is longer).  Each thread counts in a table of its own, so the fast path
 * needs no lock and loses nothing.  Ids and tables are never taken back while the process lives: a new profile remembers
 * the sums it starts from (base[]).  Code of shared objects has its ids in blocks for 2 MiB of address space each.
 */
#include "mon_impl.h"

#include <pthread.h>
#include <string.h>

#define KEYS_WITHOUT_MALLOC 32 /* glibc keeps the values of the first 32 keys in the thread itself */
#define FAR_SHIFT	    21 /* mcount.S knows it, too */
#define FAR_BLOCK	    ((uintptr_t)1 << FAR_SHIFT)
#define FAR_MOST	    (1u << 19) /* blocks: 1 TiB of addresses from the lowest object to the highest */
#define LIST_ROOM	    512	       /* functions in a section of the live file */

/* What mcount.S reads. */
uintptr_t mon_text_low;
uint32_t *mon_ids; /* by (pc - mon_text_low) / 4: byte offset in a thread's table, plus 8; 0: no id yet */
struct mon_far {
	uintptr_t low, size;
	uint32_t *ids[]; /* by (pc - low) >> FAR_SHIFT; NULL: nothing called there yet */
};
struct mon_far *mon_far; /* replaced as a whole, never taken away: mcount may be reading it */
uint32_t mon_armed;
__thread struct mon_tls mon_tls;

struct mon_thread *mon_threads;
bool mon_count_incomplete;

static uint64_t text_size;
static uint64_t nid;
static struct mon_array functions;   /* struct monfmt_function by id */
static struct mon_array base;	     /* uint64_t by id: its count when the profile began */
static struct monfmt_function *list; /* the section of the live file with the newest functions */
static uint64_t list_first, list_room;
static pthread_key_t key;
static bool have_key;

/* A dying thread's tables keep their counts and wait for the next thread. */
static void thread_end(void *arg)
{
	struct mon_thread *t = arg;
	struct mon_guard g;
	mon_enter(&g);
	mon_tls.size = 0;
	mon_thread_detach(t);
	mon_tls.self = NULL;
	if (sigismember(&g.mask, SIGPROF) == 1) { /* what it used with the signal blocked is not the next owner's */
		mon_tick_forgive(t);
		mon_clock_forgive(t);
	}
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
	__atomic_store_n(&mon_ctl.far, on && mon_live_header ? 1 : 0, __ATOMIC_RELAXED);
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

bool mon_count_next(uint64_t *id, struct monfmt_function *function, uint64_t *count)
{
	while (*id < nid) {
		uint64_t i = (*id)++;
		*count = total(i) - ((const uint64_t *)base.data)[i];
		*function = ((const struct monfmt_function *)functions.data)[i];
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
			if (t->tid)
				mon_thread_detach(t);
			return t;
		}
	struct mon_thread *t = mon_map(sizeof *t);
	if (t) {
		t->timer = t->clock_timer = -1;
		if (mon_threads) /* many that live at once and briefly must not all fall short of a first tick */
			t->owed = (uint32_t)mon_tid() * 2654435761u % (1000000000 / MON_CLASSIC_HZ);
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
	mon_record_begin(t);
	mon_tick_attach(t);
	mon_clock_attach(t);
	return t;
}

void mon_thread_detach(struct mon_thread *t)
{
	mon_tick_detach(t);
	mon_clock_detach(t);
	mon_record_end(t);
	t->tid = 0;
}

static struct mon_table *new_table(size_t size)
{
	struct mon_table *table = mon_keep(sizeof *table);
	if (!table)
		return NULL;
	table->count = mon_live_header ? mon_live_section(MONFMT_COUNT, 0, size) : mon_map(size);
	table->size = size;
	return table->count ? table : NULL;
}

/* The counters of the calling thread, with room for id. */
static uint64_t *own_counts(uint64_t id)
{
	struct mon_thread *t = mon_thread_attach();
	const size_t need = (id + 1) * sizeof(uint64_t);
	if (!t)
		return NULL;
	if (!t->table || t->table->size < need) {
		/* The first table of a thread holds what the program is known to have, and some; then they double. */
		size_t size = t->table ? 2 * t->table->size : (nid + nid / 8) * sizeof(uint64_t);
		size = size > need ? size : need;
		struct mon_table *fresh = new_table((size + MON_PAGE - 1) / MON_PAGE * MON_PAGE);
		if (!fresh)
			return NULL;
		fresh->older = t->table;
		t->table = fresh;
	}
	mon_tls.count = t->table->count;
	mon_tls.size = t->table->size;
	return t->table->count;
}

/* ---- functions ---- */

/* Put a function into the live file's list, too. */
static void list_function(uint64_t id)
{
	if (!mon_live_header)
		return;
	if (!list || id >= list_first + list_room) {
		list = mon_live_section(MONFMT_FUNCTION, (uint32_t)id, LIST_ROOM * sizeof *list);
		list_first = id;
		list_room = list ? LIST_ROOM : 0;
	}
	if (list)
		list[id - list_first] = ((const struct monfmt_function *)functions.data)[id];
}

/* Blocks from low to high, those of the present list among them. */
static struct mon_far *wider(uintptr_t low, uintptr_t high)
{
	struct mon_far *old = mon_far;
	if (old) {
		low = old->low < low ? old->low : low;
		high = old->low + old->size > high ? old->low + old->size : high;
	}
	size_t n = (high - low) >> FAR_SHIFT;
	struct mon_far *fresh = n <= FAR_MOST ? mon_map(sizeof *fresh + n * sizeof fresh->ids[0]) : NULL;
	if (!fresh)
		return NULL;
	fresh->low = low;
	fresh->size = high - low;
	if (old)
		mon_copy(&fresh->ids[(old->low - low) >> FAR_SHIFT], old->ids,
			 (old->size >> FAR_SHIFT) * sizeof old->ids[0]);
	__atomic_store_n(&mon_far, fresh, __ATOMIC_RELEASE);
	return fresh;
}

static uint32_t *far_slot(uintptr_t pc)
{
	const uintptr_t block = pc & ~(FAR_BLOCK - 1);
	struct mon_far *far = mon_far;
	if (!far || pc - far->low >= far->size)
		far = wider(block, block + FAR_BLOCK);
	if (!far)
		return NULL;
	uint32_t **ids = &far->ids[(pc - far->low) >> FAR_SHIFT];
	if (!*ids)
		__atomic_store_n(ids, mon_map(FAR_BLOCK), __ATOMIC_RELEASE);
	return *ids ? &(*ids)[(pc - block) / sizeof **ids] : NULL;
}

static uint32_t *slot_of(uintptr_t pc)
{
	return pc - mon_text_low < text_size ? &mon_ids[(pc - mon_text_low) / sizeof *mon_ids] : far_slot(pc);
}

void mon_count_forget(uintptr_t low, uintptr_t high)
{
	for (uintptr_t at = low; mon_far && at < high; at = (at & ~(FAR_BLOCK - 1)) + FAR_BLOCK) {
		uintptr_t end = (at & ~(FAR_BLOCK - 1)) + FAR_BLOCK;
		uint32_t *ids =
		    at - mon_far->low < mon_far->size ? mon_far->ids[(at - mon_far->low) >> FAR_SHIFT] : NULL;
		if (ids)
			mon_clear(&ids[(at & (FAR_BLOCK - 1)) / sizeof *ids], (end < high ? end : high) - at);
	}
}

/* The functions of an object that is back have the ids they had. */
void mon_count_recall(uint32_t object, uintptr_t low)
{
	const struct monfmt_function *f = functions.data;
	for (uint64_t id = 0; id < nid; id++) {
		uint32_t *slot = f[id].object == object ? slot_of(low + f[id].offset) : NULL;
		if (slot)
			__atomic_store_n(slot, (uint32_t)((id + 1) * sizeof(uint64_t)), __ATOMIC_RELAXED);
	}
}

static struct monfmt_function function_at(uintptr_t pc)
{
	if (pc - mon_text_low < text_size) /* the program: its object begins there, too */
		return (struct monfmt_function){ 0, (uint32_t)(pc - mon_text_low) };
	const struct mon_object *o = mon_object_learn(pc);
	return o ? (struct monfmt_function){ o->index, (uint32_t)(pc - o->low) }
		 : (struct monfmt_function){ MONFMT_NO_OBJECT, 0 };
}

/* The id of the function that called mcount, which returns to pc; nid when there is no memory for a new one. */
static uint64_t function_id(uintptr_t pc)
{
	uint32_t *slot = slot_of(pc);
	if (slot && *slot)
		return *slot / sizeof(uint64_t) - 1;
	if (!slot || !mon_array_grow(&functions, (nid + 1) * sizeof(struct monfmt_function)) ||
	    !mon_array_grow(&base, (nid + 1) * sizeof(uint64_t)))
		return nid;
	((struct monfmt_function *)functions.data)[nid] = function_at(pc);
	list_function(nid);
	__atomic_store_n(slot, (uint32_t)((nid + 1) * sizeof(uint64_t)), __ATOMIC_RELAXED);
	return nid++;
}

/* ---- fork, and the slow path ---- */

void mon_count_live(void)
{
	list = NULL;
	for (uint64_t id = 0; id < nid; id++)
		list_function(id);
}

/* Only the calling thread lives on in a fork child, and no timer does.  Counts begin at zero, in new tables: the present
 * ones may be in the parent's file. */
void mon_count_forked(void)
{
	mon_clock_forked();
	for (struct mon_thread *t = mon_threads; t; t = t->next) {
		*t = (struct mon_thread){ .next = t->next, .timer = -1, .clock_timer = -1, .owed = t->owed };
		if (t == mon_tls.self)
			t->tid = mon_tid();
	}
	mon_tls.size = 0;
	if (base.data)
		mon_clear(base.data, base.size);
	if (mon_tls.self)
		mon_tick_attach(mon_tls.self);
}

static void count_call(uintptr_t pc)
{
	uint64_t id = function_id(pc);
	uint64_t *count = id < nid ? own_counts(id) : NULL;
	if (count) {
		count[id]++;
	} else if (mon_live_header) {
		mon_live_process->lost_calls++;
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
	if (pc - mon_text_low < mon_ctl.text_size || mon_ctl.far)
		count_call(pc);
	mon_leave(&g);
}
