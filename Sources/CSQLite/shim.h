// The system's SQLite for Swift. Only `CambiumSQLite` imports this module.
#ifndef CAMBIUM_CSQLITE_SHIM_H
#define CAMBIUM_CSQLITE_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

// Swift cannot call C functions with variable arguments, so each form in use has its own function.
static inline int cambium_sqlite_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

// The destructor that makes SQLite copy the bytes. It is an integer that is cast to a function
// pointer, which Swift cannot express.
static inline sqlite3_destructor_type cambium_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

// The identity of a file (device and number), and the values that change when it is written.
typedef struct {
    uint64_t device, number;
    int64_t size, seconds, nanoseconds;
} cambium_file_state;

// Reads the state of the file at a path without opening it, because closing a file would release
// all locks of the process on it, including SQLite's. Returns whether a file exists, or whether
// this is unknown.
static inline int cambium_file_exists(const char *path, cambium_file_state *state) {
    struct stat info;
    memset(state, 0, sizeof *state);
    if (stat(path, &info) != 0) return errno != ENOENT && errno != ENOTDIR;
    state->device = (uint64_t)info.st_dev;
    state->number = (uint64_t)info.st_ino;
    state->size = (int64_t)info.st_size;
#if defined(__APPLE__)
    state->seconds = (int64_t)info.st_mtimespec.tv_sec;
    state->nanoseconds = (int64_t)info.st_mtimespec.tv_nsec;
#else
    state->seconds = (int64_t)info.st_mtim.tv_sec;
    state->nanoseconds = (int64_t)info.st_mtim.tv_nsec;
#endif
    return 1;
}

// The tenths of a second since a file was written. The result is negative if the file's time is in
// the future.
static inline int64_t cambium_file_age(cambium_file_state state) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
    return ((int64_t)now.tv_sec - state.seconds) * 10
        + ((int64_t)now.tv_nsec - state.nanoseconds) / 100000000;
}

// Renames a file. Returns 0 on success.
static inline int cambium_file_rename(const char *path, const char *other) {
    return rename(path, other);
}

// Truncates a file to length 0 without opening it.
static inline int cambium_file_empty(const char *path) { return truncate(path, 0); }

// Returns whether the file system of a file was mounted read-only.
static inline int cambium_is_mounted_read_only(const char *path) {
    struct statvfs info;
    return statvfs(path, &info) == 0 && (info.f_flag & ST_RDONLY) != 0;
}

// Returns the first byte of a file that no process locks, or -1 if it cannot be read.
static inline int cambium_file_first_byte(const char *path) {
    unsigned char byte = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = read(file, &byte, 1);
    close(file);
    return count == 1 ? byte : -1;
}

// Reads the first bytes of a database file without SQLite's cache and log. Bytes beyond the end of
// the file are zero. Returns whether the file could be read.
static inline int cambium_sqlite_read_file(sqlite3 *db, void *bytes, int count) {
    sqlite3_file *file = 0;
    memset(bytes, 0, (size_t)count);
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods) return 0;
    int code = file->pMethods->xRead(file, bytes, count, 0);
    return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ;
}

// Reads the state of the log from its index (sqlite.org/walformat.html): the two salts, the number
// of frames that are in the database file, and the number of frames that a checkpoint has started
// to write. Returns whether the state is known. The log must be in use.
static inline int cambium_sqlite_read_log_state(sqlite3 *db, uint32_t state[4]) {
    sqlite3_file *file = 0;
    void volatile *region = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK || !region) return 0;
    const volatile uint32_t *words = (const volatile uint32_t *)region;
    state[0] = words[8];
    state[1] = words[9];
    state[2] = words[24];
    state[3] = words[32];
    return 1;
}

#endif
