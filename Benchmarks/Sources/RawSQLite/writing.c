#include "internal.h"

bool raw_insert_departments(RawDatabase *database, int64_t count) {
    if (!raw_execute(database, "BEGIN IMMEDIATE")) return false;
    sqlite3_stmt *statement = raw_prepare(
        database, "INSERT INTO %s(%s, %s, \"name\") VALUES (?1, 1, 'Department ' || ?1)",
        database->department_table, database->id, database->version);
    bool succeeded = statement != NULL;
    for (int64_t number = 1; succeeded && number <= count; number++) {
        sqlite3_bind_int64(statement, 1, number);
        succeeded = sqlite3_step(statement) == SQLITE_DONE || raw_fail(database);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return raw_end(database, succeeded);
}

static inline void bind_row(sqlite3_stmt *statement, const RawRow *row) {
    sqlite3_bind_int64(statement, 1, row->id);
    sqlite3_bind_int64(statement, 2, 1);
    sqlite3_bind_text(statement, 3, row->name, row->name_length, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, row->email, row->email_length, SQLITE_STATIC);
    sqlite3_bind_double(statement, 5, row->salary);
    sqlite3_bind_int64(statement, 6, row->age);
    sqlite3_bind_int64(statement, 7, row->is_active);
    sqlite3_bind_double(statement, 8, row->hired_at);
    sqlite3_bind_int64(statement, 9, row->department);
    if (row->note) {
        sqlite3_bind_text(statement, 10, row->note, row->note_length, SQLITE_STATIC);
    } else {
        sqlite3_bind_null(statement, 10);
    }
}

bool raw_insert(RawDatabase *database, const RawRows *rows) {
    if (!raw_execute(database, "BEGIN IMMEDIATE")) return false;
    sqlite3_stmt *statement = raw_prepare(
        database, "INSERT INTO %s(%s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        database->employee_table, database->columns);
    bool succeeded = statement != NULL;
    for (int64_t index = 0; succeeded && index < rows->count; index++) {
        bind_row(statement, &rows->items[index]);
        succeeded = sqlite3_step(statement) == SQLITE_DONE || raw_fail(database);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return raw_end(database, succeeded);
}

bool raw_update(RawDatabase *database, const RawRows *rows, int64_t version) {
    if (!raw_execute(database, "BEGIN IMMEDIATE")) return false;
    sqlite3_stmt *statement = raw_prepare(
        database, "UPDATE %s SET \"salary\" = ?, %s = ? WHERE %s = ? AND %s = ?",
        database->employee_table, database->version, database->id, database->version);
    bool succeeded = statement != NULL;
    for (int64_t index = 0; succeeded && index < rows->count; index++) {
        sqlite3_bind_double(statement, 1, rows->items[index].salary + 1);
        sqlite3_bind_int64(statement, 2, version + 1);
        sqlite3_bind_int64(statement, 3, rows->items[index].id);
        sqlite3_bind_int64(statement, 4, version);
        succeeded = sqlite3_step(statement) == SQLITE_DONE || raw_fail(database);
        if (succeeded && sqlite3_changes(database->handle) != 1) {
            sqlite3_free(database->message);
            database->message = sqlite3_mprintf(
                "row %lld does not have version %lld", rows->items[index].id, version);
            succeeded = false;
        }
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return raw_end(database, succeeded);
}

bool raw_delete(RawDatabase *database, const RawRows *rows) {
    if (!raw_execute(database, "BEGIN IMMEDIATE")) return false;
    sqlite3_stmt *statement = raw_prepare(
        database, "DELETE FROM %s WHERE %s = ?", database->employee_table, database->id);
    bool succeeded = statement != NULL;
    for (int64_t index = 0; succeeded && index < rows->count; index++) {
        sqlite3_bind_int64(statement, 1, rows->items[index].id);
        succeeded = sqlite3_step(statement) == SQLITE_DONE || raw_fail(database);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return raw_end(database, succeeded);
}
