#ifndef RAW_SQLITE_INTERNAL_H
#define RAW_SQLITE_INTERNAL_H

#include <sqlite3.h>
#include <stddef.h>

#include "RawSQLite.h"

typedef struct RawRow {
    int64_t id, age, is_active, department;
    double salary, hired_at;
    /// One allocation; the other texts lie behind it.
    char *name;
    const char *email, *note;
    int name_length, email_length, note_length;
} RawRow;

struct RawRows {
    RawRow *items;
    int64_t count, capacity;
};

struct RawDatabase {
    sqlite3 *handle;
    /// The names as quoted SQL identifiers, made once at open.
    char *department_table, *employee_table, *id, *version, *department;
    /// Every column of the employees, in the order that binding and reading use.
    char *columns;
    /// Kept between the calls of W10.
    sqlite3_stmt *rename, *observed;
    char *message;
};

/// Notes the connection's error and returns false.
bool raw_fail(RawDatabase *database);
/// Prepares a statement that is kept, from a format of `sqlite3_mprintf`; null on failure.
sqlite3_stmt *raw_prepare(RawDatabase *database, const char *format, ...);
/// Ends a transaction that `body_succeeded` or not; the first error is the one that stays.
bool raw_end(RawDatabase *database, bool body_succeeded);

#endif
