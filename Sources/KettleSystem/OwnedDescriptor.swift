import Glibc

/// An open file descriptor with exactly one owner.
///
/// The descriptor is closed once, when the value's lifetime ends. The type cannot be copied, so the
/// compiler rejects a second owner, and an initializer that throws after it has stored the value
/// closes the descriptor once as well.
///
/// The number is never 0, 1 or 2, even in a program that closed its standard descriptors: what such
/// a program prints must not reach a socket or a file of ours.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The number to pass to system calls, valid for the owner's lifetime.
  package let number: Int32

  /// Takes ownership of `number`, which must be open and have no other owner. If no number above
  /// the standard ones is left, the descriptor is closed and the owner's number is -1, with which
  /// every call fails.
  package init(owning number: Int32) { self.number = Self.aboveStandardOnes(number) }

  /// Takes ownership of the result of a call such as open(2) or socket(2). Returns nil when the
  /// call failed; `errno` still has the reason then.
  package init?(opened result: Int32) {
    let moved = Self.aboveStandardOnes(result)
    guard moved >= 0 else { return nil }
    number = moved
  }

  /// Moves an open descriptor to a number that no standard descriptor has. Returns -1 with `errno`
  /// set when there is none.
  private static func aboveStandardOnes(_ number: Int32) -> Int32 {
    guard (0..<StandardDescriptors.count).contains(number) else { return number }
    let moved = fcntl(number, F_DUPFD_CLOEXEC, StandardDescriptors.count)
    let problem = errno
    _ = Glibc.close(number)
    errno = problem
    return moved
  }

  deinit {
    // Linux releases the number even when close(2) reports an error, so a retry could close a
    // descriptor that another thread has just opened.
    _ = Glibc.close(number)
  }

  /// Transfers ownership to the caller, which must close the returned number.
  package consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}

/// A descriptor shared by several closures or threads, closed with the last reference.
package final class SharedDescriptor: Sendable {
  private let owner: OwnedDescriptor
  package var number: Int32 { owner.number }

  package init(_ owner: consuming OwnedDescriptor) { self.owner = owner }
}

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

/// An error of a system call: a value of errno(3).
package struct SystemError: Error, Hashable, Sendable {
  package let code: Int32

  package init(_ code: Int32) { self.code = code }

  /// The system's message for the error (strerror_r(3)).
  package var message: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
