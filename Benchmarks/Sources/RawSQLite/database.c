#include "internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool raw_fail(RawDatabase *database) {
    sqlite3_free(database->message);
    database->message = sqlite3_mprintf("%s", sqlite3_errmsg(database->handle));
    return false;
}

const char *raw_error(const RawDatabase *database) {
    return database->message ? database->message : "out of memory";
}

const char *raw_library_version(void) {
    return sqlite3_libversion();
}

bool raw_execute(RawDatabase *database, const char *sql) {
    return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK
        || raw_fail(database);
}

char *raw_text(RawDatabase *database, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL) != SQLITE_OK) {
        raw_fail(database);
        return NULL;
    }
    sqlite3_str *text = sqlite3_str_new(database->handle);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int column = 0; column < sqlite3_column_count(statement); column++) {
            const unsigned char *value = sqlite3_column_text(statement, column);
            sqlite3_str_appendf(text, "%s%s", column ? "\t" : "", value ? (const char *)value : "");
        }
        sqlite3_str_appendall(text, "\n");
    }
    sqlite3_finalize(statement);
    char *found = sqlite3_str_finish(text);
    char *copy = NULL;
    if (code == SQLITE_DONE) copy = strdup(found ? found : "");
    else raw_fail(database);
    sqlite3_free(found);
    return copy;
}

sqlite3_stmt *raw_prepare(RawDatabase *database, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    sqlite3_stmt *statement = NULL;
    int code = sql ? sqlite3_prepare_v3(
                         database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL)
                   : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (code != SQLITE_OK) raw_fail(database);
    return statement;
}

bool raw_end(RawDatabase *database, bool body_succeeded) {
    if (body_succeeded) return raw_execute(database, "COMMIT");
    sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool raw_set_up(RawDatabase *database, bool foreign_keys) {
    // The page size must be set before the journal mode creates the file.
    return raw_execute(database, "PRAGMA page_size = 4096")
        && raw_execute(database, "PRAGMA journal_mode = WAL")
        && raw_execute(database, "PRAGMA synchronous = NORMAL")
        && raw_execute(database, "PRAGMA cache_size = -65536")
        && raw_execute(
            database, foreign_keys ? "PRAGMA foreign_keys = ON" : "PRAGMA foreign_keys = OFF")
        && raw_execute(database, "PRAGMA cell_size_check = ON")
        && raw_execute(database, "PRAGMA mmap_size = 0")
        && (sqlite3_busy_timeout(database->handle, 10000) == SQLITE_OK || raw_fail(database));
}

RawDatabase *raw_open(const char *path, bool foreign_keys, const char *department_table,
                      const char *employee_table, const char *id_column,
                      const char *version_column, const char *department_column) {
    RawDatabase *database = calloc(1, sizeof *database);
    if (!database) return NULL;
    database->department_table = sqlite3_mprintf("\"%w\"", department_table);
    database->employee_table = sqlite3_mprintf("\"%w\"", employee_table);
    database->id = sqlite3_mprintf("\"%w\"", id_column);
    database->version = sqlite3_mprintf("\"%w\"", version_column);
    database->department = sqlite3_mprintf("\"%w\"", department_column);
    database->columns = sqlite3_mprintf(
        "%s, %s, \"name\", \"email\", \"salary\", \"age\", \"isActive\", \"hiredAt\", %s, \"note\"",
        database->id, database->version, database->department);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    bool is_open = database->columns
        && (sqlite3_open_v2(path, &database->handle, flags, NULL) == SQLITE_OK
            || raw_fail(database))
        && raw_set_up(database, foreign_keys);
    if (!is_open) {
        sqlite3_close(database->handle);
        database->handle = NULL;
    }
    return database;
}

bool raw_is_open(const RawDatabase *database) {
    return database && database->handle;
}

void raw_close(RawDatabase *database) {
    if (!database) return;
    sqlite3_finalize(database->rename);
    sqlite3_finalize(database->observed);
    sqlite3_close(database->handle);
    sqlite3_free(database->department_table);
    sqlite3_free(database->employee_table);
    sqlite3_free(database->id);
    sqlite3_free(database->version);
    sqlite3_free(database->department);
    sqlite3_free(database->columns);
    sqlite3_free(database->message);
    free(database);
}

bool raw_checkpoint(RawDatabase *database) {
    // FULL waits for readers and writers, but fails at once while another checkpoint runs. It does
    // not change the log's size, like an automatic checkpoint.
    int code = SQLITE_BUSY;
    for (int attempt = 0; attempt < 10000; attempt++) {
        code = sqlite3_wal_checkpoint_v2(
            database->handle, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
        if (code != SQLITE_BUSY) break;
        sqlite3_sleep(1);
    }
    return code == SQLITE_OK || raw_fail(database);
}
