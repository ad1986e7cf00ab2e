/* SPDX-License-Identifier: BSD-2-Clause */
/* eleven.cc -- f is called by a static constructor: 11 times, before main. */
#include "eleven.h"

namespace
{
struct early {
	int sum = 0;
	early()
	{
		for (int i = 0; i < 11; i++)
			sum = f(sum);
	}
};
early one;
} // namespace

int main()
{
	burn();
	printf("%d\n", one.sum);
	return 3;
}
