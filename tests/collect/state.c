/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c -- calls mcount itself with every register full of noise, and looks for changed ones (x86-64).
 *
 * Each call instruction below looks like a function to libmon: a new one at first, a known one after that, and new
 * again in each new thread.
 */
#include "prog.h"

#include <cpuid.h>
#include <mon.h>

#define COMPONENTS 0xe7 /* x87, SSE, AVX, AVX-512 */
#define USED	   __attribute__((used))

/* In this order: rax rcx rdx rsi rdi r8 r9 r10 rbx rbp r12 r13 r14 r15 */
#define NREGISTER 14
static const char *const register_name[] = { "rax", "rcx", "rdx", "rsi", "rdi", "r8",  "r9",
					     "r10", "rbx", "rbp", "r12", "r13", "r14", "r15" };
USED static uint64_t sent[NREGISTER] __asm__("sent");
USED static uint64_t got[NREGISTER] __asm__("got");
USED static uint32_t mask __asm__("mask");
USED static unsigned char image[4096] __asm__("image") __attribute__((aligned(64)));
USED static unsigned char after[4096] __asm__("after") __attribute__((aligned(64)));

/* So many probes, so far apart: enough of them that libmon's tables have to grow during some first call. */
#define NPROBE	 1200
#define STRIDE	 512
#define TEXT_(x) #x
#define TEXT(x)	 TEXT_(x)
void probes(void);
__asm__(
    ".text\n"
    ".p2align 9\n"
    "probes:\n"
    ".rept " TEXT(
	NPROBE) "\n"
		".p2align 9\n"
		"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; push %r15\n"
		"mov mask(%rip), %eax; xor %edx, %edx; xrstor image(%rip)\n"
		"mov sent(%rip), %rax; mov sent+8(%rip), %rcx; mov sent+16(%rip), %rdx; mov sent+24(%rip), %rsi\n"
		"mov sent+32(%rip), %rdi; mov sent+40(%rip), %r8; mov sent+48(%rip), %r9; mov sent+56(%rip), %r10\n"
		"mov sent+64(%rip), %rbx; mov sent+72(%rip), %rbp; mov sent+80(%rip), %r12; mov sent+88(%rip), %r13\n"
		"mov sent+96(%rip), %r14; mov sent+104(%rip), %r15\n"
		"call mcount@PLT\n"
		"mov %rax, got(%rip); mov %rcx, got+8(%rip); mov %rdx, got+16(%rip); mov %rsi, got+24(%rip)\n"
		"mov %rdi, got+32(%rip); mov %r8, got+40(%rip); mov %r9, got+48(%rip); mov %r10, got+56(%rip)\n"
		"mov %rbx, got+64(%rip); mov %rbp, got+72(%rip); mov %r12, got+80(%rip); mov %r13, got+88(%rip)\n"
		"mov %r14, got+96(%rip); mov %r15, got+104(%rip)\n"
		"mov mask(%rip), %eax; xor %edx, %edx; xsave after(%rip)\n"
		"pop %r15; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
		"ret\n"
		".endr\n"
		".type probes, @function\n"
		".size probes, .-probes\n");

static void probe(size_t i)
{
	((void (*)(void))((uintptr_t)&probes + i * STRIDE))();
}

static int bad;

static void compare(const char *when, const char *what, size_t offset, size_t size)
{
	if (!memcmp(image + offset, after + offset, size))
		return;
	printf("%s: %s changed\n", when, what);
	bad = 1;
}

static void check(const char *when, size_t i)
{
	unsigned a, b, c, d;
	for (size_t r = 0; r < NREGISTER; r++)
		sent[r] = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ r;
	memset(after, 0, sizeof after);
	errno = 1234;
	probe(i);
	if (errno != 1234) {
		printf("%s: errno %d\n", when, errno);
		bad = 1;
	}
	for (size_t r = 0; r < NREGISTER; r++)
		if (sent[r] != got[r]) {
			printf("%s: %s changed\n", when, register_name[r]);
			bad = 1;
		}
	compare(when, "x87 control word", 0, 2);
	compare(when, "mxcsr", 24, 4);
	compare(when, "xmm", 160, 256);
	for (unsigned component = 2; component < 8; component++)
		if (mask >> component & 1) {
			char name[30];
			__cpuid_count(13, component, a, b, c, d);
			snprintf(name, sizeof name, "state component %u", component);
			compare(when, name, b, a);
		}
}

static void *in_thread(void *arg)
{
	check("first call in a thread", 0);
	check("second call in a thread", 0);
	return arg;
}

static void fill_image(void)
{
	unsigned a, d;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	mask = a & COMPONENTS;
	for (size_t i = 0; i < sizeof image; i++)
		image[i] = (unsigned char)(random() >> 7);
	memset(image, 0, 32); /* x87 and SSE control: the x87 registers stay empty */
	image[0] = 0x7f, image[1] = 0x02;
	image[24] = 0x80, image[25] = 0x7f;
	memset(image + 512, 0, 64); /* the header: which components are there */
	memcpy(image + 512, &mask, sizeof mask);
}

int main(void)
{
	unsigned a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) {
		puts("the processor has no xsave");
		return 77;
	}
	fill_image();
	for (size_t i = 0; i < NPROBE; i++)
		check("first call", i);
	check("second call", 0);
	for (int i = 0; i < 5; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, in_thread, NULL))
			return 1;
		pthread_join(t, NULL);
	}
	moncontrol(0);
	check("suspended", 0);
	moncontrol(1);
	check("resumed", 0);
	pid_t pid = fork();
	if (pid == 0) {
		check("first call in a fork child", 0);
		check("second call in a fork child", 0);
		exit(bad);
	}
	int status;
	waitpid(pid, &status, 0);
	bad |= status != 0;
	monitor(0, 0, 0, 0, 0);
	check("stopped", 0);
	return bad;
}
