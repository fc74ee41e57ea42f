import Glibc

/// The descriptors 0, 1 and 2 of this process.
///
/// A program may be started with some of them closed (`>&-`). The next file or socket that it opens
/// then gets the number, and text for people flows into it.
package enum StandardDescriptors {
  /// The number of standard descriptors, which is also the first number that is none.
  package static let count: Int32 = 3

  /// Opens /dev/null for each of the three that is closed. Call it before anything opens a file.
  ///
  /// Each is opened the wrong way round, so that its use still fails with EBADF: a command whose
  /// output is closed must not report success.
  package static func occupy() {
    for number in 0..<count where fcntl(number, F_GETFD) == -1 {
      // The lowest free number is this one, because those below are open by now (open(2)).
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
