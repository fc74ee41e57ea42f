// The variadic calls of SQLite that Swift cannot make.
#ifndef KETTLE_CSQLITE_H
#define KETTLE_CSQLITE_H

#include <sqlite3.h>

/// Lets the connection close without a checkpoint (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
/// sqlite.org/c3ref/c_dbconfig_defensive.html). Returns an SQLite result code.
static inline int kettle_sqlite_forgo_checkpoint(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
