import CKettleLinux
import Glibc
import KettleModel

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

/// The code of the program and its libraries in memory.
extension AddressSpace {
  private static let mapsByteCountMax = 1 << 20

  /// Gives back the pages of code, most of which only the start needed. The kernel maps a page
  /// again when it is used (madvise(2), MADV_DONTNEED).
  package static func returnCode() {
    guard
      case .bytes(let text) = FileContents.read(
        path: "/proc/self/smaps", byteCountMax: mapsByteCountMax)
    else { return }
    for range in unmodifiedCode(in: String(decoding: text, as: UTF8.self)) {
      madvise(
        UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
    }
  }

  /// Returns the addresses of executable mappings of files without any page of their own: a page
  /// that differs from its file would be lost.
  ///
  /// - Parameter maps: the text of proc_pid_smaps(5).
  static func unmodifiedCode(in maps: String) -> [Range<UInt>] {
    var found: [Range<UInt>] = []
    var candidate: Range<UInt>?
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let first = words.first else { continue }
      if first.hasSuffix(":") {
        guard first == "Anonymous:", let range = candidate else { continue }
        if words.dropFirst().first == "0" { found.append(range) }
        candidate = nil
      } else {
        candidate = code(words)
      }
    }
    return found
  }

  /// Returns the addresses of a mapping: those, its permissions, the offset, the device, and the
  /// inode, which is 0 without a file.
  private static func code(_ words: [Substring]) -> Range<UInt>? {
    guard words.count >= 6, words[1] == "r-xp", words[4] != "0" else { return nil }
    let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
    return bounds[0]..<bounds[1]
  }
}
