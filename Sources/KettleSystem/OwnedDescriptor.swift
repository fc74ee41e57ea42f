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
