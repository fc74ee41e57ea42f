// XXH3-128 of xxHash. Loaded on first use (delayed_library.h).
#ifndef KETTLE_LIBXXHASH_H
#define KETTLE_LIBXXHASH_H

#include <xxhash.h>

/// Returns NULL, or why the library cannot be loaded.
const char *kettle_xxhash_problem(void);

#endif
