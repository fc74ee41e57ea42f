import CKettleLinux
import Glibc
import KettleSystem

/// Wakes a thread that waits in poll(2).
final class WakePipe: Sendable {
  private struct Ends: ~Copyable {
    let read: OwnedDescriptor
    let write: OwnedDescriptor
  }

  /// nil when the system had no descriptors left; waits without limit then last 100 ms.
  private let ends: Ends?

  init() {
    var numbers: [Int32] = [-1, -1]
    guard kettle_pipe(&numbers) == 0 else {
      ends = nil
      return
    }
    for number in numbers { _ = fcntl(number, F_SETFL, O_NONBLOCK) }
    ends = Ends(
      read: OwnedDescriptor(owning: numbers[0]), write: OwnedDescriptor(owning: numbers[1]))
  }

  /// Readable after `wake`; -1, which poll(2) skips, when there is no pipe.
  var readEnd: Int32 {
    switch ends {
    case .some(let ends): ends.read.number
    case .none: -1
    }
  }

  private var writeEnd: Int32 {
    switch ends {
    case .some(let ends): ends.write.number
    case .none: -1
    }
  }

  func wake() {
    var byte: UInt8 = 0
    // A full pipe wakes the thread too.
    _ = write(writeEnd, &byte, 1)
  }

  /// Drains the pipe.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(readEnd, &bytes, bytes.count) > 0 {}
  }

  /// Waits for `wake`, for at most `milliseconds`; a negative number means no limit.
  func wait(milliseconds: Int32) {
    var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, readEnd < 0 && milliseconds < 0 ? 100 : milliseconds)
    clear()
  }
}
