import CNcurses
import Glibc

/// An eventfd(2): a counter that poll(2) sees, written by any thread.
package final class EventDescriptor: TerminalWaker {
  package let descriptor: Int32

  package init() throws(TerminalProblem) {
    descriptor = kettle_eventfd()
    guard descriptor >= 0 else { throw .system(call: "eventfd", errno: errno) }
  }

  deinit { close(descriptor) }

  package func wake() {
    var one: UInt64 = 1
    // A full counter is a counter that wakes already.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  package func drain() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
