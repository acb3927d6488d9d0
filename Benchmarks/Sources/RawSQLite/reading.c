#include <string.h>

#include "internal.h"

static inline uint64_t bits(double number) {
    uint64_t result;
    memcpy(&result, &number, sizeof result);
    return result;
}

static inline uint64_t touch_text(sqlite3_stmt *statement, int column) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    if (!text) return 0;
    int length = sqlite3_column_bytes(statement, column);
    return length ? (uint64_t)length + text[0] + text[length - 1] : 0;
}

static inline void touch_row(sqlite3_stmt *statement, RawChecksum *checksum) {
    uint64_t keys = (uint64_t)sqlite3_column_int64(statement, 0)
        + (uint64_t)sqlite3_column_int64(statement, 1);
    uint64_t name = touch_text(statement, 2);
    uint64_t values = name + touch_text(statement, 3);
    values += bits(sqlite3_column_double(statement, 4));
    values += (uint64_t)sqlite3_column_int64(statement, 5);
    values += (uint64_t)sqlite3_column_int(statement, 6);
    values += bits(sqlite3_column_double(statement, 7));
    int64_t department = sqlite3_column_int64(statement, 8);
    keys += (uint64_t)department;
    values += touch_text(statement, 9);
    checksum->rows++;
    checksum->values += values;
    checksum->order += (uint64_t)checksum->rows * name;
    checksum->links += department != 0;
    checksum->keys += keys;
}

/// Reads the result to its end and makes the statement ready for the next use.
static inline bool touch_all(RawDatabase *database, sqlite3_stmt *statement,
                             RawChecksum *checksum) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) touch_row(statement, checksum);
    if (code != SQLITE_DONE) raw_fail(database);
    sqlite3_reset(statement);
    return code == SQLITE_DONE;
}

bool raw_scan(RawDatabase *database, RawChecksum *checksum) {
    sqlite3_stmt *statement = raw_prepare(
        database, "SELECT %s FROM %s", database->columns, database->employee_table);
    bool succeeded = statement && touch_all(database, statement, checksum);
    sqlite3_finalize(statement);
    return succeeded;
}

bool raw_filter(RawDatabase *database, double floor, int64_t ceiling, int64_t limit,
                RawChecksum *checksum) {
    sqlite3_stmt *statement = raw_prepare(
        database,
        "SELECT %s FROM %s WHERE \"salary\" > ? AND \"age\" < ? ORDER BY \"name\" LIMIT ?",
        database->columns, database->employee_table);
    if (!statement) return false;
    sqlite3_bind_double(statement, 1, floor);
    sqlite3_bind_int64(statement, 2, ceiling);
    sqlite3_bind_int64(statement, 3, limit);
    bool succeeded = touch_all(database, statement, checksum);
    sqlite3_finalize(statement);
    return succeeded;
}

bool raw_look_up(RawDatabase *database, const int64_t *ids, int64_t count, RawChecksum *checksum) {
    if (!raw_execute(database, "BEGIN")) return false;
    sqlite3_stmt *statement = raw_prepare(
        database, "SELECT %s FROM %s WHERE %s = ?", database->columns, database->employee_table,
        database->id);
    bool succeeded = statement != NULL;
    for (int64_t index = 0; succeeded && index < count; index++) {
        sqlite3_bind_int64(statement, 1, ids[index]);
        succeeded = touch_all(database, statement, checksum);
    }
    sqlite3_finalize(statement);
    return raw_end(database, succeeded);
}

bool raw_traverse(RawDatabase *database, int64_t count, RawChecksum *checksum) {
    if (!raw_execute(database, "BEGIN")) return false;
    sqlite3_stmt *statement = raw_prepare(
        database, "SELECT %s FROM %s WHERE %s = ?", database->columns, database->employee_table,
        database->department);
    bool succeeded = statement != NULL;
    for (int64_t number = 1; succeeded && number <= count; number++) {
        sqlite3_bind_int64(statement, 1, number);
        RawChecksum part = {0};
        succeeded = touch_all(database, statement, &part);
        checksum->rows += part.rows;
        checksum->values += part.values * (uint64_t)number;
        checksum->links += part.links;
        checksum->keys += part.keys;
    }
    sqlite3_finalize(statement);
    return raw_end(database, succeeded);
}

bool raw_count(RawDatabase *database, double floor, int64_t ceiling, int64_t *count) {
    sqlite3_stmt *statement = raw_prepare(
        database, "SELECT COUNT(*) FROM %s WHERE \"salary\" > ? AND \"age\" < ?",
        database->employee_table);
    if (!statement) return false;
    sqlite3_bind_double(statement, 1, floor);
    sqlite3_bind_int64(statement, 2, ceiling);
    bool succeeded = sqlite3_step(statement) == SQLITE_ROW || raw_fail(database);
    if (succeeded) *count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return succeeded;
}

bool raw_rename_and_refetch(RawDatabase *database, int64_t id, const char *name,
                            RawChecksum *checksum) {
    if (!database->rename) {
        database->rename = raw_prepare(
            database, "UPDATE %s SET \"name\" = ? WHERE %s = ?", database->employee_table,
            database->id);
    }
    if (!database->observed) {
        database->observed = raw_prepare(
            database, "SELECT %s FROM %s WHERE \"isActive\" = 1 ORDER BY \"name\"",
            database->columns, database->employee_table);
    }
    if (!database->rename || !database->observed) return false;
    sqlite3_bind_text(database->rename, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(database->rename, 2, id);
    bool succeeded = sqlite3_step(database->rename) == SQLITE_DONE || raw_fail(database);
    sqlite3_reset(database->rename);
    return succeeded && touch_all(database, database->observed, checksum);
}
