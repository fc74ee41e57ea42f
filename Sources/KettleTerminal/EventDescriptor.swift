import CKettleNcurses
import Glibc
import KettleSystem

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
