/* SPDX-License-Identifier: BSD-2-Clause */
/* native-kill.c -- calls that are published when they are done, for ever: native-kill FILE.
 *
 * FILE becomes 8 bytes of shared memory with the number of calls of functions of many[] that have returned.  New functions
 * come all the time, so the file grows; the processor's time goes by, so ticks come in, too.
 */
#include "prog.h"

#include <sys/mman.h>

#define EACH 20000 /* calls of a function before the next one's turn */

extern int (*const many[])(int);
extern const int nmany;

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 8))
		return 1;
	volatile uint64_t *done = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (done == MAP_FAILED)
		return 1;
	for (int i = 0;; i = (i + 1) % nmany)
		for (int n = 0; n < EACH; n++) {
			many[i](n);
			++*done;
		}
}
