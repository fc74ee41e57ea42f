import Glibc

/// An exclusive lock on a file, held for the lifetime of the value (flock(2)). The kernel releases
/// it however the process ends.
package final class FileLock: Sendable {
  private let file: OwnedDescriptor

  private static let stepMilliseconds: Int32 = 10

  /// Waits for the lock. Creates a missing file.
  ///
  /// Throws `SystemError` with EWOULDBLOCK when another holder does not release it within `budget`.
  package init(path: String, budget: Duration) throws(SystemError) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else {
      throw SystemError(errno)
    }
    self.file = file
    let deadline = ContinuousClock.now + budget
    while flock(self.file.number, LOCK_EX | LOCK_NB) != 0 {
      let problem = errno
      guard problem == EINTR || problem == EWOULDBLOCK, ContinuousClock.now < deadline else {
        throw SystemError(problem)
      }
      // The calls that wait without a limit cannot be given one.
      poll(nil, 0, Self.stepMilliseconds)
    }
  }
}
