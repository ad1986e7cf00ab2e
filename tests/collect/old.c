/* SPDX-License-Identifier: BSD-2-Clause */
/* old.c -- the whole-program form of the manuals of the 1970s and 80s, in the C of that time. */
extern etext();
static short buf[500000];
static int calls;

f(x)
{
	calls++;
	return x + 1;
}

hot(turns)
{
	register long n;
	long x = 1;
	for (n = 0; n < turns * 600000L; n++) {
		x = x * 7 + n;
		__asm__ volatile("" : "+r"(x));
	}
	return (int)x;
}

main(argc, argv) char **argv;
{
	int bufsize = 500000, nfunc = 600, i;
	f(0);
	monitor((int)2, etext, buf, bufsize, nfunc);
	for (i = 0; i < 11; i++)
		f(i);
	hot(200);
	monitor(0);
	f(0);
	return calls == 13 ? 3 : 1;
}
