#include "FaultVFS.h"

#include <signal.h>
#include <sqlite3.h>
#include <string.h>

// Every call goes to the system's own file system, after a question whether it is to fail. What
// only gives something back (closing, unlocking, unmapping) always works, as it does in practice.

#define NAME "fault"

// Tests run at the same time, each on a thread of its own.
static _Thread_local struct {
    long count;
    long call;
    FaultMode mode;
} fault;

typedef struct {
    sqlite3_file base;
    // The system's own file, which lies behind this one.
    sqlite3_file *real;
} FaultFile;

enum { reads, writes, contents };

/// Counts a call. Answers the result code that it fails with, SQLITE_OK where it does not.
static int fail(int kind, int code) {
    fault.count += 1;
    if (fault.mode == FaultCount || fault.count < fault.call) return SQLITE_OK;
    switch (fault.mode) {
    case FaultCount: return SQLITE_OK;
    case FaultOnce: return fault.count == fault.call ? code : SQLITE_OK;
    case FaultForever: return code;
    case FaultFull: return kind == writes ? SQLITE_FULL : SQLITE_OK;
    case FaultUnreadable: return kind == contents ? code : SQLITE_OK;
    case FaultKill:
    case FaultTorn: raise(SIGKILL);
    }
    return code;
}

#define REAL(file) (((FaultFile *)(file))->real)
#define CALL(file, method, ...) REAL(file)->pMethods->method(REAL(file), ##__VA_ARGS__)
#define FAIL(kind, code) \
    do { \
        int failure = fail(kind, code); \
        if (failure != SQLITE_OK) return failure; \
    } while (0)

// MARK: Files

static int file_close(sqlite3_file *file) {
    return CALL(file, xClose);
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    FAIL(contents, SQLITE_IOERR_READ);
    return CALL(file, xRead, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    if (fault.mode == FaultTorn && fault.count + 1 >= fault.call) {
        CALL(file, xWrite, bytes, count / 2, offset);
    }
    FAIL(writes, SQLITE_IOERR_WRITE);
    return CALL(file, xWrite, bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    FAIL(reads, SQLITE_IOERR_TRUNCATE);
    return CALL(file, xTruncate, size);
}

static int file_sync(sqlite3_file *file, int flags) {
    FAIL(reads, SQLITE_IOERR_FSYNC);
    return CALL(file, xSync, flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    FAIL(reads, SQLITE_IOERR_FSTAT);
    return CALL(file, xFileSize, size);
}

static int file_lock(sqlite3_file *file, int kind) {
    FAIL(reads, SQLITE_IOERR_LOCK);
    return CALL(file, xLock, kind);
}

static int file_unlock(sqlite3_file *file, int kind) {
    return CALL(file, xUnlock, kind);
}

static int file_check_reserved_lock(sqlite3_file *file, int *is_locked) {
    FAIL(reads, SQLITE_IOERR_CHECKRESERVEDLOCK);
    return CALL(file, xCheckReservedLock, is_locked);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return CALL(file, xFileControl, operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
    return CALL(file, xSectorSize);
}

static int file_device_characteristics(sqlite3_file *file) {
    return CALL(file, xDeviceCharacteristics);
}

static int file_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
    FAIL(extends ? writes : reads, SQLITE_IOERR_SHMMAP);
    return CALL(file, xShmMap, page, size, extends, memory);
}

static int file_lock_map(sqlite3_file *file, int offset, int count, int flags) {
    if (flags & SQLITE_SHM_LOCK) FAIL(reads, SQLITE_IOERR_SHMLOCK);
    return CALL(file, xShmLock, offset, count, flags);
}

static void file_map_barrier(sqlite3_file *file) {
    CALL(file, xShmBarrier);
}

static int file_unmap(sqlite3_file *file, int deletes) {
    return CALL(file, xShmUnmap, deletes);
}

// Version 2: nothing is read through a mapping of the file, which no call would tell of.
static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_device_characteristics,
    .xShmMap = file_map,
    .xShmLock = file_lock_map,
    .xShmBarrier = file_map_barrier,
    .xShmUnmap = file_unmap,
};

// MARK: The file system

static sqlite3_vfs *system_of(sqlite3_vfs *vfs) {
    return vfs->pAppData;
}

static int vfs_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *opened
) {
    FaultFile *wrapper = (FaultFile *)file;
    wrapper->base.pMethods = NULL;
    FAIL(reads, SQLITE_CANTOPEN);
    wrapper->real = (sqlite3_file *)(wrapper + 1);
    int code = system_of(vfs)->xOpen(system_of(vfs), name, wrapper->real, flags, opened);
    // SQLite closes what has methods, also where it could not be opened.
    if (wrapper->real->pMethods != NULL) wrapper->base.pMethods = &file_methods;
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    FAIL(reads, SQLITE_IOERR_DELETE);
    return system_of(vfs)->xDelete(system_of(vfs), name, syncs);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    FAIL(reads, SQLITE_IOERR_ACCESS);
    return system_of(vfs)->xAccess(system_of(vfs), name, flags, result);
}

static sqlite3_vfs vfs;

int fault_vfs_register(void) {
    if (sqlite3_vfs_find(NAME) != NULL) return SQLITE_OK;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (system == NULL) return SQLITE_ERROR;
    // What is not wrapped gets by with the copy's fields: it looks at nothing of its own.
    vfs = *system;
    vfs.zName = NAME;
    vfs.szOsFile = (int)sizeof(FaultFile) + system->szOsFile;
    vfs.pAppData = system;
    vfs.xOpen = vfs_open;
    vfs.xDelete = vfs_delete;
    vfs.xAccess = vfs_access;
    return sqlite3_vfs_register(&vfs, 0);
}

const char *fault_vfs_name(void) {
    return NAME;
}

void fault_vfs_arm(long call, FaultMode mode) {
    fault.count = 0;
    fault.call = call;
    fault.mode = mode;
}

void fault_vfs_disarm(void) {
    fault.mode = FaultCount;
}

long fault_vfs_count(void) {
    return fault.count;
}
