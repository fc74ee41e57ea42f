// The client of PostgreSQL. Loaded on first use (delayed_library.h).
#ifndef KETTLE_LIBPQ_H
#define KETTLE_LIBPQ_H

// Debian has it in a folder of its own.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

/// Returns NULL, or why the library cannot be loaded.
const char *kettle_libpq_problem(void);

#endif
