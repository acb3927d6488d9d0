/// The work of PostgresBenchmarks, written by hand on libpq with binary formats and prepared
/// statements. It keeps no rows. It runs on the tables that Cambium has created.
///
/// Functions that can fail return false; `raw_server_error` then has the reason.
#ifndef RAW_POSTGRES_H
#define RAW_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The rows that are inserted. Each list has `count` values.
typedef struct RawPeople {
    int64_t count;
    /// The key of the first row; the others follow.
    int64_t first_key;
    const char *const *name;
    const char *const *email;
    /// Null if there is no value.
    const char *const *note;
    const double *salary;
    const int32_t *age;
    const int64_t *level;
    const int64_t *points;
    const bool *is_active;
    /// Microseconds since 2000.
    const int64_t *hired_at;
    /// 16 bytes each.
    const uint8_t *code;
    const int64_t *department;
} RawPeople;

/// The sums of the values that were read. Sums wrap around.
typedef struct RawSum {
    int64_t rows;
    uint64_t values;
} RawSum;

typedef struct RawServer RawServer;

/// Connects. The result is null only if memory is exhausted. Call `raw_server_is_open` to check the
/// connection.
RawServer *raw_server_open(const char *url, const char *table);
bool raw_server_is_open(const RawServer *server);
void raw_server_close(RawServer *server);
const char *raw_server_error(const RawServer *server);

bool raw_server_execute(RawServer *server, const char *sql);
/// Lists the server's processes that serve clients.
size_t raw_server_backends(RawServer *server, int32_t *processes, size_t room);
/// Inserts rows by COPY in binary format, in one transaction.
bool raw_server_copy(RawServer *server, const RawPeople *people);
/// Sets the salaries of rows with version 1, with one UPDATE over arrays.
bool raw_server_update(RawServer *server, int64_t count, const int64_t *keys, const double *salaries);
/// Reads every column of all rows.
bool raw_server_fetch(RawServer *server, RawSum *sum);
/// Reads rows one by one with a prepared statement.
bool raw_server_read(RawServer *server, int64_t count, const int64_t *keys, RawSum *sum);

#endif
