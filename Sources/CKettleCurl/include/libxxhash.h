// XXH3-128 of xxHash. Loaded on first use (delayed_library.h).
#ifndef KETTLE_LIBXXHASH_H
#define KETTLE_LIBXXHASH_H

#include <xxhash.h>

/// Returns NULL, or why the library cannot be loaded.
const char *kettle_xxhash_problem(void);

/// XXH3_128bits_update with the fastest instructions that the processor has.
void kettle_xxh3_128bits_update(XXH3_state_t *state, const void *bytes, size_t count);

#endif
