// Stands in for brotli's decoder: every function of it that is used.
#include "delayed_library.h"
#include "brotli_decoder.h"

// Visible to this program only: libcurl uses the library itself.
#pragma GCC visibility push(hidden)

// The version of the binary interface, unchanged since 1.0.
static struct kettle_delayed_library brotli = {.name = "libbrotlidec.so.1"};

const char *kettle_brotli_problem(void) { return kettle_delayed_problem(&brotli); }

#define DELAYED(type, name, parameters, ...) \
  KETTLE_DELAYED(brotli, type, name, parameters, __VA_ARGS__)

DELAYED(BrotliDecoderState *, BrotliDecoderCreateInstance,
        (brotli_alloc_func allocate, brotli_free_func release, void *opaque),
        allocate, release, opaque)
DELAYED(BrotliDecoderResult, BrotliDecoderDecompressStream,
        (BrotliDecoderState *state, size_t *available_in, const uint8_t **next_in,
         size_t *available_out, uint8_t **next_out, size_t *total_out),
        state, available_in, next_in, available_out, next_out, total_out)
DELAYED(void, BrotliDecoderDestroyInstance, (BrotliDecoderState *state), state)
