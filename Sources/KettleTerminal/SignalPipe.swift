import CKettleNcurses
import Glibc
import KettleSystem

/// Turns signals into bytes in a pipe while the terminal is claimed.
///
/// The process has one pipe, which is never closed: a handler may still run after the dashboard has
/// ended.
struct SignalPipe {
  let readEnd: Int32
  private var previous: [(number: Int32, action: sigaction)] = []

  private static let caught: [Int32] = [
    SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT,
  ]

  init() throws(TerminalProblem) {
    var ends: [Int32] = [-1, -1]
    guard kettle_signal_pipe(&ends) == 0 else {
      throw .system(call: "pipe", errno: errno)
    }
    readEnd = ends[0]
    kettle_set_signal_pipe(ends[1])
  }

  mutating func install() {
    guard previous.isEmpty else { return }
    for number in Self.caught {
      var action = sigaction()
      if kettle_catch_signal(number, &action) == 0 { previous.append((number, action)) }
    }
  }

  mutating func uninstall() {
    for var entry in previous { _ = sigaction(entry.number, &entry.action, nil) }
    previous = []
  }

  func read() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(readEnd, &bytes, bytes.count)
    return count > 0 ? bytes.prefix(count).map(Int32.init) : []
  }

  /// Stops this process as Ctrl-Z does, and returns when it continues. `raise` signals this thread,
  /// so the process has stopped before it returns.
  func stopProcess() {
    var caught = sigaction()
    guard kettle_default_signal(SIGTSTP, &caught) == 0 else { return }
    raise(SIGTSTP)
    sigaction(SIGTSTP, &caught, nil)
  }
}

/// An eventfd(2): a counter that poll(2) can wait for and any thread can write.
package final class EventDescriptor: TerminalWaker {
  private let owner: OwnedDescriptor
  package var descriptor: Int32 { owner.number }

  package init() throws(TerminalProblem) {
    guard let owner = OwnedDescriptor(opened: kettle_eventfd()) else {
      throw .system(call: "eventfd", errno: errno)
    }
    self.owner = owner
  }

  package func wake() {
    var one: UInt64 = 1
    // If the counter is full, the descriptor is readable already.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  package func drain() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
