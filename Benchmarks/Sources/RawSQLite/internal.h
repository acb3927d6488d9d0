#ifndef RAW_SQLITE_INTERNAL_H
#define RAW_SQLITE_INTERNAL_H

#include <sqlite3.h>
#include <stddef.h>

#include "RawSQLite.h"

typedef struct RawRow {
    int64_t id, age, is_active, department;
    double salary, hired_at;
    /// The start of one allocation, which also contains the other texts.
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
    /// The names as quoted SQL identifiers. They are created once when the database is opened.
    char *department_table, *employee_table, *id, *version, *department;
    /// Every column of the employees, in the order that binding and reading use.
    char *columns;
    /// It is kept between the calls of W10.
    sqlite3_stmt *rename, *observed;
    char *message;
};

/// Records the connection's error and returns false.
bool raw_fail(RawDatabase *database);
/// Prepares a statement that is kept, from a format of `sqlite3_mprintf`; null on failure.
sqlite3_stmt *raw_prepare(RawDatabase *database, const char *format, ...);
/// Commits a transaction if `body_succeeded`, or else rolls it back. The first error is kept.
bool raw_end(RawDatabase *database, bool body_succeeded);

#endif
