// The decoder of brotli. Loaded on first use (delayed_library.h).
#ifndef KETTLE_BROTLI_DECODER_H
#define KETTLE_BROTLI_DECODER_H

#include <brotli/decode.h>

/// Returns NULL, or why the library cannot be loaded.
const char *kettle_brotli_problem(void);

#endif
