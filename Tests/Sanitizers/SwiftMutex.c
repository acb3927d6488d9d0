// Lets the thread sanitizer see the waiting of Swift's Mutex, on Linux.
//
// The way that a mutex takes when nobody else wants it is compiled into the code that uses it, and
// so into what the sanitizer watches. Where a thread has to wait, Swift's library does the rest,
// which was built without the sanitizer: it takes the lock for a race. Loaded before that library,
// these functions say what happens there and call the real ones.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Only a program that was built with the sanitizer has them.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

SWIFT void cambium_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT void cambium_unlock(SELF void *mutex) __asm__(UNLOCK_SLOW);
SWIFT _Bool cambium_try_lock(SELF void *mutex) __asm__(TRY_LOCK_SLOW);

SWIFT void cambium_lock(uint32_t thread, SELF void *mutex) {
    SWIFT void (*original)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK_SLOW);
    original(thread, mutex);
    if (__tsan_acquire != NULL) __tsan_acquire(mutex);
}

SWIFT void cambium_unlock(SELF void *mutex) {
    SWIFT void (*original)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK_SLOW);
    if (__tsan_release != NULL) __tsan_release(mutex);
    original(mutex);
}

SWIFT _Bool cambium_try_lock(SELF void *mutex) {
    SWIFT _Bool (*original)(SELF void *) = dlsym(RTLD_NEXT, TRY_LOCK_SLOW);
    _Bool isLocked = original(mutex);
    if (isLocked && __tsan_acquire != NULL) __tsan_acquire(mutex);
    return isLocked;
}
