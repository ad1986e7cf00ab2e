#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link-cxx.sh -- C++: calls made by static constructors before main, and by destructors after it, are counted.
. "$SRC/tests/collect/lib-link.sh"

for lib in "$A" "$SO"; do
	name=${lib##* -l}
	for cc in "g++ -p" "clang++ -pg"; do
		row "$cc, constructor, $name" "$HERE/eleven.cc" "" "$lib" $cc
		row "$cc, destructor and atexit, $name" "$HERE/late.cc" "" "$lib" $cc
	done
done
row "g++ -p -static, constructor" "$HERE/eleven.cc" "" "$A" g++ -p -static
row "g++ -p -static, destructor and atexit" "$HERE/late.cc" "" "$A" g++ -p -static

# The header can be used from C++, with the functions cast as the manual does it.
cat >api.cc <<'END'
#include <mon.h>
#include "eleven.h"
extern "C" char _init[], etext[];
static WORD buffer[4000000];
int main()
{
	int sum = 0;
	monitor((int (*)(...))_init, (int (*)(...))etext, buffer, sizeof buffer / sizeof *buffer, 600);
	moncontrol(0);
	f(0);
	moncontrol(1);
	for (int i = 0; i < 11; i++)
		sum = f(sum);
	burn();
	monitor(0, 0, 0, 0, 0);
	printf("%d\n", sum);
	return 3;
}
END
needs_us=1
row "g++, <mon.h>" api.cc "" "$A" g++ -p -Wall -Werror
row "clang++, <mon.h>" api.cc "" "$A" clang++ -pg
done_linking
