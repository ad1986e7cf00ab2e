/* SPDX-License-Identifier: BSD-2-Clause */
/* mcount.S -- the call that gcc -p, -pg and -mfentry and clang -pg put at the start of every function (x86-64).
 *
 * All argument registers are live here; only r11 and the flags are free, and the red zone below the stack pointer.
 * The return address lies in the function that is being counted.  ids[] holds table offset + 8 (0: no id), so that one
 * comparison with the size of the thread's table sends a new function, a new thread and a full table to the slow path.
 */
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.text
	.globl	mcount, _mcount, __fentry__
	.type	mcount, @function
	.type	_mcount, @function
	.type	__fentry__, @function
	.globl	mon_mcount_begin, mon_mcount_end
	.hidden	mon_text_low, mon_ctl_page, mon_ids, mon_far, mon_armed, mon_tls, mon_count_slow, mon_xsave_mask
	.hidden	mon_mcount_begin, mon_mcount_end
	.p2align 6
mon_mcount_begin:
mcount:
_mcount:
__fentry__:
	.cfi_startproc
	_CET_ENDBR
	mov	(%rsp), %r11
	sub	mon_text_low(%rip), %r11
	cmp	mon_ctl_page(%rip), %r11		/* text_size */
	jae	1f
	and	$-4, %r11
	add	mon_ids(%rip), %r11
	mov	%rax, -8(%rsp)
	mov	mon_tls@gottpoff(%rip), %rax
	mov	(%r11), %r11d
	sub	$8, %r11d
	cmp	%fs:(%rax), %r11			/* size of the table */
	jae	2f
	add	%fs:8(%rax), %r11
	mov	-8(%rsp), %rax
	incq	(%r11)
	ret

1:	cmpq	$0, 8+mon_ctl_page(%rip)		/* alive */
	je	7f
	cmpl	$0, 16+mon_ctl_page(%rip)		/* far */
	je	9f
	mov	%rax, -8(%rsp)				/* code of a shared object: ids by block of 2 MiB */
	mov	mon_far(%rip), %rax
	test	%rax, %rax
	jz	2f
	mov	(%rsp), %r11
	sub	(%rax), %r11
	cmp	8(%rax), %r11
	jae	2f
	mov	%rcx, -16(%rsp)
	mov	%r11, %rcx
	shr	$21, %rcx
	mov	16(%rax,%rcx,8), %rax
	mov	-16(%rsp), %rcx
	test	%rax, %rax
	jz	2f
	and	$0x1ffffc, %r11d
	mov	(%rax,%r11), %r11d
	mov	mon_tls@gottpoff(%rip), %rax
	sub	$8, %r11d
	cmp	%fs:(%rax), %r11
	jae	2f
	add	%fs:8(%rax), %r11
	mov	-8(%rsp), %rax
	incq	(%r11)
9:	ret

7:	cmpl	$0, mon_armed(%rip)			/* to be started, or a fork child */
	jne	3f
	ret

2:	mov	-8(%rsp), %rax
3:	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	sub	$2880, %rsp				/* x87, SSE, AVX and AVX-512 state in the standard form: 2696 */
	and	$-64, %rsp
	mov	mon_xsave_mask(%rip), %eax
	test	%eax, %eax
	jz	4f
	xor	%edx, %edx
	mov	%rdx, 512(%rsp)				/* xrstor wants a header of zeros beyond what xsave writes */
	mov	%rdx, 520(%rsp)
	mov	%rdx, 528(%rsp)
	mov	%rdx, 536(%rsp)
	mov	%rdx, 544(%rsp)
	mov	%rdx, 552(%rsp)
	mov	%rdx, 560(%rsp)
	mov	%rdx, 568(%rsp)
	xsave	(%rsp)
	mov	8(%rbp), %rdi
	call	mon_count_slow
	mov	mon_xsave_mask(%rip), %eax
	xor	%edx, %edx
	xrstor	(%rsp)
	jmp	5f
4:	fxsave	(%rsp)
	mov	8(%rbp), %rdi
	call	mon_count_slow
	fxrstor	(%rsp)
5:	lea	-64(%rbp), %rsp
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
mon_mcount_end:
	.size	mcount, .-mcount
	.size	_mcount, .-_mcount
	.size	__fentry__, .-__fentry__
	.section .note.GNU-stack,"",@progbits
