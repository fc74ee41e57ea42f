// Stands in for zlib: every function of it that is used.
#include "delayed_library.h"
#include "zlib_decoder.h"

// Visible to this program only: other libraries use zlib itself.
#pragma GCC visibility push(hidden)

// The version of the binary interface, unchanged since 1995.
static struct kettle_delayed_library zlib = {.name = "libz.so.1"};

const char *kettle_zlib_problem(void) { return kettle_delayed_problem(&zlib); }

#define DELAYED(type, name, parameters, ...) \
  KETTLE_DELAYED(zlib, type, name, parameters, __VA_ARGS__)

DELAYED(int, inflateInit2_,
        (z_streamp stream, int window_bits, const char *version, int stream_size),
        stream, window_bits, version, stream_size)
DELAYED(int, inflate, (z_streamp stream, int flush), stream, flush)
DELAYED(int, inflateReset, (z_streamp stream), stream)
DELAYED(int, inflateEnd, (z_streamp stream), stream)
