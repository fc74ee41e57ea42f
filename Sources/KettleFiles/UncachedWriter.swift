import Glibc
import KettleSystem

/// Writes whole pages past the page cache (O_DIRECT, open(2)).
///
/// A transfer's data is synced every second and not read again, so a copy in the page cache would
/// only evict what others need there. Making that copy and writing it back costs more CPU time than
/// everything else about a download. Where O_DIRECT does not work, the caller writes normally.
final class UncachedWriter: Sendable {
  /// Alignment of addresses, offsets and lengths. A device that requires more refuses, and is
  /// written to normally.
  static let alignment = 4096
  /// Less is not worth a separate call.
  static let byteCountMin = 64 << 10

  private enum Way: Sendable {
    case untried
    case open(OpenFile)
    /// Permanent: the file system or the device does not support it, or the file is read back soon.
    case refused
  }

  private let way = Mutex(Way.untried)

  /// Stops uncached writes because the bytes will be read again soon and should stay in memory.
  func refuse() { way.withLock { $0 = .refused } }

  /// Returns the part of `bytes` that can be written uncached, or nil when it is too small.
  static func part(of bytes: UnsafeRawBufferPointer, at offset: Int64) -> Range<Int>? {
    guard let start = bytes.baseAddress, offset >= 0 else { return nil }
    let head = (alignment - Int(offset % Int64(alignment))) % alignment
    guard (UInt(bitPattern: start) &+ UInt(head)) % UInt(alignment) == 0, bytes.count > head else {
      return nil
    }
    let length = (bytes.count - head) / alignment * alignment
    return length >= byteCountMin ? head..<(head + length) : nil
  }

  /// Writes whole pages. Returns false when that is not possible; the caller may write again what
  /// was already written.
  func write(
    _ pages: UnsafeRawBufferPointer, at offset: Int64, of file: OpenFile
  ) throws(Errno) -> Bool {
    guard let uncached = uncached(file) else { return false }
    do {
      try uncached.write(pages, at: offset)
      return true
    } catch {
      guard error.mayMeanUnsupported else { throw error }
      refuse()
      return false
    }
  }

  private func uncached(_ file: OpenFile) -> OpenFile? {
    way.withLock { way in
      switch way {
      case .open(let uncached): return uncached
      case .refused: return nil
      case .untried:
        way = Self.open(file).map(Way.open) ?? .refused
        if case .open(let uncached) = way { return uncached }
        return nil
      }
    }
  }

  /// Other file systems may accept the flag with another meaning, such as a network file system
  /// whose every write then waits for the server.
  private static func open(_ file: OpenFile) -> OpenFile? {
    switch FileSystemKind(of: file) {
    case .ext4, .xfs, .btrfs: break
    case .tmpfs, nil: return nil
    }
    // The name without underscores requires _GNU_SOURCE, which Swift's Glibc does not define.
    let flags = O_WRONLY | O_CLOEXEC | __O_DIRECT
    let descriptor = Glibc.open("/proc/self/fd/\(file.descriptor)", flags)
    guard descriptor >= 0 else { return nil }
    let uncached = OpenFile(owning: descriptor, calls: file.calls)
    // When descriptors are scarce, keep them for connections and files.
    return Int(descriptor) < Int(getdtablesize()) / 2 ? uncached : nil
  }
}
