// Stands in for xxHash: every function of it that is used. The header exports them by default.
#define XXH_PUBLIC_API __attribute__((visibility("hidden")))
#include "delayed_library.h"
#include "libxxhash.h"
#include <dlfcn.h>

// The version of the binary interface, unchanged since 0.8.0, which fixed XXH3.
static struct kettle_delayed_library xxhash = {.name = "libxxhash.so.0"};

const char *kettle_xxhash_problem(void) { return kettle_delayed_problem(&xxhash); }

#define DELAYED(type, name, parameters, ...) \
  KETTLE_DELAYED(xxhash, type, name, parameters, __VA_ARGS__)

DELAYED(XXH3_state_t *, XXH3_createState, (void))
DELAYED(XXH_errorcode, XXH3_freeState, (XXH3_state_t *state), state)
DELAYED(XXH_errorcode, XXH3_128bits_reset, (XXH3_state_t *state), state)

// XXH3_128bits_update uses the instructions that every processor has. On x86-64 the library also has
// a function that uses those of the processor it runs on (xxh_x86dispatch.h).
void kettle_xxh3_128bits_update(XXH3_state_t *state, const void *bytes, size_t count) {
  static _Atomic(void *) place;
  void *found = atomic_load_explicit(&place, memory_order_acquire);
  if (!found && !kettle_delayed_problem(&xxhash)) {
    found = dlsym(xxhash.handle, "XXH3_128bits_update_dispatch");
    atomic_store_explicit(&place, found, memory_order_release);
  }
  if (!found) found = kettle_delayed_find(&xxhash, "XXH3_128bits_update", &place);
  ((__typeof__(&XXH3_128bits_update))found)(state, bytes, count);
}

DELAYED(XXH128_hash_t, XXH3_128bits_digest, (const XXH3_state_t *state), state)
