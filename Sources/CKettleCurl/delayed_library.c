#define _GNU_SOURCE
#include "delayed_library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const char *kettle_delayed_problem(struct kettle_delayed_library *library) {
  if (atomic_load_explicit(&library->handle, memory_order_acquire)) return NULL;
  // Two threads get the same handle, which is never closed.
  void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
  atomic_store_explicit(&library->handle, handle, memory_order_release);
  return NULL;
}

void *kettle_delayed_find(
    struct kettle_delayed_library *library, const char *name, _Atomic(void *) *place) {
  const char *problem = kettle_delayed_problem(library);
  void *function = problem ? NULL : dlsym(library->handle, name);
  if (!function) {
    fprintf(stderr, "kettle: %s\n", problem ? problem : dlerror());
    abort();
  }
  atomic_store_explicit(place, function, memory_order_release);
  return function;
}
