import CLinux
import Glibc

/// Wakes a thread that waits in poll(2).
final class WakePipe: Sendable {
  /// Readable after `wake`; -1 when the system gave no pipe, and then waits are short.
  let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    guard kettle_pipe(&ends) == 0 else {
      readEnd = -1
      writeEnd = -1
      return
    }
    readEnd = ends[0]
    writeEnd = ends[1]
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func wake() {
    var byte: UInt8 = 0
    // A full pipe wakes as well.
    _ = write(writeEnd, &byte, 1)
  }

  /// Takes what made it readable.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(readEnd, &bytes, bytes.count) > 0 {}
  }

  /// Waits for `wake`, at most so long; a negative number is for ever.
  func wait(milliseconds: Int32) {
    var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, readEnd < 0 && milliseconds < 0 ? 100 : milliseconds)
    clear()
  }
}
