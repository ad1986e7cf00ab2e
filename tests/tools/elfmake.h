/* SPDX-License-Identifier: BSD-2-Clause */
/* elfmake.h -- text to the bytes of a small ELF program: sections and symbols where the test wants them, and nothing else.
 *
 * One thing a line; numbers are decimal or 0x hexadecimal; # starts a comment.  The same text is understood by
 * tests/tools/asm-elf, which lets the system's assembler and linker make the program, but for the lines marked *.
 *
 *	class 32|64          of addresses; 64 unless said
 *	order le|be        * byte order; le unless said
 *	section NAME ADDR    a new executable section; what follows lies in it, one after the other
 *	file NAME            the symbols that follow come from this source file
 *	func NAME SIZE       a global function of SIZE bytes
 *	weak NAME SIZE       the same, weak
 *	static NAME SIZE     the same, local
 *	notype NAME SIZE     a global symbol without type that SIZE bytes belong to
 *	ifunc NAME SIZE    * a global GNU_IFUNC
 *	gap SIZE             bytes that no symbol covers
 *	alias KIND NAME      another name for the last function; KIND is func, weak, static or notype
 *	nosize               the last symbol states no size
 *	inner NAME OFF SIZE  a global function inside the last one, OFF bytes behind its start
 *	build-id HEX         the program has a build-id
 *	dynamic            * the symbols go to .dynsym instead of .symtab
 *	poke OFF VALUE WIDTH * wrong on purpose: this number of WIDTH bytes at OFF; negative counts from the end of the file,
 *	                     where the section headers are: none, symbols, names, section names, then those made here
 *
 * In a NAME \ooo is the byte of that octal value.
 */
#ifndef ELFMAKE_H
#define ELFMAKE_H

#include "bytes.h"

/* Append the program to *out, which must be empty.  0, or the number of the line that is wrong. */
unsigned elfmake(const char *text, struct bytes *out);

/* The same, to a new file; ends the process with a message when it cannot. */
void elfmake_file(const char *text, const char *path);

#endif
