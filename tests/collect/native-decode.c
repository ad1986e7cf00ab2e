/* SPDX-License-Identifier: BSD-2-Clause */
/* native-decode.c -- native profiles as text: native-decode FILE ...
 *
 * Written apart from libmon and libmonread, from the description in monfmt.h.  Names come from nm.  Prints for each file
 *     file NAME            state live|finished
 *     process PID PPID START END IDENTITY RANK FLAGS LOST-CALLS
 *     clock METHOD HZ FLAGS TICKS OUTSIDE MCOUNT VDSO LOST CPU
 *     thread TID BORN ENDED TICKS USER SYSTEM WAIT NAME
 *     object NUMBER PATH   calls FUNCTION COUNT NUMBER   ticks FUNCTION COUNT NUMBER
 *     sum CALLS TICKS-IN-BINS
 * and ends with 1 and a reason at the first one that is not what it should be.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_OBJECT UINT32_MAX
#define MOST	  5000 /* objects */

static const char *path;
static unsigned char *file;
static uint64_t length;

__attribute__((noreturn, format(printf, 1, 2))) static void bad(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	printf("%s: ", path);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

static void *more(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		bad("no memory");
	return p;
}

static uint64_t number(uint64_t at, unsigned bytes)
{
	uint64_t n = 0;
	if (at > length || length - at < bytes)
		bad("%" PRIu64 " is beyond the end", at);
	for (unsigned i = bytes; i-- > 0;)
		n = n << 8 | file[at + i];
	return n;
}
#define U8(at)	number(at, 1)
#define U16(at) number(at, 2)
#define U32(at) number(at, 4)
#define U64(at) number(at, 8)

/* ---- names ---- */

struct function {
	uint64_t low, high, calls, ticks;
	char *name;
};

struct names {
	char *path;
	struct function *function;
	size_t n;
};

static struct names *tables;
static size_t ntable;

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	return x->low != y->low ? x->low < y->low ? -1 : 1 : (x->high > y->high) - (x->high < y->high);
}

static void ask_nm(struct names *t, const char *option)
{
	char command[5000], line[4000], name[3000], type;
	struct function f = { 0 };
	if (strchr(t->path, '\'') ||
	    snprintf(command, sizeof command, "nm %s '%s' 2>/dev/null", option, t->path) >= (int)sizeof command)
		return;
	fflush(stdout);
	FILE *in = popen(command, "r");
	while (in && fgets(line, sizeof line, in)) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %2999s", &f.low, &f.high, &type, name) != 4 ||
		    !strchr("tTwWiu", type))
			continue;
		f.high += f.low;
		f.name = strcpy(more(NULL, strlen(name) + 1), name);
		t->function = more(t->function, (t->n + 1) * sizeof f);
		t->function[t->n++] = f;
	}
	if (in)
		pclose(in);
}

/* The functions of an object; the last one stands for all that has no name. */
static struct names *names_of(const char *object)
{
	for (size_t i = 0; i < ntable; i++)
		if (!strcmp(tables[i].path, object))
			return &tables[i];
	tables = more(tables, (ntable + 1) * sizeof *tables);
	struct names *t = &tables[ntable++];
	*t = (struct names){ .path = strcpy(more(NULL, strlen(object) + 1), object) };
	if (*object)
		ask_nm(t, "-S");
	if (*object && !t->n)
		ask_nm(t, "-D -S");
	qsort(t->function, t->n, sizeof *t->function, by_address);
	t->function = more(t->function, (t->n + 1) * sizeof *t->function);
	t->function[t->n] = (struct function){ .name = strcpy(more(NULL, 2), "?") };
	return t;
}

static struct function *function_at(const struct names *t, uint64_t pc)
{
	size_t low = 0, high = t->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (t->function[middle].low <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	struct function *found = &t->function[t->n];
	while (low-- > 0 && found == &t->function[t->n] && pc - t->function[low].low < 1 << 20)
		if (pc < t->function[low].high)
			found = &t->function[low];
	for (; found > t->function && found->high && found[-1].low == found->low; found--) /* aliases: the first */
		;
	return found;
}

/* ---- the parts ---- */

struct section {
	uint32_t type, of;
	uint64_t at, size;
};
static struct section *sections;
static size_t nsection;

enum { PROCESS = 1, CLOCK = 5, OBJECT, FUNCTION, COUNT, PAGES, POOL, THREAD, CALLS, BINS };

/* Bytes of an element; 0: as it comes. */
static const unsigned element[] = { [PROCESS] = 64, [CLOCK] = 64,  [FUNCTION] = 8, [COUNT] = 8, [PAGES] = 4,
				    [POOL] = 256,   [THREAD] = 72, [CALLS] = 16,   [BINS] = 16 };

static struct object {
	char *path;
	uint64_t low, high;
	struct names *names;
} objects[MOST];
static uint64_t call_sum, bin_sum;

static uint32_t crc32(void)
{
	uint32_t crc = ~0u;
	for (uint64_t i = 0; i < length; i++) {
		crc ^= i >= 20 && i < 24 ? 0 : file[i]; /* its own place */
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
	}
	return ~crc;
}

/* True when it has been written anew; it may have ended without. */
static bool read_header(void)
{
	uint64_t state = U32(16), crc = U32(20), size = U64(24);
	if (memcmp(file, "\211MON\r\n\032\n", 8) != 0 || U32(8) != 0x01020304 || U16(12) != 1 || U8(14) != 8)
		bad("not a native profile of version 1");
	if ((state != 1 && state != 2) || size > length || (crc && state != 2))
		bad("state %" PRIu64 ", %" PRIu64 " bytes in use of %" PRIu64, state, size, length);
	length = size;
	if (crc && crc != crc32())
		bad("wrong checksum");
	printf("file %s\nstate %s\n", path, state == 1 ? "live" : "finished");
	return crc != 0;
}

static void list_sections(void)
{
	nsection = 0;
	for (uint64_t table = U64(32), last = 0; table; last = table, table = U64(table)) {
		uint64_t n = U32(table + 8);
		if (table <= last || n > U32(table + 12))
			bad("table at %" PRIu64, table);
		for (uint64_t at = table + 16; n-- > 0; at += 24) {
			struct section s = { (uint32_t)U32(at), (uint32_t)U32(at + 4), U64(at + 8), U64(at + 16) };
			unsigned e = s.type < sizeof element / sizeof *element ? element[s.type] : 0;
			if (s.at % 8 || s.at > length || s.size > length - s.at || (e && s.size % e))
				bad("section of type %u at %" PRIu64 ", %" PRIu64 " bytes", s.type, s.at, s.size);
			sections = more(sections, (nsection + 1) * sizeof s);
			sections[nsection++] = s;
		}
	}
}

/* The next section of a type, from *i on. */
static const struct section *next(size_t *i, uint32_t type)
{
	while (*i < nsection)
		if (sections[(*i)++].type == type)
			return &sections[*i - 1];
	return NULL;
}

static void print_numbers(const char *title, uint64_t at, unsigned n32, unsigned n64)
{
	printf("%s", title);
	for (; n32 > 0; n32--, at += 4)
		printf(" %" PRIu64, U32(at));
	for (; n64 > 0; n64--, at += 8)
		printf(" %" PRId64, (int64_t)U64(at));
}

static void read_objects(void)
{
	size_t i = 0;
	memset(objects, 0, sizeof objects);
	for (const struct section *s; (s = next(&i, OBJECT));) {
		uint64_t n = U32(s->at + 76);
		if (s->of >= MOST || objects[s->of].path || s->size < 80 || n > s->size - 80)
			bad("object %u", s->of);
		struct object *o = &objects[s->of];
		o->path = more(NULL, n + 1);
		memcpy(o->path, file + s->at + 80, n);
		o->path[n] = 0;
		o->low = U64(s->at);
		o->high = U64(s->at + 8);
		printf("object %u %s\n", s->of, o->path);
	}
	if (!objects[0].path)
		bad("the program is not among the objects");
	for (i = 0; i < MOST; i++)
		if (objects[i].path)
			names_of(objects[i].path); /* all first: the list of tables may move */
	for (i = 0; i < MOST; i++)
		if (objects[i].path)
			objects[i].names = names_of(objects[i].path);
}

static struct object *object(uint32_t n)
{
	if (n >= MOST || !objects[n].path)
		bad("object %u is not listed", n);
	return &objects[n];
}

static void add_calls(uint32_t of, uint64_t pc, uint64_t count)
{
	call_sum += count;
	if (of == NO_OBJECT)
		printf("calls ? %" PRIu64 " none\n", count);
	else if (pc < object(of)->low || pc >= object(of)->high)
		bad("calls of %" PRIx64 " are not in %s", pc, object(of)->path);
	else
		function_at(object(of)->names, pc)->calls += count;
}

static void add_ticks(uint32_t of, uint64_t bin, uint64_t count)
{
	bin_sum += count;
	if (object(of)->low + bin * 8 >= object(of)->high)
		bad("bin %" PRIu64 " is not in %s", bin, object(of)->path);
	/* Aligned functions have a bin's beginning or its middle. */
	struct function *f = function_at(object(of)->names, object(of)->low + bin * 8 + 4);
	if (!f->high)
		f = function_at(object(of)->names, object(of)->low + bin * 8);
	f->ticks += count;
}

static void read_live_calls(void)
{
	uint64_t nfunction = 0, *where = NULL;
	size_t i = 0;
	for (const struct section *s; (s = next(&i, FUNCTION));) {
		uint64_t end = s->of + s->size / 8;
		if (end > nfunction) {
			where = more(where, end * sizeof *where);
			memset(where + nfunction, 0, (end - nfunction) * sizeof *where);
			nfunction = end;
		}
		for (uint64_t k = 0; k < s->size / 8; k++)
			where[s->of + k] = s->at + k * 8;
	}
	i = 0;
	for (const struct section *s; (s = next(&i, COUNT));)
		for (uint64_t id = 0; id < s->size / 8; id++) {
			uint64_t count = U64(s->at + id * 8);
			if (!count)
				continue;
			if (id >= nfunction || !where[id])
				bad("function %" PRIu64 " is counted but not listed", id);
			uint32_t of = (uint32_t)U32(where[id]);
			add_calls(of, of == NO_OBJECT ? 0 : object(of)->low + U32(where[id] + 4), count);
		}
	free(where);
}

/* Where the bins of a page are. */
static uint64_t page(uint64_t n)
{
	size_t i = 0;
	for (const struct section *s; (s = next(&i, POOL));)
		if (n >= s->of && n - s->of < s->size / 256)
			return s->at + (n - s->of) * 256;
	bad("page %" PRIu64 " is in no pool", n);
}

static void read_live_bins(void)
{
	size_t i = 0;
	for (const struct section *s; (s = next(&i, PAGES));)
		for (uint64_t k = 0; k < s->size / 4; k++) {
			uint64_t n = U32(s->at + k * 4), at = n ? page(n) : 0;
			for (unsigned b = 0; n && b < 32; b++)
				if (U64(at + b * 8))
					add_ticks(s->of, k * 32 + b, U64(at + b * 8));
		}
}

static void read_compact(uint32_t type, void (*add)(uint32_t, uint64_t, uint64_t))
{
	size_t i = 0;
	for (const struct section *s; (s = next(&i, type));)
		for (uint64_t k = 0; k < s->size / 16; k++) {
			uint64_t at = s->at + k * 16;
			if (k && type == BINS && U64(at) <= U64(at - 16))
				bad("type %u: %" PRIx64 " is not in order", type, U64(at));
			add(s->of, U64(at), U64(at + 8));
		}
}

static void print_functions(void)
{
	for (size_t n = 0; n < MOST; n++)
		for (size_t i = 0; objects[n].path && i <= objects[n].names->n; i++) {
			struct function *f = &objects[n].names->function[i];
			if (f->calls)
				printf("calls %s %" PRIu64 " %zu\n", f->name, f->calls, n);
			if (f->ticks)
				printf("ticks %s %" PRIu64 " %zu\n", f->name, f->ticks, n);
			f->calls = f->ticks = 0;
		}
	for (size_t n = 0; n < MOST; n++)
		free(objects[n].path);
}

static void read_threads(void)
{
	size_t i = 0;
	for (const struct section *s; (s = next(&i, THREAD));)
		for (uint64_t at = s->at; at < s->at + s->size; at += 72)
			if (U64(at)) {
				print_numbers("thread", at, 0, 7);
				printf(" %.16s\n", (const char *)file + at + 56);
			}
}

static void decode(void)
{
	size_t i = 0;
	bool compact = read_header();
	list_sections();
	const struct section *process = next(&i, PROCESS);
	i = 0;
	const struct section *clock = next(&i, CLOCK);
	if (!process || !clock)
		bad("no process, or no clock");
	print_numbers("process", process->at, 0, 8);
	printf("\nclock %" PRIu64 " %" PRIu64, U32(clock->at), U32(clock->at + 4));
	print_numbers("", clock->at + 8, 1, 0);
	print_numbers("", clock->at + 16, 0, 6);
	putchar('\n');
	read_threads();
	read_objects();
	call_sum = bin_sum = 0;
	if (compact) {
		read_compact(CALLS, add_calls);
		read_compact(BINS, add_ticks);
	} else {
		read_live_calls();
		read_live_bins();
	}
	print_functions();
	printf("sum %" PRIu64 " %" PRIu64 "\n", call_sum, bin_sum);
	uint64_t other = U64(clock->at + 24) + U64(clock->at + 32) + U64(clock->at + 40) + U64(clock->at + 48);
	uint64_t ticks = U64(clock->at + 16), found = bin_sum + other,
		 off = found > ticks ? found - ticks : ticks - found;
	bool ended = U64(process->at + 24) != 0; /* or is it a snapshot, taken while the clock went on? */
	if (compact && off > (ended ? 0 : 50 + ticks / 20))
		bad("%" PRIu64 " ticks, but %" PRIu64 " in bins and %" PRIu64 " elsewhere", ticks, bin_sum, other);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		path = argv[i];
		FILE *in = fopen(path, "rb");
		if (!in)
			bad("cannot be read");
		fseek(in, 0, SEEK_END);
		length = (uint64_t)ftell(in);
		rewind(in);
		file = more(file, length);
		if (fread(file, 1, length, in) != length)
			bad("cannot be read");
		fclose(in);
		decode();
	}
	return 0;
}
