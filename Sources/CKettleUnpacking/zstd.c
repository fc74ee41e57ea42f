// Stands in for zstd: every function of it that is used. The header exports them by default. These
// macros hide them; older versions of zstd read the second one.
#define ZSTDLIB_VISIBLE __attribute__((visibility("hidden")))
#define ZSTDLIB_VISIBILITY __attribute__((visibility("hidden")))
#include "delayed_library.h"
#include "zstd_decoder.h"

// Visible to this program only: libcurl uses the library itself.
#pragma GCC visibility push(hidden)

// The version of the binary interface, unchanged since 1.0.
static struct kettle_delayed_library zstd = {.name = "libzstd.so.1"};

const char *kettle_zstd_problem(void) { return kettle_delayed_problem(&zstd); }

#define DELAYED(type, name, parameters, ...) \
  KETTLE_DELAYED(zstd, type, name, parameters, __VA_ARGS__)

DELAYED(ZSTD_DStream *, ZSTD_createDStream, (void))
DELAYED(size_t, ZSTD_freeDStream, (ZSTD_DStream *stream), stream)
DELAYED(size_t, ZSTD_decompressStream,
        (ZSTD_DStream *stream, ZSTD_outBuffer *output, ZSTD_inBuffer *input),
        stream, output, input)
DELAYED(unsigned, ZSTD_isError, (size_t code), code)
