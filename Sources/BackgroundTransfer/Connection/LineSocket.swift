import CKettleLinux
import Glibc
import KettleControl
import KettleSystem

/// A line-oriented socket for one thread that waits in poll(2).
struct LineSocket: ~Copyable {
  /// The other side closed the connection or violated the protocol.
  struct Ended: Error {}

  private let socket: OwnedDescriptor
  private var decoder = LineDecoder(byteCountMax: LineDecoder.byteCountMaxFromService)
  private var unsent: [UInt8] = []
  private var sentCount = 0
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// Takes ownership of a non-blocking socket.
  init(_ socket: consuming OwnedDescriptor) { self.socket = socket }

  mutating func send(_ line: [UInt8]) {
    unsent += line
    unsent.append(UInt8(ascii: "\n"))
  }

  /// Waits until the socket is ready or `wake` is woken, sends and receives what it can, and
  /// returns the complete lines. A negative timeout waits without limit.
  mutating func exchange(
    timeoutMilliseconds: Int32, wake: WakePipe
  ) throws(Ended) -> [[UInt8]] {
    try write()
    let isFull = sentCount < unsent.count
    var entries = [
      pollfd(fd: socket.number, events: Int16(POLLIN | (isFull ? POLLOUT : 0)), revents: 0),
      pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&entries, 2, timeoutMilliseconds)
    guard count > 0 else {
      guard count == 0 || errno == EINTR else { throw Ended() }
      return []
    }
    if entries[1].revents != 0 { wake.clear() }
    guard entries[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { return [] }
    return try read()
  }

  private mutating func write() throws(Ended) {
    while sentCount < unsent.count {
      let result = unsent[sentCount...].withUnsafeBytes {
        Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard result > 0 else {
        if errno == EINTR { continue }
        if errno == EAGAIN { return }
        throw Ended()
      }
      sentCount += result
    }
    unsent = []
    sentCount = 0
  }

  private mutating func read() throws(Ended) -> [[UInt8]] {
    let count = Glibc.read(socket.number, &buffer, buffer.count)
    guard count > 0 else {
      if count < 0, errno == EINTR || errno == EAGAIN { return [] }
      throw Ended()
    }
    let received = Array(buffer[..<count])
    var lines: [[UInt8]] = []
    do throws(LineDecoder.Overlong) {
      try decoder.decode(received.span, into: &lines)
    } catch {
      throw Ended()
    }
    return lines
  }
}

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
