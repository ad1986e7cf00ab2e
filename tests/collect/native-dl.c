/* SPDX-License-Identifier: BSD-2-Clause */
/* native-dl.c -- functions of shared objects: native-dl MS LIBRARY FUNCTION TIMES ...
 *
 * Opens each library in turn, calls its function so often, half of it in a new thread, and once more to work for MS
 * milliseconds, and closes it, so that the next one may get its place.  Prints where the function was.
 */
#include "prog.h"

#include <dlfcn.h>

PLAIN int f(int x)
{
	KEEP;
	return x + 1;
}

static int (*function)(int);

UNSEEN void *call(void *arg)
{
	for (long n = (long)arg; n > 0; n--)
		function(0);
	return NULL;
}

int main(int argc, char **argv)
{
	f(0);
	for (int i = 2; i + 2 < argc; i += 3) {
		pthread_t t;
		long n = atol(argv[i + 2]);
		void *library = dlopen(argv[i], RTLD_NOW);
		if (library)
			*(void **)&function = dlsym(library, argv[i + 1]);
		if (!library || !function)
			return 1;
		printf("%s %p\n", argv[i + 1], *(void **)&function);
		if (pthread_create(&t, NULL, call, (void *)(n - n / 2)))
			return 1;
		pthread_join(t, NULL);
		call((void *)(n / 2));
		function(atoi(argv[1]));
		if (dlclose(library))
			return 1;
	}
	return 3;
}
