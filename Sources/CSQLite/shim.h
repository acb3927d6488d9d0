// The system's SQLite, seen from Swift. Only `CambiumSQLite` imports this module.
#ifndef CAMBIUM_CSQLITE_SHIM_H
#define CAMBIUM_CSQLITE_SHIM_H

#include <sqlite3.h>

// Swift cannot call C functions with variable arguments; each form that we need gets a name.
static inline int cambium_sqlite_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

// A cast of an integer to a function pointer, which Swift cannot write: SQLite copies the bytes.
static inline sqlite3_destructor_type cambium_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

#endif
