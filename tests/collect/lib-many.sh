# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# lib-many.sh -- many_functions N: C text of N functions g0 g1 ..., which return their argument + 1, and of many[].
many_functions() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "int g%d(int x) { __asm__ volatile(\"\" ::: \"memory\"); return x + 1; }\n", i
		printf "int (*const many[])(int) = {"
		for (i = 0; i < n; i++)
			printf "%sg%d,", i % 10 ? " " : "\n\t", i
		print "\n};\nconst int nmany = sizeof many / sizeof *many;"
	}'
}
