/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz.h -- what a fuzz target defines: the fuzzer calls it, or, without one, replay.c does. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
