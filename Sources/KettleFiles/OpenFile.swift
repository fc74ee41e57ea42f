import CKettleLinux
import Glibc
import KettleModel
import KettleSystem

/// An open file, closed with the last reference.
///
/// The result of close(2) does not matter: everything important was synced before.
final class OpenFile: Sendable {
  private let owner: OwnedDescriptor
  var descriptor: Int32 { owner.number }
  let calls: FileCalls

  init(owning descriptor: Int32, calls: FileCalls = .kernel) {
    owner = OwnedDescriptor(owning: descriptor)
    self.calls = calls
  }

  func status() throws(Errno) -> FileStatus {
    var status = stat()
    _ = try Errno.retrying { calls.status(descriptor, &status) }
    return FileStatus(status)
  }

  /// Whether its inode number lasts.
  var inodeNumbers: InodeNumbers { InodeNumbers(kind: calls.fileSystemKind(descriptor)) }

  /// Writes all bytes, also when the kernel accepts only part of them per call.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    var rest = bytes
    var position = offset
    while !rest.isEmpty {
      let count = try Errno.retrying { calls.write(descriptor, rest, off_t(position)) }
      // A write of zero bytes is an error without a number; retrying would never end.
      guard count > 0 else { throw Errno(rawValue: EIO) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      position += Int64(count)
    }
  }

  /// Fills the buffer, also when the kernel returns only part per call. Returns false when the file
  /// ends before.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Bool {
    var rest = buffer
    var position = offset
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = try Errno.retrying { calls.read(descriptor, start, rest.count, off_t(position)) }
      guard count > 0 else { return false }
      rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(count))
      position += Int64(count)
    }
    return true
  }

  func truncate(to byteCount: Int64) throws(Errno) {
    _ = try Errno.retrying { calls.truncate(descriptor, off_t(byteCount)) }
  }

  /// Returns whether some of the first bytes were never written. An unknown file system may turn
  /// written zeros into holes, so a hole proves nothing there.
  func hasHole(inFirst byteCount: Int64) -> Bool {
    guard FileSystemKind(of: self) != nil else { return false }
    let hole = Int64(calls.firstHole(descriptor))
    return hole >= 0 && hole < byteCount
  }

  /// Syncs the data and the metadata needed to find it.
  func syncData() throws(Errno) {
    _ = try Errno.retrying { calls.syncData(descriptor) }
  }

  /// Syncs everything; for a directory, its entries.
  func syncAll() throws(Errno) {
    _ = try Errno.retrying { calls.syncAll(descriptor) }
  }

  /// UTIME_OMIT, a macro that Swift does not import (sys/stat.h).
  private static let omitted = (1 << 30) - 2

  /// Sets the modification time and leaves the time of the last access (futimens(3)).
  func setModified(_ time: WallTime) throws(Errno) {
    let nanoseconds = time.millisecondsSince1970.multipliedReportingOverflow(by: 1_000_000)
    try setModified(
      nanoseconds: nanoseconds.overflow
        ? (time.millisecondsSince1970 < 0 ? .min : .max) : nanoseconds.partialValue)
  }

  /// The same for a time in nanoseconds since 1970.
  func setModified(nanoseconds: Int64) throws(Errno) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let isBefore = rest < 0
    let times = [
      timespec(tv_sec: 0, tv_nsec: Self.omitted),
      timespec(
        tv_sec: Int(isBefore ? seconds - 1 : seconds),
        tv_nsec: Int(isBefore ? rest + 1_000_000_000 : rest)),
    ]
    _ = try Errno.retrying { futimens(descriptor, times) }
  }

  func setPermissions(_ permissions: mode_t) throws(Errno) {
    _ = try Errno.retrying { fchmod(descriptor, permissions) }
  }
}

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
