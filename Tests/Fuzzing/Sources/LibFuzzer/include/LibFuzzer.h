#include <stddef.h>
#include <stdint.h>

// What libFuzzer documents for programs with a `main` of their own. The library is in Swift's
// toolchain; `-sanitize=fuzzer` links it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count));
