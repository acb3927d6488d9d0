/// The work of PostgresBenchmarks, written by hand on libpq: binary formats, prepared statements, nothing
/// kept. It runs on the tables that Cambium has made.
///
/// Functions that can fail return false; `raw_server_error` then says why.
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
    /// Null where there is none.
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

/// What was read. Sums wrap around.
typedef struct RawSum {
    int64_t rows;
    uint64_t values;
} RawSum;

typedef struct RawServer RawServer;

/// Connects. Never null unless memory is exhausted: ask `raw_server_is_open`.
RawServer *raw_server_open(const char *url, const char *table);
bool raw_server_is_open(const RawServer *server);
void raw_server_close(RawServer *server);
const char *raw_server_error(const RawServer *server);

bool raw_server_execute(RawServer *server, const char *sql);
/// Lists the server's processes that serve clients.
size_t raw_server_backends(RawServer *server, int32_t *processes, size_t room);
/// Inserts rows by COPY in binary format, in one transaction.
bool raw_server_copy(RawServer *server, const RawPeople *people);
/// Sets salaries, where the rows have the version 1, by one UPDATE over arrays.
bool raw_server_update(RawServer *server, int64_t count, const int64_t *keys, const double *salaries);
/// Reads all rows, and looks at every column.
bool raw_server_fetch(RawServer *server, RawSum *sum);
/// Reads rows one by one, by a prepared statement.
bool raw_server_read(RawServer *server, int64_t count, const int64_t *keys, RawSum *sum);

#endif
