/* SPDX-License-Identifier: BSD-2-Clause */
/* mon.h -- prepare an execution profile inside the profiled program: monitor(3C), the file mon.out, cc -p.
 *
 * Names and layouts are those of <mon.h> of System V Release 4 and Solaris on an LP64 machine (monitor(3C)).
 * profil() is declared by <unistd.h>, sprofil() by <sys/profil.h>; libmon defines both.
 */
#ifndef MON_H
#define MON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define MON_ANY_ARGS ... /* what () says in C */
#else
#define MON_ANY_ARGS
#endif

#define MON_OUT "mon.out"

typedef unsigned short WORD; /* one bin of the histogram; stops at 65535, never wraps */

/* The file and the caller's buffer alike: one hdr, nfns cnt, then WORDs to the end.  Addresses are link-time ones. */
struct hdr {
	char *lpc;   /* lowest address of the histogram */
	char *hpc;   /* first address beyond it */
	size_t nfns; /* number of cnt that follow, used or not */
};

struct cnt {
	char *fnpc; /* return address of the mcount call in the called function; 0: unused */
	long mcnt;  /* how often that function was called */
};

#define MPROGS0 (150 * sizeof(WORD)) /* historical default number of cnt; prof's warning threshold is 5/6 of it */
#define MSCALE0 4		     /* historical */

/* Start a profile of the functions in [lowpc, highpc): call counts of functions compiled with -p, and a histogram of the
 * program counter, both in buffer, which must stay valid until the profile is stopped.
 *
 * bufsize counts WORDs (not bytes).  For a histogram of one WORD per B bytes of text it is, in WORDs,
 *     (sizeof(struct hdr) + nfunc * sizeof(struct cnt) + (highpc - lowpc) / B * sizeof(WORD) + sizeof(WORD) - 1)
 *     / sizeof(WORD)
 * nfunc is the number of functions whose calls the buffer has room for; counts beyond it are kept elsewhere and written
 * all the same.  A lowpc below the program's text (such as the 2 of older manuals) means the start of the text.
 * lowpc >= highpc, or a buffer without room for one bin: nothing is recorded and nothing is touched.
 *
 * A later call while a profile runs adds its nfunc cells and starts a new histogram in its buffer; counts go on.
 * The first call ends the automatic profile of a program linked with -p, without writing it.
 *
 * monitor(0, ...) stops the profile and writes MON_OUT in the directory the program was in when the profile was started,
 * or $PROFDIR/pid.progname when PROFDIR is set; nothing is recorded when PROFDIR is empty or the program is set-uid.
 * One line on standard error says so if the file cannot be written.  The other arguments are not looked at then. */
void monitor(int (*lowpc)(MON_ANY_ARGS), int (*highpc)(MON_ANY_ARGS), WORD *buffer, size_t bufsize, size_t nfunc);

/* Start a profile of [lowpc, highpc) in a buffer of libmon's own (8 bytes of text per WORD), to be written when the
 * program exits or calls monitor(0).  From 4.3BSD (monitor(3)). */
void monstartup(char *lowpc, char *highpc);

/* mode 0: suspend the running profile; other: resume it.  From 4.3BSD (monitor(3)). */
void moncontrol(int mode);

/* Write what the automatic profile holds by now as a finished file; the profile goes on.  0, or -1 and errno; ENOENT: there
 * is none.  Also from a signal handler. */
int mon_snapshot(const char *path);

#undef MON_ANY_ARGS
#ifdef __cplusplus
}
#endif

#endif
