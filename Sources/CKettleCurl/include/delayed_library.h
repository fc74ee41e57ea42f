// Shared libraries that are loaded when one of their functions is called for the first time.
//
// The program contains the service and the commands, and only the service needs a network and
// digests. They require thirty shared libraries, libcurl's own dependencies included, and loading
// those takes as long as the rest of a command's start.
//
// A file linked in place of such a library defines each function that is used, under its own name
// and with the library's header included, so a mismatch does not compile.
#ifndef KETTLE_DELAYED_LIBRARY_H
#define KETTLE_DELAYED_LIBRARY_H

#include <stdatomic.h>
#include <stddef.h>

struct kettle_delayed_library {
  /// The name for the dynamic loader (ld.so(8)).
  const char *name;
  _Atomic(void *) handle;
};

/// The file name of a library with this version of its binary interface.
#define KETTLE_LIBRARY_FILE(library, version) library ".so." KETTLE_LIBRARY_TEXT(version)
#define KETTLE_LIBRARY_TEXT(words) #words

/// Loads the library unless it is loaded. Returns NULL, or the dlerror(3) text.
const char *kettle_delayed_problem(struct kettle_delayed_library *library);

/// Never returns NULL: a call to a missing function ends the program, which could not even have
/// started with the library linked. To report it better, check `kettle_delayed_problem` first.
void *kettle_delayed_find(
    struct kettle_delayed_library *library, const char *name, _Atomic(void *) *place);

/// The function of this name, with the type from its header.
#define KETTLE_DELAYED_FUNCTION(library, name)                                             \
  ({                                                                                       \
    static _Atomic(void *) place;                                                          \
    void *found = atomic_load_explicit(&place, memory_order_acquire);                      \
    (__typeof__(&name))(found ? found : kettle_delayed_find(&(library), #name, &place));   \
  })

/// Defines a function that calls the library's, from its type, name, parameters and arguments.
#define KETTLE_DELAYED(library, type, name, parameters, ...)                               \
  type name parameters { return KETTLE_DELAYED_FUNCTION(library, name)(__VA_ARGS__); }

#endif
