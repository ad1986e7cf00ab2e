/* SPDX-License-Identifier: BSD-2-Clause */
/* decode.c -- the classic 64-bit mon.out of this machine as text: decode mon.out nm.txt
 *
 * Written apart from libmonread.  nm.txt is the output of nm -S.  Prints
 *     range LOW HIGH       cells RESERVED USED       bins N TICKS
 *     calls NAME COUNT     ticks NAME COUNT          (NAME is ? where no function is)
 * and ends with 1 and a reason when the file is not what it should be.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function {
	uint64_t low, high, calls, ticks;
	char name[120];
};

static struct function *functions;
static size_t nfunction;
static struct function outside = { .name = "?" };

__attribute__((noreturn, format(printf, 1, 2))) static void bad(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	return x->low < y->low ? -1 : x->low > y->low;
}

static void read_names(const char *path)
{
	char line[1000], type;
	FILE *in = fopen(path, "r");
	struct function f = { 0 };
	if (!in)
		bad("%s: cannot be read", path);
	while (fgets(line, sizeof line, in)) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %119s", &f.low, &f.high, &type, f.name) != 4 ||
		    !strchr("tTwWiu", type) || !f.high)
			continue;
		f.high += f.low;
		functions = realloc(functions, (nfunction + 1) * sizeof f);
		if (!functions)
			bad("no memory");
		functions[nfunction++] = f;
	}
	fclose(in);
	qsort(functions, nfunction, sizeof f, by_address);
}

static struct function *at(uint64_t pc)
{
	size_t low = 0, high = nfunction;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (functions[middle].low <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && functions[low - 1].low <= pc) { /* aliases: the first one that holds it */
		if (pc < functions[low - 1].high && (low < 2 || functions[low - 2].low != functions[low - 1].low))
			return &functions[low - 1];
		low--;
	}
	return &outside;
}

static unsigned char *read_file(const char *path, size_t *size)
{
	FILE *in = fopen(path, "rb");
	unsigned char *p = malloc(1 << 28);
	if (!in || !p)
		bad("%s: cannot be read", path);
	*size = fread(p, 1, 1 << 28, in);
	fclose(in);
	return p;
}

static uint64_t u64(const unsigned char *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Count the cells that are in use; each function has one. */
static uint64_t read_cells(const unsigned char *p, uint64_t ncell, uint64_t low, uint64_t high)
{
	uint64_t used = 0, *seen = malloc((ncell + 1) * sizeof *seen);
	if (!seen)
		bad("no memory");
	for (uint64_t i = 0; i < ncell; i++) {
		uint64_t pc = u64(p + 16 * i), count = u64(p + 16 * i + 8);
		if (!pc && !count)
			continue;
		if (pc < low || pc >= high || (int64_t)count <= 0)
			bad("cell %" PRIu64 ": pc %#" PRIx64 ", count %" PRId64, i, pc, (int64_t)count);
		at(pc)->calls += count;
		seen[used++] = pc;
	}
	qsort(seen, used, sizeof *seen, by_value);
	for (uint64_t i = 1; i < used; i++)
		if (seen[i] == seen[i - 1])
			bad("two cells for pc %#" PRIx64, seen[i]);
	free(seen);
	return used;
}

/* A bin belongs to the function its middle lies in, or else to the one that has its beginning or its end: nothing runs
 * in the gaps between functions, and all bins here are smaller than the functions that matter. */
static struct function *owner(double low, double width)
{
	const double points[] = { low + width / 2, low, low + width - 1 };
	for (int i = 0; i < 3; i++) {
		struct function *f = at((uint64_t)points[i]);
		if (f != &outside)
			return f;
	}
	return &outside;
}

static uint64_t read_bins(const unsigned char *p, uint64_t nbin, uint64_t low, uint64_t high)
{
	uint64_t ticks = 0;
	double width = (double)(high - low) / (double)nbin;
	for (uint64_t i = 0; i < nbin; i++) {
		uint64_t k = (uint64_t)p[2 * i] | (uint64_t)p[2 * i + 1] << 8;
		if (!k)
			continue;
		owner((double)low + (double)i * width, width)->ticks += k;
		ticks += k;
	}
	return ticks;
}

static void print(const struct function *f)
{
	if (f->calls)
		printf("calls %s %" PRIu64 "\n", f->name, f->calls);
	if (f->ticks)
		printf("ticks %s %" PRIu64 "\n", f->name, f->ticks);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		bad("usage: decode mon.out nm.txt");
	read_names(argv[2]);
	size_t size;
	unsigned char *p = read_file(argv[1], &size);
	if (size < 26)
		bad("%s: %zu bytes", argv[1], size);
	uint64_t low = u64(p), high = u64(p + 8), ncell = u64(p + 16);
	if (low >= high || ncell > (size - 24) / 16 || (size - 24 - 16 * ncell) % 2)
		bad("%s: range %#" PRIx64 "-%#" PRIx64 ", %" PRIu64 " cells, %zu bytes", argv[1], low, high, ncell,
		    size);
	uint64_t nbin = (size - 24 - 16 * ncell) / 2;
	if (!nbin || nbin > (high - low + 1) / 2)
		bad("%s: %" PRIu64 " bins", argv[1], nbin);
	uint64_t used = read_cells(p + 24, ncell, low, high), ticks = read_bins(p + 24 + 16 * ncell, nbin, low, high);
	printf("range %#" PRIx64 " %#" PRIx64 "\ncells %" PRIu64 " %" PRIu64 "\nbins %" PRIu64 " %" PRIu64 "\n", low,
	       high, ncell, used, nbin, ticks);
	for (size_t i = 0; i < nfunction; i++)
		print(&functions[i]);
	print(&outside);
	free(functions);
	free(p);
	return 0;
}
