/* SPDX-License-Identifier: BSD-2-Clause */
/* late.cc -- f is called 4 times in main, 5 times by a static destructor and twice by a function that atexit knows. */
#include "eleven.h"

namespace
{
struct last {
	~last()
	{
		for (int i = 0; i < 5; i++)
			f(i);
	}
};
last one;
} // namespace

extern "C" void at_exit(void)
{
	f(f(0));
}

int main()
{
	atexit(at_exit);
	burn();
	printf("%d\n", f(f(f(f(7)))));
	return 3;
}
