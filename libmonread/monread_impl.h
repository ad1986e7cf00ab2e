/* SPDX-License-Identifier: BSD-2-Clause */
/* monread_impl.h -- what the files of libmonread share; the only private header, but for native.h.
 *
 * Calls go one way: input, cursor -> variants, probe -> flat, gmon, native -> profile, module, bins, list -> merge;
 * object, symtab -> match, attrib -> report.  Only cursor.c turns bytes into numbers.
 */
#ifndef MONREAD_IMPL_H
#define MONREAD_IMPL_H

/* Everything is compiled hidden; what monread.h declares is what the shared library exports. */
#pragma GCC visibility push(default)
#include "monread.h"
#pragma GCC visibility pop

#include <sys/stat.h>

#define MON_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MON_MAX(a, b) ((a) > (b) ? (a) : (b))

__extension__ typedef unsigned __int128 mon_u128;

static inline uint64_t mon_add_limit(uint64_t a, uint64_t b, bool *limit)
{
	if (a > UINT64_MAX - b) {
		*limit = true;
		return UINT64_MAX;
	}
	return a + b;
}

uint64_t mon_gcd(uint64_t a, uint64_t b);

/* ---- error.c ----------------------------------------------------------------------------------------------------- */

/* Describe a failure; err may be NULL.  Always returns -1. */
int mon_error_set(struct mon_error *err, enum mon_errcode code, int sys, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
int mon_error_nomem(struct mon_error *err);

/* ---- input.c: bytes of a file ------------------------------------------------------------------------------------ */

enum {
	MON_WINDOW = 256 << 10,	    /* bytes of a plain file that are in memory at a time */
	MON_HEAD = 4096,	    /* what mon_path_kind looks at */
	MON_MEMORY_MAX = 256 << 20, /* most bytes of a pipe or of a compressed file, which are held in memory */
	MON_FILE_MAX = 1 << 30,	    /* most bytes of a plain profile: bins for gigabytes of text */
};

struct mon_input {
	const unsigned char *bytes; /* bytes [at, at + len) of the file; borrowed, or the same as owned */
	uint64_t at;
	size_t len;
	uint64_t size;	      /* of the whole file, after decompression */
	int fd;		      /* to read more from; -1: everything is in memory */
	bool close_fd;	      /* fd is ours */
	uint64_t start;	      /* where in fd the file begins */
	unsigned char *owned; /* the window, or the whole contents; NULL when borrowed */
	size_t window;	      /* its size, when fd >= 0 */
};

/* Open a regular file for reading; anything else is refused at once, without waiting for a writer. */
int mon_file_open(const char *path, int *fd, struct stat *st, struct mon_error *err);
/* Read at most len bytes at off; *got is less than len only at the end of the file. */
int mon_file_read(int fd, void *buf, size_t len, uint64_t off, size_t *got, struct mon_error *err);

int mon_input_open(struct mon_input *in, const char *path, struct mon_error *err);
/* bytes are borrowed until mon_input_close. */
int mon_input_memory(struct mon_input *in, const void *bytes, size_t len, struct mon_error *err);
void mon_input_close(struct mon_input *in);
const unsigned char *mon_input_fill(struct mon_input *in, uint64_t off, size_t len, struct mon_error *err);

/* len (<= MON_WINDOW) bytes at off, valid until the next call; NULL and MON_E_TRUNCATED when the file ends before. */
static inline const unsigned char *mon_input_at(struct mon_input *in, uint64_t off, size_t len, struct mon_error *err)
{
	if (off >= in->at && off - in->at <= in->len && len <= in->len - (off - in->at))
		return in->bytes + (off - in->at);
	return mon_input_fill(in, off, len, err);
}

/* Forget what is in memory of a file that grows, and see how long it is now. */
int mon_input_refresh(struct mon_input *in, struct mon_error *err);
/* The crc32 of the first size bytes, the one of four bytes at off taken as zeros. */
int mon_input_crc(struct mon_input *in, uint64_t size, uint64_t off, uint32_t *crc, struct mon_error *err);

/* ---- cursor.c: numbers in bytes ---------------------------------------------------------------------------------- */

enum mon_order {
	MON_LE,
	MON_BE,
	MON_PDP, /* little-endian 16-bit words, the high word first */
};

/* Where a number stands, from the start of its record. */
struct mon_field {
	uint8_t offset, width;
};

struct mon_cursor {
	struct mon_input *in;
	enum mon_order order;
	uint64_t off; /* of the next byte */
};

/* The order of this machine's own numbers. */
#define MON_NATIVE_ORDER (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? MON_BE : MON_LE)

/* A number of width 1, 2, 4 or 8 bytes (MON_PDP: not 8). */
uint64_t mon_get(const unsigned char *bytes, unsigned width, enum mon_order order);
void mon_put(unsigned char *bytes, uint64_t value, unsigned width, enum mon_order order);
static inline uint64_t mon_get_field(const unsigned char *record, struct mon_field f, enum mon_order order)
{
	return mon_get(record + f.offset, f.width, order);
}
/* The next number; moves on. */
int mon_cursor_get(struct mon_cursor *c, unsigned width, uint64_t *value, struct mon_error *err);
/* n 16-bit numbers at once, of an order of the machine or of the file. */
void mon_get_words(uint16_t *words, const unsigned char *bytes, size_t n, enum mon_order order);
bool mon_all_zero(const unsigned char *bytes, size_t len);

/* ---- list.c ------------------------------------------------------------------------------------------------------ */

/* Records of size bytes, sorted, one a key, with a uint64_t count at count_at. */
struct mon_list {
	unsigned char *item;
	size_t n;
	size_t size, count_at;
	int (*compare)(const void *, const void *); /* the keys */
};

/* A list with the records of a, and those that only b has with a count of 0: *out NULL if there are none of those. */
int mon_list_widen(const struct mon_list *a, const struct mon_list *b, void **out, size_t *n, struct mon_error *err);
/* Add the counts of b to their partners in a, of which all are there. */
void mon_list_add(const struct mon_list *a, const struct mon_list *b, bool *limit);
/* Sum records of equal keys, which stand side by side; returns how many are left. */
size_t mon_list_fold(const struct mon_list *l, bool *limit);

/* ---- bins.c ------------------------------------------------------------------------------------------------------ */

enum { MON_PAGE = 512 }; /* bins of a page */

/* What adding found on the way. */
struct mon_bins_sum {
	uint64_t ticks;
	bool saturated; /* a counter of the file stood at its largest value */
	bool limit;	/* a number reached UINT64_MAX */
};

struct mon_bins *mon_bins_new(uint64_t nbin); /* NULL: no memory */
/* Bins that are kept one by one, for few among very many: room for so many of them.  NULL: no memory. */
struct mon_bins *mon_bins_new_sparse(uint64_t nbin, size_t room);
/* One more, in any order; then bring them into order.  Between the two they are not to be looked at. */
void mon_bins_append(struct mon_bins *bins, uint64_t index, uint64_t count);
void mon_bins_settle(struct mon_bins *bins, struct mon_bins_sum *sum);
void mon_bins_free(struct mon_bins *bins);
/* Add n (<= MON_PAGE) 16-bit counters from a file to the bins of a page.  -1: no memory. */
int mon_bins_add_words(struct mon_bins *bins, uint64_t page, const unsigned char *bytes, size_t n, enum mon_order order,
		       struct mon_bins_sum *sum);
int mon_bins_add(struct mon_bins *bins, uint64_t index, uint64_t count, bool *limit); /* -1: no memory */
/* Make room for the sum, so that mon_bins_merge cannot fail.  Changes no counter.  -1: no memory. */
int mon_bins_reserve(struct mon_bins *into, const struct mon_bins *from);
/* Add from, of the same size and kind, to into. */
void mon_bins_merge(struct mon_bins *into, const struct mon_bins *from, bool *limit);
/* The counters of a page, as far as they are there, no larger than max; *saturated counts those that were larger. */
size_t mon_bins_page(const struct mon_bins *bins, uint64_t page, uint64_t max, uint64_t counts[MON_PAGE],
		     uint64_t *saturated);

/* ---- variants.c, sniff.c, probe.c -------------------------------------------------------------------------------- */

/* A flat profile: header, call cells, bins to the end of the file. */
struct mon_layout {
	enum mon_order order;
	uint8_t header_size, cell_size; /* bytes; header_size 0: not flat */
	struct mon_field low, high, ncell;
	struct mon_field cell_pc, cell_count;
};
enum { MON_BIN_SIZE = 2, MON_BIN_MAX = 0xffff };

struct mon_format {
	struct mon_variant variant; /* first: a struct mon_variant * is a struct mon_format * */
	struct mon_layout layout;
	int (*decode)(const struct mon_format *, struct mon_input *, const struct mon_read_opts *, struct mon_profile *,
		      struct mon_error *);
	int (*encode)(const struct mon_format *, const struct mon_profile *, int fd, uint64_t *saturated,
		      struct mon_error *);
};

const struct mon_format *mon_format_next(const struct mon_format *prev);
/* Which variant the file is, or NULL. */
const struct mon_format *mon_probe(struct mon_input *in, const struct mon_object *program, struct mon_error *err);
/* What else than a profile of the table the first bytes show, "an ELF file", or NULL; *kind is told in any case. */
const char *mon_sniff(const unsigned char *head, size_t len, enum mon_kind *kind);
/* The same of profiles whose marks a classic profile may hold by chance: to be asked when nothing else fits. */
const char *mon_sniff_weak(const unsigned char *head, size_t len);

/* ---- write.c: bytes on their way to a descriptor ------------------------------------------------------------------ */

struct mon_sink {
	int fd;
	bool dry;      /* only sum up */
	uint64_t size; /* bytes so far */
	uint32_t crc;  /* of them */
	size_t used;
	unsigned char buf[64 << 10];
};

struct mon_sink *mon_sink_new(int fd, struct mon_error *err); /* to be freed */
/* len cleared bytes to fill in, valid until the next call; NULL: a write failed. */
unsigned char *mon_sink_next(struct mon_sink *s, size_t len, struct mon_error *err);
int mon_sink_put(struct mon_sink *s, const void *bytes, size_t len, struct mon_error *err);
int mon_sink_flush(struct mon_sink *s, struct mon_error *err);

/* ---- flat.c, gmon.c, native.c --------------------------------------------------------------------------------------------- */

/* What the header of a flat file says and the size of the file implies. */
struct mon_flat {
	uint64_t low, high, ncell;
	uint64_t bins_off, nbin;
	unsigned tail; /* bytes after the last whole bin */
};

enum {
	MON_SLACK = 64,	      /* bytes after an entry, or after the range, that a cell may stand behind */
	MON_WIDTH_MAX = 4096, /* most bytes of text a bin is believed to stand for */
};

/* Read the header; every rule that a file of this layout must keep. */
int mon_flat_header(const struct mon_layout *l, struct mon_input *in, struct mon_flat *f, struct mon_error *err);
int mon_flat_decode(const struct mon_format *fmt, struct mon_input *in, const struct mon_read_opts *opts,
		    struct mon_profile *p, struct mon_error *err);
int mon_flat_encode(const struct mon_format *fmt, const struct mon_profile *p, int fd, uint64_t *saturated,
		    struct mon_error *err);
int mon_gmon_decode(const struct mon_format *fmt, struct mon_input *in, const struct mon_read_opts *opts,
		    struct mon_profile *p, struct mon_error *err);
int mon_native_decode(const struct mon_format *fmt, struct mon_input *in, const struct mon_read_opts *opts,
		      struct mon_profile *p, struct mon_error *err);
int mon_native_encode(const struct mon_format *fmt, const struct mon_profile *p, int fd, uint64_t *saturated,
		      struct mon_error *err);
bool mon_is_native(const unsigned char *head, size_t len);

/* ---- profile.c: what decoders build with ------------------------------------------------------------------------- */

/* Make room for one more element of size bytes in *array; n are there, *room fit. */
int mon_grow(void **array, size_t n, size_t *room, size_t size, struct mon_error *err);
/* Append a range without ticks; low < high, nbin was checked against the size of the file. */
int mon_profile_add_range(struct mon_profile *p, uint64_t low, uint64_t high, uint64_t nbin, struct mon_error *err);
/* Append r as it is; its bins are the profile's from now on, also when this fails. */
int mon_profile_take_range(struct mon_profile *p, const struct mon_range *r, struct mon_error *err);
/* Read nbin bins at off into the range, page by page, and add their ticks to the profile. */
int mon_profile_load_bins(struct mon_profile *p, struct mon_range *r, struct mon_input *in, uint64_t off,
			  enum mon_order order, struct mon_error *err);
/* Sort calls and arcs and sum equal ones; calls come from the arcs when there are some; see which modules are the same. */
int mon_profile_finish(struct mon_profile *p, struct mon_error *err);
void mon_calls_sort(struct mon_call *call, size_t n);
struct mon_list mon_calls_list(const struct mon_profile *p);
struct mon_list mon_arcs_list(const struct mon_profile *p);
void mon_profile_sum_calls(struct mon_profile *p);

/* ---- module.c ---------------------------------------------------------------------------------------------------- */

/* Fill in module[].first. */
int mon_modules_group(struct mon_module *module, size_t n, struct mon_error *err);
/* Which of into's modules each of from's is; those that into lacks get the numbers behind, *n is their sum. */
int mon_modules_map(const struct mon_profile *into, const struct mon_profile *from, uint32_t *map, size_t *n,
		    struct mon_error *err);
bool mon_module_is(const struct mon_module *a, const struct mon_module *b); /* the same file */
/* "/usr/bin/x (build-id 01ab...)" for messages. */
void mon_module_describe(const struct mon_module *m, char *text, size_t size);
void mon_modules_free(struct mon_module *module, size_t n);

/* ---- sort.c ------------------------------------------------------------------------------------------------------ */

#define MON_KEY(type, member)                                                                                          \
	((struct mon_field){ .offset = offsetof(type, member), .width = sizeof(((type *)NULL)->member) })
/* Sort n records of size bytes (16, 24 or 32) in place by the uint32_t or uint64_t that is their key.  group (may be NULL)
 * is called for every run of two and more with equal keys. */
void mon_sort(void *base, size_t n, size_t size, struct mon_field key, void (*group)(void *first, size_t n, void *ctx),
	      void *ctx);

/* ---- names.c ----------------------------------------------------------------------------------------------------- */

enum { MON_NAME_PEEK = 1024 };

struct mon_names; /* the string table of an open file */

struct mon_names *mon_names_new(int fd, uint64_t off, uint64_t size); /* fd is borrowed; NULL: no memory */
void mon_names_free(struct mon_names *names);
/* The name at offset, valid as long as the table; "?" when there is none. */
const char *mon_names_get(struct mon_names *names, uint32_t offset);
/* The same without keeping it, valid as long as buf; only the first MON_NAME_PEEK - 1 bytes are to be looked at. */
const char *mon_names_peek(struct mon_names *names, uint32_t offset, char buf[MON_NAME_PEEK]);
bool mon_name_known(const char *name); /* not that "?" */

/* ---- object.c, symtab.c, lookup.c -------------------------------------------------------------------------------- */

struct mon_section {
	uint64_t addr, end;
	enum mon_place place; /* MON_IN_PLT or MON_IN_GAP: where bytes of no function lie */
};

/* Bytes that belong to the symbol although another one starts between its address and them. */
struct mon_tail {
	uint64_t from, to;
	size_t sym;
};

struct mon_object {
	char *path; /* owned */
	int fd;	    /* owned; names are read when they are asked for */
	unsigned word;
	bool big_endian, stripped, thumb; /* thumb: bit 0 of a function's value is no part of its address */
	uint64_t text_low, text_high;	  /* hull of the executable segments */
	uint64_t base, entry;		  /* lowest address of any segment; where it starts */
	struct mon_section *section;	  /* owned; executable ones, sorted, not overlapping */
	size_t nsection;
	struct mon_symbol *sym; /* owned; sorted, see mon_object_symbols */
	size_t nsym;
	struct mon_tail *tail; /* owned; sorted: bytes of a function behind another one that starts inside it */
	size_t ntail;
	struct mon_names *names; /* owned; their string table */
	unsigned char build_id[32];
	size_t build_id_size; /* 0: none */
};

/* Where the symbol table and its string table are in the file. */
struct mon_symtab {
	uint64_t off, size;
	uint64_t names_off, names_size;
};

int mon_symtab_load(struct mon_object *obj, const struct mon_symtab *tab, struct mon_error *err);
void mon_symtab_free(struct mon_object *obj);
/* Fill obj->tail. */
int mon_object_find_tails(struct mon_object *obj, struct mon_error *err);
/* Look for the build-id in the notes of a segment: size bytes at off of the file, aligned to align bytes. */
int mon_object_read_notes(struct mon_object *obj, uint64_t off, uint64_t size, uint64_t align, struct mon_error *err);
/* The section at or after addr: the first whose end is above it; NULL after the last. */
const struct mon_section *mon_object_section(const struct mon_object *obj, uint64_t addr);

/* Bytes of one function.  Of several that hold a byte the one that starts last owns it. */
struct mon_piece {
	size_t sym; /* index, never of an alias; nsym: there is none */
	uint64_t from, to;
};
/* The first piece that ends behind addr.  *hint is 0 at first, and speeds up what is asked for in order. */
struct mon_piece mon_object_piece(const struct mon_object *obj, uint64_t addr, size_t *hint);

/* ---- attrib.c ---------------------------------------------------------------------------------------------------- */

/* What fell on one symbol or one place outside functions. */
struct mon_share {
	size_t sym; /* index; of remainders: nsym + place */
	struct mon_ticks ticks;
	uint64_t calls, ncell;
};

struct mon_shares {
	struct mon_share *share; /* owned; sorted by sym, one a sym */
	size_t n;
	unsigned flags; /* MON_F_ROUNDED, MON_F_COUNT_LIMIT */
};

/* The part of a profile that belongs to one file: pieces of its arrays, of modules that are the same. */
struct mon_part {
	const struct mon_range *range;
	size_t nrange;
	const struct mon_call *call;
	size_t ncall;
	const struct mon_part *next; /* NULL: the last */
};

/* The denominator of all fractions: the least number that every bin width divides, or one that fits. */
uint64_t mon_common_denominator(const struct mon_profile *p);
/* All of part to obj; its fractions have the denominator den. */
int mon_attribute(const struct mon_part *part, const struct mon_object *obj, uint64_t den, struct mon_shares *out,
		  struct mon_error *err);
/* Add b to *a, of the same denominator. */
void mon_ticks_add(struct mon_ticks *a, struct mon_ticks b, bool *limit);

#endif
