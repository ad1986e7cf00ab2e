/* SPDX-License-Identifier: BSD-2-Clause */
/* monmake.h -- text to the bytes of a profile of any variant, written apart from the library that reads them.
 *
 * One thing a line; numbers are decimal or 0x hexadecimal; # starts a comment.
 *
 *	variant NAME          a16-pdp a32-le a32-be a64-le a64-be a64i-le a64i-be (the classic ones),
 *	                      g2-32-le g2-32-be g2-64-le g2-64-be (gmon.out, GNU version 1),
 *	                      native-32-le native-32-be native-64-le native-64-be; must come first
 *	hist LOW HIGH NBIN    a histogram of NBIN bins, all zero; a classic profile has exactly one
 *	bin INDEX COUNT [N]   bin INDEX of the last histogram, and the N - 1 after it
 *	bins COUNT ...        the bins after those of the last "bins" line, from 0
 *	rate HZ               ticks per second that the next histograms state (g2; 100 unless said)
 *	unit TEXT             their unit (g2; "seconds" unless said, at most 15 bytes; the letter is its first)
 *	arc FROM SELF COUNT   a call record (g2)
 *	cell PC COUNT         the next call cell (classic)
 *	hole N                the next N cells stay zero (classic)
 *	cells N               cells reserved (classic); as many as were given unless said
 *
 * A native profile is a finished one, or with
 *	live                  one that its process had not finished: two tables, two threads that counted half each
 *	process PID [PPID START END IDENTITY RANK FLAGS LOST]
 *	argument TEXT, host TEXT
 *	rate HZ               before the clock; 250 unless said
 *	clock METHOD [FLAGS CPU UNKNOWN MCOUNT VDSO LOST]
 *	object LOW HIGH [BIAS LOADED UNLOADED]      the next one, from 0; then, of the last one:
 *	path TEXT, build-id BYTE ..., bin INDEX COUNT [N], bins COUNT ..., cell PC COUNT
 *	                      (a cell before any object is one of no object)
 *	thread TID TICKS [USER SYSTEM BORN ENDED WAIT], name TEXT
 *	sum THREADS LIFE FLAGS
 *	section TYPE OF BYTE ...                    anything else
 *
 * Wrong on purpose:
 *	nfns N                the header states N cells, whatever is there (classic)
 *	nbins N               the last histogram states N bins, whatever is there (g2)
 *	version N             the header's version (g2)
 *	raw BYTE ...          these bytes: after the bins (classic), between the records (g2)
 *	cut N                 the last N bytes are missing
 *	poke OFFSET BYTE ...  these bytes instead of those at OFFSET
 *	seal                  the checksum is of all that (native)
 */
#ifndef MONMAKE_H
#define MONMAKE_H

#include "bytes.h"

/* Append the profile to *out.  0, or the number of the line that is wrong, with a reason in why (static). */
unsigned monmake(const char *text, struct bytes *out, const char **why);

#endif
