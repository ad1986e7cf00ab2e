#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link-shared.sh -- libraries built with -p: linked, or opened at run time; main linked to libmon.a or libmon.so.
. "$SRC/tests/collect/lib-link.sh"
have gcc || skip "no gcc"

cat >g.c <<'END'
#include "prog.h"
WHOLE int g(int x) { KEEP; return x + 1; }
WHOLE int spin(void) { WORK(20 * MS); return 0; }
END
cat >linked.c <<'END'
#include "eleven.h"
int g(int), spin(void);
int main(void)
{
	int s = 0, t = 0;
	for (int i = 0; i < 11; i++) { s = f(s); t = g(t); }
	burn();
	spin();
	printf("%d\n", (s + t) / 2);
	return 3;
}
END
cat >opened.c <<'END'
#include "eleven.h"
#include <dlfcn.h>
int main(void)
{
	int s = 0, t = 0;
	for (int i = 0; i < 11; i++) {
		void *h = dlopen("./libg.so", RTLD_NOW | (i & 1 ? RTLD_DEEPBIND : 0));
		int (*g)(int) = h ? (int (*)(int))dlsym(h, "g") : 0;
		if (!g) return 1;
		s = f(s);
		t = g(t);
		if (i == 5) ((int (*)(void))dlsym(h, "spin"))();
		dlclose(h);
	}
	burn();
	printf("%d\n", (s + t) / 2);
	return 3;
}
END
for lib in "$A" "$SO"; do
	for how in "-fPIE -pie" "-fno-pie -no-pie"; do
		for c in linked opened; do
			title="$c library, main $how, ${lib##* -l}"
			rm -rf row && mkdir row
			gcc -p -O1 -w -I"$HERE" -fPIC -shared g.c -o row/libg.so &&
				gcc -p -O1 -w -I"$HERE" $how $c.c -o row/prog -Lrow -lg "-Wl,-rpath,\$ORIGIN" \
					-ldl $lib -pthread || {
				fail "$title: does not compile"
				continue
			}
			tried=$((tried + 1))
			eleven "$title" row/prog
		done
	done
done

# A library that brings libmon.so with it, for a program that knows nothing of it.
rm -rf row && mkdir row
gcc -p -O1 -w -I"$HERE" -fPIC -shared g.c -o row/libg.so $SO
echo 'int g(int); int main(void) { int t = 0; for (int i = 0; i < 11; i++) t = g(t); return t == 11 ? 3 : 1; }' >user.c
gcc -O1 user.c -o row/prog -Lrow -lg "-Wl,-rpath,\$ORIGIN" || exit 1
run_in row ./prog
same "library with -p and libmon.so, program without: status" "$rc" 3
same "the same: output" "$(cat out err)" ""
done_linking
