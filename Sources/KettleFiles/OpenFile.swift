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
    let milliseconds = time.millisecondsSince1970
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let isBefore = rest < 0
    let times = [
      timespec(tv_sec: 0, tv_nsec: Self.omitted),
      timespec(
        tv_sec: Int(isBefore ? seconds - 1 : seconds),
        tv_nsec: Int(isBefore ? rest + 1000 : rest) * 1_000_000),
    ]
    _ = try Errno.retrying { futimens(descriptor, times) }
  }

  func setPermissions(_ permissions: mode_t) throws(Errno) {
    _ = try Errno.retrying { fchmod(descriptor, permissions) }
  }
}
