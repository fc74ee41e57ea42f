// Stands in for libpq: every function of it that is used.
#include "delayed_library.h"
#include "libpq.h"

// Visible to this program only.
#pragma GCC visibility push(hidden)

// The version of the binary interface, unchanged since 8.0.
static struct kettle_delayed_library libpq = {.name = "libpq.so.5"};

const char *kettle_libpq_problem(void) { return kettle_delayed_problem(&libpq); }

#define DELAYED(type, name, parameters, ...) \
  KETTLE_DELAYED(libpq, type, name, parameters, __VA_ARGS__)

// Connection strings
DELAYED(PQconninfoOption *, PQconninfoParse, (const char *text, char **problem), text, problem)
DELAYED(void, PQconninfoFree, (PQconninfoOption *options), options)
DELAYED(void, PQfreemem, (void *memory), memory)

// Connections
DELAYED(PGconn *, PQconnectStartParams,
        (const char *const *keywords, const char *const *values, int expands),
        keywords, values, expands)
DELAYED(PostgresPollingStatusType, PQconnectPoll, (PGconn *connection), connection)
DELAYED(void, PQfinish, (PGconn *connection), connection)
DELAYED(ConnStatusType, PQstatus, (const PGconn *connection), connection)
DELAYED(char *, PQerrorMessage, (const PGconn *connection), connection)
DELAYED(int, PQsocket, (const PGconn *connection), connection)
DELAYED(int, PQsetnonblocking, (PGconn *connection, int on), connection, on)
DELAYED(PQnoticeReceiver, PQsetNoticeReceiver,
        (PGconn *connection, PQnoticeReceiver receiver, void *context),
        connection, receiver, context)

// Exchanges
DELAYED(int, PQsendQuery, (PGconn *connection, const char *query), connection, query)
DELAYED(int, PQsendPrepare,
        (PGconn *connection, const char *name, const char *query, int count, const Oid *types),
        connection, name, query, count, types)
DELAYED(int, PQsendQueryPrepared,
        (PGconn *connection, const char *name, int count, const char *const *values,
         const int *lengths, const int *formats, int format),
        connection, name, count, values, lengths, formats, format)
DELAYED(int, PQflush, (PGconn *connection), connection)
DELAYED(int, PQconsumeInput, (PGconn *connection), connection)
DELAYED(int, PQisBusy, (PGconn *connection), connection)
DELAYED(PGnotify *, PQnotifies, (PGconn *connection), connection)

// Results
DELAYED(PGresult *, PQgetResult, (PGconn *connection), connection)
DELAYED(ExecStatusType, PQresultStatus, (const PGresult *result), result)
DELAYED(char *, PQresultErrorField, (const PGresult *result, int field), result, field)
DELAYED(int, PQntuples, (const PGresult *result), result)
DELAYED(char *, PQgetvalue, (const PGresult *result, int row, int column), result, row, column)
DELAYED(int, PQgetlength, (const PGresult *result, int row, int column), result, row, column)
DELAYED(void, PQclear, (PGresult *result), result)
