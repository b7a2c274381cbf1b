#ifndef FERRY_C_LIB_FUZZER_H
#define FERRY_C_LIB_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own loop, as clang's runtime library exports it; see FuzzerInterface.h of LLVM.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*check)(const uint8_t *data, size_t size));

#endif
