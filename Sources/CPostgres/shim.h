// The system's libpq for Swift. Only `CambiumPostgresStore` imports this module.
#ifndef CAMBIUM_CPOSTGRES_SHIM_H
#define CAMBIUM_CPOSTGRES_SHIM_H

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>

// The constants PG_DIAG_… are characters in C. Swift does not import them as integers.
static inline int cambium_diag_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int cambium_diag_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
static inline int cambium_diag_table(void) { return PG_DIAG_TABLE_NAME; }
static inline int cambium_diag_column(void) { return PG_DIAG_COLUMN_NAME; }
static inline int cambium_diag_constraint(void) { return PG_DIAG_CONSTRAINT_NAME; }
static inline int cambium_diag_source_function(void) { return PG_DIAG_SOURCE_FUNCTION; }

// Waits until the socket can be read, or also until it can be written if this is requested. Returns
// 0 after the given milliseconds, or if a signal arrived.
static inline int cambium_wait(int socket, int writes, int milliseconds) {
    struct pollfd entry = {socket, (short)(POLLIN | (writes ? POLLOUT : 0)), 0};
    int ready = poll(&entry, 1, milliseconds);
    return ready < 0 && errno == EINTR ? 0 : ready;
}

// Prevents notices from being printed to standard error.
static inline void cambium_ignore_notice(void *context, const PGresult *notice) {
    (void)context;
    (void)notice;
}

static inline void cambium_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, cambium_ignore_notice, (void *)0);
}

#endif
