import Glibc
import KettleSystem

/// An error number of the kernel (errno(3)).
package struct Errno: Error, RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The error of the last call on this thread. Read it before any other call.
  static var current: Errno { Errno(rawValue: errno) }

  /// The name in errno(3), which people search for, or the number when this table lacks it.
  package var name: String { Self.names[rawValue] ?? "errno \(rawValue)" }

  /// The errors that file calls return.
  private static let names: [Int32: String] = [
    E2BIG: "E2BIG", EACCES: "EACCES", EAGAIN: "EAGAIN", EBADF: "EBADF", EBUSY: "EBUSY",
    EDQUOT: "EDQUOT",
    EEXIST: "EEXIST", EFAULT: "EFAULT", EFBIG: "EFBIG", EINTR: "EINTR", EINVAL: "EINVAL",
    EILSEQ: "EILSEQ", EIO: "EIO", EISDIR: "EISDIR", ELOOP: "ELOOP", EMFILE: "EMFILE",
    EMLINK: "EMLINK",
    ENAMETOOLONG: "ENAMETOOLONG", ENFILE: "ENFILE", ENODEV: "ENODEV", ENOENT: "ENOENT",
    ENOEXEC: "ENOEXEC",
    ENOMEM: "ENOMEM", ENOSPC: "ENOSPC", ENOSYS: "ENOSYS", ENOTCONN: "ENOTCONN",
    ENOTDIR: "ENOTDIR", ENOTEMPTY: "ENOTEMPTY", ENXIO: "ENXIO", EOPNOTSUPP: "EOPNOTSUPP",
    EOVERFLOW: "EOVERFLOW", EPERM: "EPERM", EROFS: "EROFS", ESPIPE: "ESPIPE", ESTALE: "ESTALE",
    ETIMEDOUT: "ETIMEDOUT", ETXTBSY: "ETXTBSY", EXDEV: "EXDEV",
  ]

  /// See `SystemError.mayMeanUnsupported`.
  var mayMeanUnsupported: Bool { SystemError(rawValue).mayMeanUnsupported }

  /// Repeats a call while a signal interrupts it, and returns its result.
  ///
  /// - Parameter call: returns -1 and sets errno on failure.
  static func retrying<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
      let result = call()
      if result != -1 { return result }
      let error = Errno.current
      if error.rawValue != EINTR { throw error }
    }
  }
}
