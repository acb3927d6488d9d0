#include "internal.h"

#if defined(__GLIBC__)
#include <malloc.h>

int64_t raw_allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}
#elif defined(__APPLE__)
#include <malloc/malloc.h>

int64_t raw_allocated_bytes(void) {
    malloc_statistics_t statistics;
    malloc_zone_statistics(NULL, &statistics);
    return (int64_t)statistics.size_in_use;
}
#else
int64_t raw_allocated_bytes(void) {
    return 0;
}
#endif
