// The system's SQLite, seen from Swift. Only `CambiumSQLite` imports this module.
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

// Swift cannot call C functions with variable arguments; each form that we need gets a name.
static inline int cambium_sqlite_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

// A cast of an integer to a function pointer, which Swift cannot write: SQLite copies the bytes.
static inline sqlite3_destructor_type cambium_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

// What tells one file from another (device and number), and whether it was written since.
typedef struct {
    uint64_t device, number;
    int64_t size, seconds, nanoseconds;
} cambium_file_state;

// Looks at the file at a path, without opening it: to close a file takes away the locks that the
// process has on it, those of SQLite too. Returns whether there is one, or the system does not tell.
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

// How many tenths of a second ago a file was written; negative where it says a time to come.
static inline int64_t cambium_file_age(cambium_file_state state) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
    return ((int64_t)now.tv_sec - state.seconds) * 10
        + ((int64_t)now.tv_nsec - state.nanoseconds) / 100000000;
}

// Gives a file another name. Returns 0 where that was done.
static inline int cambium_file_rename(const char *path, const char *other) {
    return rename(path, other);
}

// Makes a file empty, without opening it.
static inline int cambium_file_empty(const char *path) { return truncate(path, 0); }

// Whether the file system of a file was mounted for reading only.
static inline int cambium_is_mounted_read_only(const char *path) {
    struct statvfs info;
    return statvfs(path, &info) == 0 && (info.f_flag & ST_RDONLY) != 0;
}

// The first byte of a file that no process locks; -1 where it cannot be read.
static inline int cambium_file_first_byte(const char *path) {
    unsigned char byte = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = read(file, &byte, 1);
    close(file);
    return count == 1 ? byte : -1;
}

// Reads the first bytes of a database file past SQLite's cache and log. What the file does not have
// is zero. Returns whether it could be read.
static inline int cambium_sqlite_read_file(sqlite3 *db, void *bytes, int count) {
    sqlite3_file *file = 0;
    memset(bytes, 0, (size_t)count);
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods) return 0;
    int code = file->pMethods->xRead(file, bytes, count, 0);
    return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ;
}

// How far the log is in the file, as the index of the log says (sqlite.org/walformat.html): the two
// salts, the frames that are in the file, and those that a checkpoint has begun to write. Returns
// whether it is known. The log must be in use.
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
