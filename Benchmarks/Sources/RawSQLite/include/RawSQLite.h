/// The workloads of the benchmarks, written by hand on the SQLite C API, with one prepared
/// statement per workload and one step per row. They keep no rows. The same code runs on a bare
/// table and on the schema that Cambium generates; only the names given to `raw_open` differ.
///
/// Functions that can fail return false; `raw_error` then has the reason.
#ifndef RAW_SQLITE_H
#define RAW_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

/// The employees that are inserted, as values ready to be bound.
typedef struct RawRows RawRows;

/// An open database and the names of its tables and system columns.
typedef struct RawDatabase RawDatabase;

/// The sums of the values that were read, in a form that does not depend on rounding. Sums wrap
/// around.
typedef struct RawChecksum {
    int64_t rows;
    /// The values that an application reads: the bits of numbers; the length, the first and the
    /// last byte of texts.
    uint64_t values;
    /// The names, weighted by their position: equal for any legal order of equal names.
    uint64_t order;
    /// The number of rows with a department.
    int64_t links;
    /// Row ids, versions and department keys.
    uint64_t keys;
} RawChecksum;

RawRows *raw_rows_create(int64_t capacity);
void raw_rows_free(RawRows *rows);
/// Adds a row with the next id, starting at 1. Texts are copied; `note` may be null.
bool raw_rows_append(RawRows *rows, const char *name, const char *email, double salary, int64_t age,
                     bool is_active, double hired_at, int64_t department, const char *note);

/// Opens or creates the file at `path` with the pragmas that the Cambium runtime uses. The result
/// is null only if memory is exhausted. Call `raw_is_open` to check the database.
RawDatabase *raw_open(const char *path, bool foreign_keys, const char *department_table,
                      const char *employee_table, const char *id_column,
                      const char *version_column, const char *department_column);
bool raw_is_open(const RawDatabase *database);
void raw_close(RawDatabase *database);
const char *raw_error(const RawDatabase *database);
const char *raw_library_version(void);
/// The number of bytes of the heap that are in use.
int64_t raw_allocated_bytes(void);
/// The maximum memory of the process so far, or 0 if the system does not provide it.
int64_t raw_peak_resident_bytes(void);
/// Resets the maximum memory, if the system supports it.
void raw_forget_peak_resident_bytes(void);
bool raw_execute(RawDatabase *database, const char *sql);
/// Returns the rows of a query as text, one line for each row, with tabs between the columns. The
/// result is null if the query fails. Free it with `free`.
char *raw_text(RawDatabase *database, const char *sql);
/// Waits for a running checkpoint and completes it, like the end of a large commit.
bool raw_checkpoint(RawDatabase *database);
/// Inserts departments 1 to `count`, with the names "Department 1" and so on.
bool raw_insert_departments(RawDatabase *database, int64_t count);

/// W1, W9: inserts all rows in one transaction.
bool raw_insert(RawDatabase *database, const RawRows *rows);
/// W2: reads every column of every row.
bool raw_scan(RawDatabase *database, RawChecksum *checksum);
/// W3: the first `limit` rows by name with `salary > floor AND age < ceiling`.
bool raw_filter(RawDatabase *database, double floor, int64_t ceiling, int64_t limit,
                RawChecksum *checksum);
/// W4: one look-up per id, every column read, in one read transaction.
bool raw_look_up(RawDatabase *database, const int64_t *ids, int64_t count, RawChecksum *checksum);
/// W5: increases every salary by 1, one row at a time, if the row still has `version`.
bool raw_update(RawDatabase *database, const RawRows *rows, int64_t version);
/// W6: deletes all rows, one at a time, in one transaction.
bool raw_delete(RawDatabase *database, const RawRows *rows);
/// W7: one query per department 1 to `count`. A department's values are weighted by its number.
bool raw_traverse(RawDatabase *database, int64_t count, RawChecksum *checksum);
/// W8: counts the rows with `salary > floor AND age < ceiling`.
bool raw_count(RawDatabase *database, double floor, int64_t ceiling, int64_t *count);
/// W10: renames one row, commits, and reads `isActive = 1 ORDER BY name` again.
bool raw_rename_and_refetch(RawDatabase *database, int64_t id, const char *name,
                            RawChecksum *checksum);

#endif
