#include "RawPostgres.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The used declarations of libpq, because the folder of its header depends on the system.
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
PGconn *PQconnectdb(const char *);
int PQstatus(const PGconn *);
void PQfinish(PGconn *);
char *PQerrorMessage(const PGconn *);
PGresult *PQexec(PGconn *, const char *);
PGresult *PQexecParams(PGconn *, const char *, int, const unsigned *, const char *const *, const int *,
                       const int *, int);
PGresult *PQprepare(PGconn *, const char *, const char *, int, const unsigned *);
PGresult *PQexecPrepared(PGconn *, const char *, int, const char *const *, const int *, const int *, int);
int PQresultStatus(const PGresult *);
PGresult *PQgetResult(PGconn *);
void PQclear(PGresult *);
int PQputCopyData(PGconn *, const char *, int);
int PQputCopyEnd(PGconn *, const char *);
int PQntuples(const PGresult *);
int PQnfields(const PGresult *);
char *PQgetvalue(const PGresult *, int, int);
int PQgetlength(const PGresult *, int, int);
int PQgetisnull(const PGresult *, int, int);
char *PQcmdTuples(PGresult *);
enum { CONNECTION_OK = 0, PGRES_COMMAND_OK = 1, PGRES_TUPLES_OK = 2, PGRES_COPY_IN = 4 };

struct RawServer {
    PGconn *connection;
    const char *table;
    bool is_prepared;
    char text[512];
};

#define COLUMNS                                                                                       \
    "\"name\", \"email\", \"note\", \"salary\", \"age\", \"level\", \"points\", \"isActive\", "         \
    "\"hiredAt\", \"code\", \"department\""

RawServer *raw_server_open(const char *url, const char *table)
{
    RawServer *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->connection = PQconnectdb(url);
    server->table = strdup(table);
    // The notices of DROP … CASCADE are not printed.
    if (raw_server_is_open(server)) raw_server_execute(server, "SET client_min_messages = warning");
    return server;
}

bool raw_server_is_open(const RawServer *server) { return PQstatus(server->connection) == CONNECTION_OK; }

void raw_server_close(RawServer *server)
{
    PQfinish(server->connection);
    free((void *)server->table);
    free(server);
}

const char *raw_server_error(const RawServer *server) { return PQerrorMessage(server->connection); }

static bool has_ended(PGresult *result, int expected)
{
    bool is_right = PQresultStatus(result) == expected;
    PQclear(result);
    return is_right;
}

bool raw_server_execute(RawServer *server, const char *sql)
{
    PGresult *result = PQexec(server->connection, sql);
    int status = PQresultStatus(result);
    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

size_t raw_server_backends(RawServer *server, int32_t *processes, size_t room)
{
    PGresult *result = PQexec(server->connection, "SELECT pid FROM pg_stat_activity "
                                                  "WHERE backend_type = 'client backend'");
    size_t count = 0;
    for (int row = 0; row < PQntuples(result) && count < room; row++) {
        processes[count++] = atoi(PQgetvalue(result, row, 0));
    }
    PQclear(result);
    return count;
}

// MARK: Binary values

typedef struct Buffer {
    uint8_t *bytes;
    size_t count, room;
} Buffer;

static uint8_t *more(Buffer *buffer, size_t count)
{
    if (buffer->count + count > buffer->room) {
        buffer->room = (buffer->count + count) * 2;
        buffer->bytes = realloc(buffer->bytes, buffer->room);
        if (!buffer->bytes) abort();
    }
    uint8_t *place = buffer->bytes + buffer->count;
    buffer->count += count;
    return place;
}

static void put16(Buffer *buffer, uint16_t value)
{
    value = __builtin_bswap16(value);
    memcpy(more(buffer, 2), &value, 2);
}

static void put32(Buffer *buffer, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(more(buffer, 4), &value, 4);
}

static void put64(Buffer *buffer, uint64_t value)
{
    value = __builtin_bswap64(value);
    memcpy(more(buffer, 8), &value, 8);
}

static void put_integer(Buffer *buffer, int64_t value)
{
    put32(buffer, 8);
    put64(buffer, (uint64_t)value);
}

static void put_double(Buffer *buffer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put32(buffer, 8);
    put64(buffer, bits);
}

static void put_text(Buffer *buffer, const char *text)
{
    if (!text) {
        put32(buffer, (uint32_t)-1);
        return;
    }
    size_t length = strlen(text);
    put32(buffer, (uint32_t)length);
    memcpy(more(buffer, length), text, length);
}

static bool flush(RawServer *server, Buffer *buffer)
{
    bool is_sent = PQputCopyData(server->connection, (const char *)buffer->bytes, (int)buffer->count) == 1;
    buffer->count = 0;
    return is_sent;
}

bool raw_server_copy(RawServer *server, const RawPeople *people)
{
    if (!raw_server_execute(server, "BEGIN")) return false;
    snprintf(server->text, sizeof server->text,
             "COPY %s (\"_id\", \"_version\", " COLUMNS ") FROM STDIN (FORMAT binary)", server->table);
    if (!has_ended(PQexec(server->connection, server->text), PGRES_COPY_IN)) return false;
    Buffer buffer = {0};
    memcpy(more(&buffer, 11), "PGCOPY\n\377\r\n\0", 11);
    put32(&buffer, 0);
    put32(&buffer, 0);
    bool is_sent = true;
    for (int64_t row = 0; row < people->count && is_sent; row++) {
        put16(&buffer, 13);
        put_integer(&buffer, people->first_key + row);
        put_integer(&buffer, 1);
        put_text(&buffer, people->name[row]);
        put_text(&buffer, people->email[row]);
        put_text(&buffer, people->note[row]);
        put_double(&buffer, people->salary[row]);
        put32(&buffer, 4);
        put32(&buffer, (uint32_t)people->age[row]);
        put_integer(&buffer, people->level[row]);
        put_integer(&buffer, people->points[row]);
        put32(&buffer, 1);
        *more(&buffer, 1) = people->is_active[row];
        put_integer(&buffer, people->hired_at[row]);
        put32(&buffer, 16);
        memcpy(more(&buffer, 16), people->code + row * 16, 16);
        put_integer(&buffer, people->department[row]);
        if (buffer.count > 1 << 16) is_sent = flush(server, &buffer);
    }
    put16(&buffer, (uint16_t)-1);
    is_sent = is_sent && flush(server, &buffer) && PQputCopyEnd(server->connection, NULL) == 1;
    free(buffer.bytes);
    bool has_copied = has_ended(PQgetResult(server->connection), PGRES_COMMAND_OK);
    PQclear(PQgetResult(server->connection));
    return raw_server_execute(server, "COMMIT") && is_sent && has_copied;
}

/// The header of an array of one dimension.
static void put_array(Buffer *buffer, uint32_t element, int64_t count)
{
    put32(buffer, 1);
    put32(buffer, 0);
    put32(buffer, element);
    put32(buffer, (uint32_t)count);
    put32(buffer, 1);
}

enum { INT8_OID = 20, FLOAT8_OID = 701, INT8_ARRAY_OID = 1016, FLOAT8_ARRAY_OID = 1022 };

bool raw_server_update(RawServer *server, int64_t count, const int64_t *keys, const double *salaries)
{
    Buffer key_list = {0}, salary_list = {0};
    put_array(&key_list, INT8_OID, count);
    put_array(&salary_list, FLOAT8_OID, count);
    for (int64_t row = 0; row < count; row++) {
        put_integer(&key_list, keys[row]);
        put_double(&salary_list, salaries[row]);
    }
    snprintf(server->text, sizeof server->text,
             "UPDATE %s AS t SET \"salary\" = n.s, \"_version\" = t.\"_version\" + 1 "
             "FROM unnest($1::bigint[], $2::double precision[]) AS n(k, s) "
             "WHERE t.\"_id\" = n.k AND t.\"_version\" = 1",
             server->table);
    const unsigned types[] = {INT8_ARRAY_OID, FLOAT8_ARRAY_OID};
    const char *const values[] = {(char *)key_list.bytes, (char *)salary_list.bytes};
    const int lengths[] = {(int)key_list.count, (int)salary_list.count}, formats[] = {1, 1};
    PGresult *result =
        PQexecParams(server->connection, server->text, 2, types, values, lengths, formats, 1);
    bool is_done = PQresultStatus(result) == PGRES_COMMAND_OK && atoll(PQcmdTuples(result)) == count;
    PQclear(result);
    free(key_list.bytes);
    free(salary_list.bytes);
    return is_done;
}

// MARK: Reading

static uint64_t get64(const char *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, 8);
    return __builtin_bswap64(value);
}

static void add(RawSum *sum, const PGresult *result, int row)
{
    uint64_t values = 0;
    for (int column = 2; column < 5; column++) {
        if (!PQgetisnull(result, row, column)) {
            values += (uint64_t)PQgetlength(result, row, column)
                      + (uint8_t)*PQgetvalue(result, row, column);
        }
    }
    values += get64(PQgetvalue(result, row, 5));
    uint32_t age;
    memcpy(&age, PQgetvalue(result, row, 6), 4);
    values += __builtin_bswap32(age);
    values += get64(PQgetvalue(result, row, 7)) + get64(PQgetvalue(result, row, 8));
    values += *PQgetvalue(result, row, 9) != 0;
    values += get64(PQgetvalue(result, row, 10)) / 1000000;
    values += (uint8_t)PQgetvalue(result, row, 11)[15];
    // The department's key is read, but not added to the sum.
    if (PQgetlength(result, row, 12) == 8) sum->rows++;
    sum->values += values;
}

bool raw_server_fetch(RawServer *server, RawSum *sum)
{
    snprintf(server->text, sizeof server->text, "SELECT \"_id\", \"_version\", " COLUMNS " FROM %s",
             server->table);
    PGresult *result =
        PQexecParams(server->connection, server->text, 0, NULL, NULL, NULL, NULL, 1);
    bool is_done = PQresultStatus(result) == PGRES_TUPLES_OK;
    int count = is_done ? PQntuples(result) : 0;
    for (int row = 0; row < count; row++) add(sum, result, row);
    PQclear(result);
    return is_done;
}

bool raw_server_read(RawServer *server, int64_t count, const int64_t *keys, RawSum *sum)
{
    if (!server->is_prepared) {
        snprintf(server->text, sizeof server->text,
                 "SELECT \"_id\", \"_version\", " COLUMNS " FROM %s WHERE \"_id\" = $1", server->table);
        const unsigned types[] = {INT8_OID};
        PGresult *result = PQprepare(server->connection, "row", server->text, 1, types);
        if (!has_ended(result, PGRES_COMMAND_OK)) return false;
        server->is_prepared = true;
    }
    bool is_done = true;
    for (int64_t number = 0; number < count && is_done; number++) {
        uint64_t key = __builtin_bswap64((uint64_t)keys[number]);
        const char *const values[] = {(char *)&key};
        const int lengths[] = {8}, formats[] = {1};
        PGresult *result =
            PQexecPrepared(server->connection, "row", 1, values, lengths, formats, 1);
        is_done = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;
        if (is_done) add(sum, result, 0);
        PQclear(result);
    }
    return is_done;
}
