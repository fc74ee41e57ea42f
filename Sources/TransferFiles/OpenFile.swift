import Glibc

/// Owns a file descriptor and closes it when the last reference goes.
final class OpenFile: Sendable {
  let descriptor: Int32

  init(owning descriptor: Int32) { self.descriptor = descriptor }

  // What close(2) answers is not looked at: everything that counts was synced before, and after
  // EINTR the descriptor is closed all the same.
  deinit { close(descriptor) }

  func status() throws(Errno) -> FileStatus {
    var status = stat()
    _ = try Errno.retrying { fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Writes all of it, whatever the kernel takes at once.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    var rest = bytes
    var position = offset
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = try Errno.retrying { pwrite(descriptor, start, rest.count, off_t(position)) }
      // Writing nothing of something is an error without a name; going on would never end.
      guard count > 0 else { throw Errno(rawValue: EIO) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      position += Int64(count)
    }
  }

  /// Fills the buffer from the current position; answers how much came, 0 at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try Errno.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  func truncate(to byteCount: Int64) throws(Errno) {
    _ = try Errno.retrying { ftruncate(descriptor, off_t(byteCount)) }
  }

  /// Puts the bytes and what is needed to find them on the disk.
  func syncData() throws(Errno) {
    _ = try Errno.retrying { fdatasync(descriptor) }
  }

  /// Puts everything on the disk; for a directory that is its entries.
  func syncAll() throws(Errno) {
    _ = try Errno.retrying { fsync(descriptor) }
  }

  func setPermissions(_ permissions: mode_t) throws(Errno) {
    _ = try Errno.retrying { fchmod(descriptor, permissions) }
  }
}
