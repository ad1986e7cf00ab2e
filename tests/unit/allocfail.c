/* SPDX-License-Identifier: BSD-2-Clause */
/* allocfail.c -- every allocation of the library fails once: always MON_E_NOMEM, never a crash, and nothing is left behind.
 *
 * Linked with --wrap: the library's calls of malloc come here; those of libelf and libc do not. */
#include "check.h"
#include "sample.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <zlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);

static bool armed;
static unsigned long countdown; /* this many succeed, then one fails */
static bool failed;
static void *live[4096]; /* what was allocated while armed and not freed */
static size_t nlive;

static bool fail_now(void)
{
	if (!armed || failed || countdown-- > 0)
		return false;
	failed = true;
	return true;
}

static void forget(void *p)
{
	for (size_t i = 0; i < nlive; i++)
		if (live[i] == p)
			live[i--] = live[--nlive];
}

static void *remember(void *p)
{
	if (armed && p && nlive < sizeof(live) / sizeof(live[0]))
		live[nlive++] = p;
	return p;
}

void *__wrap_malloc(size_t size)
{
	return fail_now() ? NULL : remember(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fail_now() ? NULL : remember(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	if (fail_now())
		return NULL;
	forget(old);
	return remember(__real_realloc(old, size));
}

void __wrap_free(void *p)
{
	forget(p);
	__real_free(p);
}

/* ---- what is done: each returns 0, or -1 with err set, and leaves nothing behind ----------------------------------------- */

static const char flat_text[] = "variant a64-le\nhist 0x1000 0x3000 1024\nbin 3 300\nbin 700 65535\nbin 1023 1\n"
				"cell 0x1010 5\ncell 0x1200 7\ncell 0x2000 9\ncells 600\n";
static const char gmon_text[] = "variant g2-64-le\nhist 0x1000 0x2000 1024\nbin 3 300\narc 1 0x1010 5\narc 2 0x1200 7\n"
				"hist 0x2000 0x3000 512\nbin 9 4\narc 3 0x1200 1\n";
static const char native_text[] =
    "variant native-64-le\nprocess 5\nargument prog\nhost here\nclock 1 0 5 6 7\nobject 0x1000 0x3000\npath program\n"
    "bin 3 300\nbin 700 9\ncell 0x1010 5\ncell 0x1200 7\nobject 0x100 0x200\npath lib\nbin 1 2\nthread 5 1\nthread 6 "
    "1\n";
static const char live_text[] =
    "variant native-32-be\nlive\nprocess 6\nargument prog\nhost there\nclock 1\nobject 0x1000 0x3000\npath program\n"
    "bin 4 300\nbin 900 9\ncell 0x1020 5\nobject 0x900 0xa00\npath other\nbin 1 2\ncell 0x904 1\nthread 7 1\n";
static const char program_text[] =
    "file one.c\nsection .text 0x1000\nfunc a 0x1fc\nalias weak b\nstatic c 0x900\ngap 0x104\n"
    "func d 0x700\nsection .plt 0x2100\ngap 0x40\n";

static int read_twice_and_merge(const char *path, const struct mon_object *obj, struct mon_error *err)
{
	struct mon_read_opts opts = { .program = obj };
	struct mon_profile *a = NULL, *b = NULL;
	int r = mon_profile_read(path, &opts, &a, err);

	if (!r)
		r = mon_profile_read(path, NULL, &b, err);
	if (!r)
		r = mon_profile_merge(a, b, err);
	mon_profile_free(a);
	mon_profile_free(b);
	return r;
}

static int merge_flat(struct mon_error *err)
{
	return read_twice_and_merge("flat", NULL, err);
}

static int merge_gmon(struct mon_error *err)
{
	return read_twice_and_merge("gmon", NULL, err);
}

static int merge_native(struct mon_error *err)
{
	struct mon_profile *a = NULL, *b = NULL, *c = NULL;
	int r = mon_profile_read("native", NULL, &a, err);

	if (!r)
		r = mon_profile_read("live", NULL, &b, err);
	if (!r)
		r = mon_profile_read("begun", NULL, &c, err);
	if (!r)
		r = mon_profile_merge(a, b, err);
	if (!r)
		r = mon_profile_merge(c, a, err);
	mon_profile_free(a);
	mon_profile_free(b);
	mon_profile_free(c);
	return r;
}

static int merge_gzip(struct mon_error *err)
{
	return read_twice_and_merge("flat.gz", NULL, err);
}

static int open_object(struct mon_error *err)
{
	struct mon_object *obj = NULL;
	int r = mon_object_open("program", &obj, err);

	mon_object_close(obj);
	return r;
}

static int make_report(const char *path, bool all, struct mon_error *err)
{
	struct mon_report_opts opts = { .zeros = all, .fold_statics = all };
	struct mon_object *obj = NULL;
	struct mon_profile *p = NULL;
	struct mon_report *report = NULL;
	int r = mon_object_open("program", &obj, err);

	if (!r)
		r = mon_profile_read(path, NULL, &p, err);
	if (!r)
		r = mon_report_build(p, (const struct mon_object *const[]){ obj }, 1, &opts, &report, err);
	if (!r) {
		(void)mon_profile_match(p, 0, obj, NULL, 0);
		for (int key = MON_SORT_TIME; key <= MON_SORT_NAME; key++)
			mon_report_sort(report, (enum mon_sort)key);
	}
	mon_report_free(report);
	mon_profile_free(p);
	mon_object_close(obj);
	return r;
}

static int report_flat(struct mon_error *err)
{
	return make_report("flat", false, err);
}

static int report_gmon(struct mon_error *err)
{
	return make_report("gmon", true, err);
}

static int report_native(struct mon_error *err)
{
	return make_report("native", true, err);
}

static int write_again(const char *path, struct mon_error *err)
{
	struct mon_profile *p = NULL;
	int fd = memfd_create("written", MFD_CLOEXEC);
	int r = mon_profile_read(path, NULL, &p, err);

	if (!r)
		r = mon_profile_write(p, p->variant, fd, NULL, err);
	mon_profile_free(p);
	close(fd);
	return r;
}

static int write_flat(struct mon_error *err)
{
	return write_again("flat", err);
}

static int write_native(struct mon_error *err)
{
	return write_again("native", err);
}

static int decode_bad(struct mon_error *err)
{
	static const char bytes[] = "this is no profile at all, but it is long enough to be looked at by every variant";
	struct mon_profile *p = NULL;

	mon_profile_decode(bytes, sizeof(bytes), NULL, &p, err);
	return err->code == MON_E_NOMEM ? -1 : 0; /* refused for what it is: as it should */
}

static const struct job {
	const char *name;
	int (*run)(struct mon_error *err);
} jobs[] = {
	{ "read and merge flat profiles", merge_flat },
	{ "read and merge gmon.out", merge_gmon },
	{ "read and merge native profiles", merge_native },
	{ "read and merge compressed profiles", merge_gzip },
	{ "open a program", open_object },
	{ "report of a flat profile", report_flat },
	{ "report of a gmon.out", report_gmon },
	{ "report of a native profile", report_native },
	{ "write a flat profile", write_flat },
	{ "write a native profile", write_native },
	{ "refuse what is no profile", decode_bad },
};

static void run_job(const struct job *job)
{
	enum { MOST = 100000 };
	unsigned long n;

	for (n = 0; n < MOST; n++) {
		struct mon_error err = { 0 };
		int r;

		nlive = 0;
		countdown = n;
		failed = false;
		armed = true;
		r = job->run(&err);
		armed = false;
		if (!CHECK_EQ(nlive, 0) || !CHECK(r == 0 || failed))
			printf("\t%s, allocation %lu\n", job->name, n);
		if (!failed)
			break;
		/* A failure that the job could do without is no error. */
		if (r != 0 && !CHECK_EQ(err.code, MON_E_NOMEM))
			printf("\t%s, allocation %lu: %s\n", job->name, n, err.text);
	}
	printf("%s: %lu allocations\n", job->name, n);
	CHECK(n > 0 || job->run == decode_bad);
	CHECK(n < MOST);
}

static void save(const char *path, const struct bytes *b)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(b->data, 1, b->size, f) != b->size || fclose(f))
		exit(1);
}

int main(void)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ "flat", flat_text },
		{ "gmon", gmon_text },
		{ "native", native_text },
		{ "live", live_text },
		{ "begun", "variant native-64-le\nlive\nprocess 6\n" },
	};
	struct bytes flat = sample_bytes(flat_text);
	gzFile gz = gzopen("flat.gz", "wb");

	if (!gz || gzwrite(gz, flat.data, (unsigned)flat.size) != (int)flat.size || gzclose(gz) != Z_OK)
		return 1;
	free(flat.data);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct bytes b = sample_bytes(files[i].text);

		save(files[i].path, &b);
		free(b.data);
	}
	elfmake_file(program_text, "program");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		run_job(&jobs[i]);
	return check_status();
}
