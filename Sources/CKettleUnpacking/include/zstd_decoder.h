// The decoder of zstd. Loaded on first use (delayed_library.h).
#ifndef KETTLE_ZSTD_DECODER_H
#define KETTLE_ZSTD_DECODER_H

#include <zstd.h>

/// Returns NULL, or why the library cannot be loaded.
const char *kettle_zstd_problem(void);

#endif
