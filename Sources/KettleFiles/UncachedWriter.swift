import Glibc
import KettleSystem

/// Writes whole pages past the page cache (O_DIRECT, open(2)).
///
/// What a transfer brings is synced every few MiB and not read again, so a copy of it in the
/// kernel's memory would only push out what others need there; to make that copy and write it back
/// costs more CPU time than everything else about a download. Where it cannot be done, the caller
/// writes as everybody does.
final class UncachedWriter: Sendable {
  /// Of addresses, offsets and lengths; a device that wants more refuses, and is left alone.
  static let alignment = 4096
  /// Less is not worth a call of its own.
  static let byteCountMin = 64 << 10

  private enum Way: Sendable {
    case untried
    case open(OpenFile)
    /// For good: the file system or the device does not do it, or the file is read back soon.
    case refused
  }

  private let way = Mutex(Way.untried)

  /// The bytes will be read again soon: they are better kept in memory.
  func refuse() { way.withLock { $0 = .refused } }

  /// The part of `bytes` that can be written so; nil when it is too small.
  static func part(of bytes: UnsafeRawBufferPointer, at offset: Int64) -> Range<Int>? {
    guard let start = bytes.baseAddress, offset >= 0 else { return nil }
    let head = (alignment - Int(offset % Int64(alignment))) % alignment
    guard (UInt(bitPattern: start) &+ UInt(head)) % UInt(alignment) == 0, bytes.count > head else {
      return nil
    }
    let length = (bytes.count - head) / alignment * alignment
    return length >= byteCountMin ? head..<(head + length) : nil
  }

  /// Whether each of the pieces, which come one behind the other, is such a part as a whole.
  static func areParts(_ pieces: [UnsafeRawBufferPointer], at offset: Int64) -> Bool {
    pieces.allSatisfy { piece in
      // With whole pages the next one begins where a page does, as this one.
      part(of: piece, at: offset % Int64(alignment)) == 0..<piece.count
    }
  }

  /// Writes pieces that are such parts, one behind the other. False when it cannot be done; what
  /// was written until then may be written again.
  func write(
    _ pieces: [UnsafeRawBufferPointer], at offset: Int64, of file: OpenFile
  ) throws(Errno) -> Bool {
    guard let uncached = uncached(file) else { return false }
    do {
      try uncached.write(pieces, at: offset)
      return true
    } catch {
      guard error.rawValue == EINVAL || error.rawValue == EOPNOTSUPP else { throw error }
      refuse()
      return false
    }
  }

  /// Whether large writes go past the page cache, as far as is known. Waits for nobody: who opens
  /// the file may wait for a disk.
  var isExpectedToWork: Bool {
    way.withLockIfAvailable { way in
      switch way {
      case .untried, .open: true
      case .refused: false
      }
    } ?? true
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

  /// Other file systems may know the flag and mean something else by it, as a network file system
  /// whose every write then waits for the server.
  private static func open(_ file: OpenFile) -> OpenFile? {
    switch FileSystemKind(of: file) {
    case .ext4, .xfs, .btrfs: break
    case .tmpfs, nil: return nil
    }
    // The name without underscores is for _GNU_SOURCE, which Swift's Glibc is not read with.
    let flags = O_WRONLY | O_CLOEXEC | __O_DIRECT
    let descriptor = Glibc.open("/proc/self/fd/\(file.descriptor)", flags)
    guard descriptor >= 0 else { return nil }
    let uncached = OpenFile(owning: descriptor, calls: file.calls)
    // Descriptors that are scarce are for connections and files.
    return Int(descriptor) < Int(getdtablesize()) / 2 ? uncached : nil
  }
}
