import Glibc
import KettleSystem

/// The exclusive right to be the service of a state directory.
///
/// The lock is flock(2) on a file that is never deleted. The kernel releases it however the process
/// ends, so there is no stale lock, and no process id that another process could have by then.
///
/// The file contains a `ServiceRecord`. Commands that run without `XDG_RUNTIME_DIR`, from cron for
/// example, find the socket through it.
package final class ServiceLock: Sendable {
  package let path: String
  private let file: OwnedDescriptor

  private init(path: String, file: consuming OwnedDescriptor) {
    self.path = path
    self.file = file
  }

  /// Acquires the lock. Returns nil when another service holds it.
  package static func acquire(at path: String) throws(ControlSocketError) -> ServiceLock? {
    try PrivateDirectory.make(SystemCall.parent(of: path))
    while true {
      let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
      guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else {
        throw failure("open", path)
      }
      let lock = ServiceLock(path: path, file: file)
      guard SystemCall.retrying({ flock(lock.file.number, LOCK_EX | LOCK_NB) }) == 0 else {
        if errno == EWOULDBLOCK { return nil }
        throw failure("flock", path)
      }
      // Between open and flock the file may have been deleted and recreated by another service,
      // which then holds the lock on the current file.
      if lock.isFile(at: path) { return lock }
    }
  }

  /// Replaces the record of the service that held the lock before.
  package func record(_ record: ServiceRecord) throws(ControlSocketError) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw Self.failure("fstat", path) }
    try write(record.text(in: FileNumber(status)))
  }

  /// Removes the record of the service that held the lock before: until this one listens, nobody
  /// does.
  package func eraseRecord() throws(ControlSocketError) { try write("") }

  private func write(_ text: String) throws(ControlSocketError) {
    let bytes = Array(text.utf8)
    guard ftruncate(file.number, 0) == 0,
      pwrite(file.number, bytes, bytes.count, 0) == bytes.count
    else { throw Self.failure("write", path) }
  }

  private func isFile(at path: String) -> Bool {
    var own = stat()
    guard fstat(file.number, &own) == 0, let named = SystemCall.status(ofName: path) else {
      return false
    }
    return FileNumber(own) == FileNumber(named)
  }

  private static func failure(_ call: String, _ path: String) -> ControlSocketError {
    .system(call: call, path: path, code: errno)
  }
}
