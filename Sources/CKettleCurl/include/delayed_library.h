// Shared libraries that are loaded when a function of theirs is called for the first time.
//
// The program has the service and the commands in it, and only the service needs a network and
// digests. What it needs for them are thirty shared libraries, libcurl's own included, and to load
// those takes as long as all else that a command does before it begins.
//
// A file that is linked in place of such a library defines each function that is used of it, under
// its own name and with the library's header included: when the two differ, it does not compile.
#ifndef KETTLE_DELAYED_LIBRARY_H
#define KETTLE_DELAYED_LIBRARY_H

#include <stdatomic.h>
#include <stddef.h>

struct kettle_delayed_library {
  /// As the dynamic loader looks for it (ld.so(8)).
  const char *name;
  _Atomic(void *) handle;
};

/// The file of a library with this version of its binary interface.
#define KETTLE_LIBRARY_FILE(library, version) library ".so." KETTLE_LIBRARY_TEXT(version)
#define KETTLE_LIBRARY_TEXT(words) #words

/// Loads it, unless it is there. NULL, or why it cannot be loaded, as dlerror(3) says it.
const char *kettle_delayed_problem(struct kettle_delayed_library *library);

/// Never answers NULL: a program that calls what is not there ends, as it would not even have begun
/// with the library linked to it. Who can say it better asks for the problem first.
void *kettle_delayed_find(
    struct kettle_delayed_library *library, const char *name, _Atomic(void *) *place);

/// The function of this name, with the type that its header gives it.
#define KETTLE_DELAYED_FUNCTION(library, name)                                             \
  ({                                                                                       \
    static _Atomic(void *) place;                                                          \
    void *found = atomic_load_explicit(&place, memory_order_acquire);                      \
    (__typeof__(&name))(found ? found : kettle_delayed_find(&(library), #name, &place));   \
  })

/// Defines a function that calls the library's: its type, name and parameters, and with what.
#define KETTLE_DELAYED(library, type, name, parameters, ...)                               \
  type name parameters { return KETTLE_DELAYED_FUNCTION(library, name)(__VA_ARGS__); }

#endif
