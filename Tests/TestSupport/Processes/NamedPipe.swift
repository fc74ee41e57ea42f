import Foundation
import Glibc

/// The output of a program while it runs: a named pipe that `Running` uses as its output.
package final class NamedPipe: Sendable {
  package let path: String
  private let descriptor: Int32

  package init(_ path: String) throws {
    guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    // Opening the read end must not wait for a writer, but reading must.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
    guard fcntl(descriptor, F_SETFL, 0) == 0 else {
      close(descriptor)
      throw CocoaError(.fileReadUnknown)
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Blocks until the program writes more; empty when the other end is closed. Nil if nothing
  /// arrives within the budget.
  package func next(budgetMilliseconds: Int32) -> String? {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, budgetMilliseconds) == 1 else { return nil }
    return next()
  }

  /// Blocks until the program writes more; empty when the other end is closed.
  package func next() -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}
