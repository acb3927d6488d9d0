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

#if defined(__linux__)
#include <stdio.h>

// getrusage() is not used, because its value begins with the memory of the parent process.
int64_t raw_peak_resident_bytes(void) {
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return 0;
    char line[256];
    long long kilobytes = 0;
    while (fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %lld kB", &kilobytes) == 1) break;
    }
    fclose(status);
    return kilobytes * 1024;
}

void raw_forget_peak_resident_bytes(void) {
    FILE *references = fopen("/proc/self/clear_refs", "w");
    if (references == NULL) return;
    fputs("5", references);
    fclose(references);
}
#elif defined(__APPLE__)
#include <sys/resource.h>

int64_t raw_peak_resident_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

void raw_forget_peak_resident_bytes(void) {
}
#else
int64_t raw_peak_resident_bytes(void) {
    return 0;
}

void raw_forget_peak_resident_bytes(void) {
}
#endif
