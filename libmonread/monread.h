/* SPDX-License-Identifier: BSD-2-Clause */
/* monread.h -- read, merge, write and attribute execution profiles (mon.out, gmon.out). This header is the manual.
 *
 * Rules for every function below:
 * - The library never prints, never exits, keeps no global state and is safe to call from several threads on
 *   different objects.
 * - int results: 0 done, -1 failed.  On failure *err (may be NULL) says what, where and why; out-parameters are then
 *   untouched unless said otherwise.  A caller zero-initialises struct mon_error once; a function that succeeds leaves
 *   it alone.
 * - Text inside errors, symbols and paths comes from files and is hostile: pass it through a sanitiser before it reaches
 *   a terminal.
 * - Every free and close function accepts NULL.
 * - Addresses are link-time addresses of the profiled program; sizes are bytes; high ends are exclusive.
 */
#ifndef MONREAD_H
#define MONREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* One row an error: name, what it means in general (mon_error_text); struct mon_error.text is the particular case. */
#define MON_ERRORS(X)                                                                                                  \
	X(MON_OK, "no error")                                                                                          \
	X(MON_E_USAGE, "the call's arguments do not fit together")                                                     \
	X(MON_E_IO, "the system refused a file operation")                                                             \
	X(MON_E_NOMEM, "out of memory")                                                                                \
	X(MON_E_TRUNCATED, "the profile ends too early")                                                               \
	X(MON_E_FORMAT, "a field of the profile cannot be right")                                                      \
	X(MON_E_UNKNOWN, "the file is no known kind of profile")                                                       \
	X(MON_E_AMBIGUOUS, "the file could be several kinds of profile")                                               \
	X(MON_E_UNSUPPORTED, "this kind of file or operation is not supported")                                        \
	X(MON_E_MISMATCH, "the profiles, or a profile and a program, do not belong together")                          \
	X(MON_E_OBJECT, "the program file cannot be used")                                                             \
	X(MON_E_NOSYMS, "the program has no symbols")

enum mon_errcode {
#define MON_ERROR_ENUM(name, text) name,
	MON_ERRORS(MON_ERROR_ENUM)
#undef MON_ERROR_ENUM
};

#define MON_NO_OFFSET UINT64_MAX

struct mon_error {
	enum mon_errcode code;
	int sys;	 /* errno of the failed system call, or 0 */
	uint64_t offset; /* byte of the file (after decompression) where reading failed, or MON_NO_OFFSET */
	char text[320];	 /* one line without file name, program name or newline: field, value, remedy */
};

const char *mon_error_name(enum mon_errcode code); /* "MON_E_IO"; static */
const char *mon_error_text(enum mon_errcode code); /* the general meaning; static */

/* ---- variants: the layouts that profiles come in ------------------------------------------------------------------- */

enum {
	MON_CAN_WRITE = 1u << 0, /* mon_profile_write knows it */
	MON_HAS_BINS = 1u << 1,
	MON_HAS_CALLS = 1u << 2, /* call-count cells, or arcs that give them */
	MON_HAS_HZ = 1u << 3,	 /* the file states its clock rate */
	MON_HAS_ARCS = 1u << 4,
};

struct mon_variant {
	const char *name;    /* the argument of -F: "a64-le" */
	const char *title;   /* one line for people */
	const char *systems; /* who writes it, with the source of the layout */
	unsigned caps;	     /* MON_CAN_WRITE ... */
	unsigned word;	     /* bytes of an address: 2, 4, 8; 0 if the file or its program decides */
	unsigned hz;	     /* the family's clock rate, used when the file states none */
};

const struct mon_variant *mon_variant_next(const struct mon_variant *prev); /* NULL starts; NULL after the last */
const struct mon_variant *mon_variant_find(const char *name);		    /* NULL when there is none */

/* ---- bins: a large sparse array of counters ------------------------------------------------------------------------ */

/* Counters are kept in pages as wide as their largest value needs; pages of zeros take no memory, so a histogram never
 * needs more memory than its file plus one pointer per page.  A counter stops at UINT64_MAX. */
struct mon_bins;

/* The first bin at or after *index that is not zero: sets *index and *count and returns true; false if there is none. */
bool mon_bins_next(const struct mon_bins *bins, uint64_t *index, uint64_t *count);
uint64_t mon_bins_get(const struct mon_bins *bins, uint64_t index); /* 0 when out of range */

/* ---- profiles --------------------------------------------------------------------------------------------------------- */

/* A histogram over [low, high): bin i counts the ticks whose pc lay in [low + i*w, low + (i+1)*w), where
 * w = width_num / width_den bytes, exactly. */
struct mon_range {
	uint32_t module; /* index of the object it lies in; 0: the program */
	uint64_t low, high;
	uint64_t nbin;
	uint64_t width_num, width_den; /* in lowest terms; both > 0 when nbin > 0 */
	struct mon_bins *bins;	       /* owned by the profile */
};

/* A call counter.  pc lies in the function that was called: its entry, or the return address of its mcount call. */
struct mon_call {
	uint32_t module; /* index, or MON_NO_MODULE: no object was known there */
	uint64_t pc, count;
};

#define MON_NO_MODULE UINT32_MAX

/* from called the function that holds to, count times (gmon.out). */
struct mon_arc {
	uint64_t from, to, count;
};

/* An object that the profiled process had loaded: the program (index 0) or a shared object.  The same file loaded twice,
 * or again after it was closed, is two. */
struct mon_module {
	char *path;		   /* owned; NULL: the file does not say */
	uint64_t low, high;	   /* its text, link-time addresses; 0, 0: not stated */
	uint64_t bias;		   /* address in the process - link-time address */
	uint64_t loaded, unloaded; /* ns since 1970; 0: at the start of the process, at its end */
	unsigned char build_id[32];
	size_t build_id_size; /* 0: none */
	uint32_t first;	      /* index of the first module that is the same file; its own if there is none before */
};

/* Two modules are the same file when their build-ids are equal; of those without one, when path and text range are. */

/* What a thread of the process used up. */
struct mon_thread_row {
	uint64_t tid;
	uint64_t born, ended; /* ns since 1970; ended 0: it had not */
	uint64_t ticks;
	uint64_t user, system; /* ns of CPU time */
	uint64_t wait;	       /* ns ready to run without running */
	char name[17];	       /* as the kernel has it: any bytes */
};

/* What became of the process that wrote the profile.  Of a file that was not finished in good order the kernel is asked
 * when the profile is read: is there a process of that number that started at the time the file says? */
enum mon_life {
	MON_LIFE_UNKNOWN,  /* the layout does not say; or the file was not finished, and is of another host */
	MON_LIFE_FINISHED, /* it stopped its profile in good order */
	MON_LIFE_RUNNING,  /* it runs, and the profile still grows */
	MON_LIFE_DIED, /* it ended without a word: at most a tenth of a CPU second of each thread's ticks is missing */
};

struct mon_process {
	enum mon_life life;
	char *program; /* owned; last component of argv[0]; NULL: not stated */
	char *host;    /* owned; NULL: not stated */
	uint64_t pid, ppid;
	int64_t rank;	     /* of an MPI launcher; -1: none */
	uint64_t start, end; /* ns since 1970; 0: not stated */
};

enum mon_method { MON_METHOD_UNKNOWN, MON_METHOD_PERF, MON_METHOD_PERF_SIGNAL, MON_METHOD_TIMER, MON_METHOD_ITIMER };

/* Where the clock came from, and ticks that fell into no object. */
struct mon_clock {
	enum mon_method method;
	bool user_only;			/* time inside system calls is not in the bins */
	bool tick_bound;		/* what runs only between two scheduler ticks is not seen */
	uint64_t cpu;			/* ns of CPU time of the process; 0: not stated */
	uint64_t unknown, mcount, vdso; /* ticks: in no known object, in counting calls, in the vdso */
	uint64_t lost;			/* ticks that were due and could not be kept; not in any sum */
	uint64_t lost_calls;
};

const char *mon_method_name(enum mon_method method); /* "perf"; static */

enum mon_hz_source {
	MON_HZ_FAMILY, /* the file cannot state a rate; its family's usual one was taken */
	MON_HZ_FILE,   /* the file states it */
	MON_HZ_CALLER, /* mon_profile_set_hz */
};

/* Oddities that were read past.  One row a flag: name, what to tell the user. */
#define MON_FLAGS(X)                                                                                                   \
	X(MON_F_SATURATED, "a bin stands at its largest value: time beyond that was lost")                             \
	X(MON_F_ODD_TAIL, "bytes after the last whole bin were ignored")                                               \
	X(MON_F_GARBAGE_CELLS, "call cells that point outside the profiled range were ignored")                        \
	X(MON_F_ROUNDED, "shares of bins were rounded: the bin widths have no common measure")                         \
	X(MON_F_COUNT_LIMIT, "a sum reached the largest number and stopped there")                                     \
	X(MON_F_PRIVATE, "the profile's file could not grow: what was counted after that is missing")                  \
	X(MON_F_SIGPROF, "the program took SIGPROF for itself: ticks were lost from then on")                          \
	X(MON_F_CUT, "the file ends too early: ticks and calls that were kept behind its end are missing")

enum mon_flag_bit {
#define MON_FLAG_BIT(name, text) name##_BIT,
	MON_FLAGS(MON_FLAG_BIT)
#undef MON_FLAG_BIT
	    MON_NFLAG
};
enum mon_flag {
#define MON_FLAG_ENUM(name, text) name = 1u << name##_BIT,
	MON_FLAGS(MON_FLAG_ENUM)
#undef MON_FLAG_ENUM
};

const char *mon_flag_text(unsigned bit); /* bit 0 .. MON_NFLAG - 1; static */

enum { MON_THREAD_MAX = 65536 };

/* A profile, whatever it was read from.  Open for reading; built and changed only by the functions below. */
struct mon_profile {
	const struct mon_variant *variant; /* borrowed, static */
	unsigned hz;			   /* ticks per second, > 0 */
	enum mon_hz_source hz_source;
	struct mon_module *module; /* owned; empty where the layout knows one nameless program only */
	size_t nmodule;
	struct mon_thread_row *thread; /* owned; at most MON_THREAD_MAX */
	size_t nthread;
	uint64_t threads; /* how many there were at least, those without a row included */
	struct mon_process process;
	struct mon_clock clock;
	struct mon_range *range; /* owned; sorted by module, then low; not overlapping */
	size_t nrange;
	struct mon_call *call; /* owned; sorted by module, then pc; one a pc, counts > 0 */
	size_t ncall;
	struct mon_arc *arc; /* owned; sorted by (to, from), one a pair */
	size_t narc;
	uint64_t cells_reserved; /* call cells the file has room for; 0 where the variant has no cells */
	uint64_t cells_ignored;	 /* implausible cells that were left out (MON_F_GARBAGE_CELLS) */
	uint64_t ticks;		 /* sum of all bins, and clock.unknown, mcount, vdso */
	uint64_t calls;		 /* sum of all call counts */
	unsigned flags;		 /* MON_F_... */
};

struct mon_object; /* a program file, see below */

/* How to read.  All zero means: find everything out. */
struct mon_read_opts {
	const struct mon_variant *variant; /* read as this one, do not guess */
	const struct mon_object *program;  /* evidence for guessing width, order and variant; may be NULL */
};

/* Read a profile from a file, "-" for standard input.  gzip is undone on the way.  *out is the caller's, to be given to
 * mon_profile_free.  opts may be NULL.  Only regular files, pipes on standard input and gzip of either are read; what a
 * file claims is checked against its size before memory is asked for. */
int mon_profile_read(const char *path, const struct mon_read_opts *opts, struct mon_profile **out,
		     struct mon_error *err);

/* The same from memory; bytes are borrowed during the call only. */
int mon_profile_decode(const void *bytes, size_t len, const struct mon_read_opts *opts, struct mon_profile **out,
		       struct mon_error *err);

void mon_profile_free(struct mon_profile *p);

/* Override the clock rate.  hz must be > 0. */
void mon_profile_set_hz(struct mon_profile *p, unsigned hz);

/* Add from to into.  Both must have the same variant's address width, rate, ranges and bin widths; otherwise
 * MON_E_MISMATCH names both values.  Profiles with modules must be of the same program, wherever it was loaded; modules
 * that only from knows are added.  What the two processes do not share is then not stated (pid, name), of their lives
 * the worst stays (finished, running, unknown, died).  into is unchanged on failure. */
int mon_profile_merge(struct mon_profile *into, const struct mon_profile *from, struct mon_error *err);

/* Write p in the layout of variant (MON_CAN_WRITE) to the open descriptor fd.  Counters too large for the layout are
 * written as its largest value; *saturated (may be NULL) gets their number.  What is written is finished: read back, the
 * life of a process that was running is MON_LIFE_UNKNOWN. */
int mon_profile_write(const struct mon_profile *p, const struct mon_variant *variant, int fd, uint64_t *saturated,
		      struct mon_error *err);

/* ---- programs ------------------------------------------------------------------------------------------------------- */

struct mon_symbol {
	uint64_t addr, end; /* [addr, end): st_size, or up to the next symbol or section end when that is 0 */
	uint32_t name;	    /* for mon_symbol_name */
	uint32_t file;	    /* for mon_symbol_file; 0 unknown */
	bool local;	    /* a static function */
	bool alias;	    /* another name for the symbol before it in the array that is not an alias */
};

/* What a path holds, told from its first bytes; never reads more than those. */
enum mon_kind { MON_KIND_PROFILE, MON_KIND_ELF, MON_KIND_DIRECTORY, MON_KIND_OTHER_PROGRAM };
int mon_path_kind(const char *path, enum mon_kind *kind, struct mon_error *err);

/* Open an ELF program or shared object, either class and byte order, and index its function symbols (FUNC, GNU_IFUNC,
 * NOTYPE in executable sections; any binding).  Sources: .symtab, else .dynsym.  MON_E_OBJECT when it is not usable,
 * MON_E_NOSYMS when it has no function symbol. */
int mon_object_open(const char *path, struct mon_object **out, struct mon_error *err);
void mon_object_close(struct mon_object *obj);

const char *mon_object_path(const struct mon_object *obj);
void mon_object_text(const struct mon_object *obj, uint64_t *low, uint64_t *high); /* hull of the executable segments */
unsigned mon_object_word(const struct mon_object *obj);				   /* bytes of an address: 4 or 8 */
bool mon_object_big_endian(const struct mon_object *obj);
/* The build-id; *size 0 when it has none. */
const unsigned char *mon_object_build_id(const struct mon_object *obj, size_t *size);
bool mon_object_stripped(const struct mon_object *obj); /* symbols are .dynsym only */

/* All function symbols, sorted by address, the preferred name of an address first and its aliases after it. */
const struct mon_symbol *mon_object_symbols(const struct mon_object *obj, size_t *n);
/* The symbol (never an alias) that contains addr, or NULL. */
const struct mon_symbol *mon_object_find(const struct mon_object *obj, uint64_t addr);
const char *mon_symbol_name(const struct mon_object *obj, const struct mon_symbol *sym); /* owned by obj; never NULL */
const char *mon_symbol_file(const struct mon_object *obj,
			    const struct mon_symbol *sym); /* owned by obj; NULL unknown */

/* Does the profile come from this program?  Evidence, strongest first: the ends of its ranges are ends of the program's
 * text or of functions; its call cells stand a small, repeated distance behind function entries. */
enum mon_match {
	MON_MATCH_YES,
	MON_MATCH_UNSURE,  /* nothing speaks against it, little for it */
	MON_MATCH_OUTSIDE, /* the ranges do not touch the program's text */
	MON_MATCH_FOREIGN, /* they do, but the ends and the cells fit another program or build */
};
/* module is the index of p's module that obj should be (0 when p has none).  Equal build-ids are MON_MATCH_YES, different
 * ones MON_MATCH_FOREIGN, whatever else.  text, when not NULL, gets one line with the figures behind the verdict. */
enum mon_match mon_profile_match(const struct mon_profile *p, uint32_t module, const struct mon_object *obj, char *text,
				 size_t size);

/* ---- reports -------------------------------------------------------------------------------------------------------- */

/* Ticks that need not be whole: whole + num / den, num < den, den > 0. */
struct mon_ticks {
	uint64_t whole, num, den;
};

double mon_ticks_value(struct mon_ticks t);
int mon_ticks_compare(struct mon_ticks a, struct mon_ticks b); /* <0, 0, >0 */

/* Where ticks and calls went that belong to no function. */
#define MON_REMAINDERS(X)                                                                                              \
	X(MON_IN_FUNCTION, "")                                                                                         \
	X(MON_IN_PLT, "[plt]")		 /* a procedure linkage section */                                             \
	X(MON_IN_GAP, "[gap]")		 /* an executable section, between functions */                                \
	X(MON_OUTSIDE, "[outside text]") /* inside the histogram, outside every executable section */                  \
	X(MON_IN_MODULE, "[object]")	 /* an object whose file was not there to tell more */                         \
	X(MON_IN_MCOUNT, "[mcount]")	 /* the counting of calls itself */                                            \
	X(MON_IN_VDSO, "[vdso]")	 /* code of the kernel, mapped into the process */                             \
	X(MON_IN_UNKNOWN, "[unknown]")	 /* no known object: generated code and the like */

enum mon_place {
#define MON_PLACE_ENUM(name, text) name,
	MON_REMAINDERS(MON_PLACE_ENUM)
#undef MON_PLACE_ENUM
	    MON_NPLACE
};

const char *mon_place_name(enum mon_place place); /* "[plt]"; static */

struct mon_row {
	const struct mon_object *obj; /* borrowed; what sym or the place is in; NULL: not there, or in no object */
	uint32_t module;	      /* index in the profile (0 when it has none), or MON_NO_MODULE */
	const struct mon_symbol *sym; /* borrowed from the object; NULL in a remainder row */
	enum mon_place place;
	struct mon_ticks ticks;
	uint64_t calls; /* sum of the cells in the function */
	uint64_t ncell; /* how many cells that were; 0: the profile says nothing about its calls */
};

struct mon_report_opts {
	bool zeros;	   /* rows for functions without ticks and calls too */
	bool fold_statics; /* a static's ticks go to the global before it (System V -l); its calls are dropped */
};

/* The rows and the exact account of what they stand for:
 * sum of row[].ticks == total_ticks == profile's ticks; sum of row[].calls + calls_folded == profile's calls. */
struct mon_report {
	const struct mon_profile *profile; /* borrowed; it and the objects must outlive the report */
	struct mon_row *row;		   /* owned */
	size_t nrow;
	unsigned hz;
	uint64_t total_ticks, total_calls;
	struct mon_ticks ticks_folded; /* moved by fold_statics */
	uint64_t calls_folded;	       /* dropped by fold_statics */
	unsigned flags;		       /* the profile's and MON_F_ROUNDED */
	uint64_t saturated_bin;	       /* address of the first bin at its largest value (MON_F_SATURATED) */
};

enum mon_sort { MON_SORT_TIME, MON_SORT_CALLS, MON_SORT_ADDRESS, MON_SORT_NAME };

/* Charge every bin and cell of p to functions.  obj[i] is the program file of p's module i (of the one nameless program
 * when p has no modules: then it must be there), NULL where it could not be opened: its time is then one row,
 * MON_IN_MODULE; nobj must be p->nmodule, or 1: the rest is NULL.  Modules that are the same file share their rows, which
 * have the index of the first; that one's obj counts.  A bin that functions share is split by overlap in rational
 * arithmetic; what lies in no function gets a remainder row.  opts may be NULL.  Rows come sorted by MON_SORT_TIME. */
int mon_report_build(const struct mon_profile *p, const struct mon_object *const *obj, size_t nobj,
		     const struct mon_report_opts *opts, struct mon_report **out, struct mon_error *err);
/* Ties are broken by time, calls, address, name, so the order is always the same; remainder rows come last in
 * MON_SORT_ADDRESS and MON_SORT_NAME.  By address the program comes first, then the other objects by path. */
void mon_report_sort(struct mon_report *r, enum mon_sort key);
void mon_report_free(struct mon_report *r);

#ifdef __cplusplus
}
#endif

#endif
