// The decoder of zlib. Loaded on first use (delayed_library.h).
#ifndef KETTLE_ZLIB_DECODER_H
#define KETTLE_ZLIB_DECODER_H

#include <zlib.h>

/// Returns NULL, or why the library cannot be loaded.
const char *kettle_zlib_problem(void);

#endif
