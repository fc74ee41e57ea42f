import Glibc

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
