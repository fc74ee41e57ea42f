import CKettleLinux
import Glibc

/// The address space that this process may use (RLIMIT_AS of setrlimit(2), `ulimit -v`).
package enum AddressSpace {
  /// nil: no limit.
  package static var limitByteCount: UInt64? { limit(RLIMIT_AS) }

  /// The default stack size of a thread (pthread_create(3), "Notes").
  package static var threadStackByteCount: UInt64 { limit(RLIMIT_STACK) ?? 2 << 20 }

  /// Returns whether `byteCount` more bytes can be mapped.
  package static func hasRoom(for byteCount: UInt64) -> Bool {
    guard let count = Int(exactly: byteCount) else { return false }
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let start = mmap(nil, count, PROT_NONE, flags, -1, 0), start != MAP_FAILED else {
      return false
    }
    munmap(start, count)
    return true
  }

  /// Makes all threads share one heap, because malloc(3) would reserve 64 MiB for each of several.
  package static func shareHeap() { mallopt(M_ARENA_MAX, 1) }

  /// Bounds the free memory at the end of each heap. malloc(3) raises that limit with the largest
  /// block that was ever freed, to 64 MiB for each of many heaps, and malloc_trim(3) returns it for
  /// one of them only. Large blocks still come from a heap, because a mapping of its own for each
  /// costs page faults (mallopt(3)).
  package static func boundUnusedHeap() {
    mallopt(M_TRIM_THRESHOLD, 1 << 20)
    mallopt(M_MMAP_THRESHOLD, 32 << 20)
  }

  private static func limit(_ resource: __rlimit_resource) -> UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0,
      limit.rlim_cur != UInt64.max
    else { return nil }
    return UInt64(limit.rlim_cur)
  }
}
