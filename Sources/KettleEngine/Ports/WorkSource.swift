import Dispatch

/// Where the engine works: on the threads of libdispatch, or, in a simulation, on one thread that
/// takes the work in an order of its own. Every queue, every task and every random number of the
/// engine comes from here.
package struct WorkSource: Sendable {
  /// Makes a serial queue with a label.
  package var makeQueue: @Sendable (_ label: String) -> any WorkQueue
  /// Runs the tasks that the engine starts, and those that call it.
  package var tasks: WorkerPool
  /// Draws a random number from all that there are.
  package var random: @Sendable () -> UInt64

  package init(
    tasks: WorkerPool, random: @escaping @Sendable () -> UInt64,
    makeQueue: @escaping @Sendable (_ label: String) -> any WorkQueue
  ) {
    self.tasks = tasks
    self.random = random
    self.makeQueue = makeQueue
  }

  /// Each queue has a thread of its own while it has work (`WorkerPool`).
  package static let threads = WorkSource(
    tasks: .tasks, random: { .random(in: .min ... .max) },
    makeQueue: { DispatchQueue(label: $0) })

  /// Draws a number from 0 up to 1.
  func jitter() -> Double { Double(random() >> 11) * 0x1p-53 }
}

/// Does work one piece after the other, in the order in which it was enqueued.
package protocol WorkQueue: AnyObject, Sendable {
  func enqueue(_ work: @escaping @Sendable () -> Void)

  /// Enqueues the work when this time has passed.
  func enqueue(afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void)

  /// Does the work in its turn, and returns when it is done. Must not be called on the queue.
  func wait<Value>(for work: () throws -> Value) rethrows -> Value

  /// Ends the process if the caller does not run on the queue.
  func preconditionIsCurrent()
}

extension DispatchQueue: WorkQueue {
  package func enqueue(_ work: @escaping @Sendable () -> Void) { async(execute: work) }

  package func enqueue(afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void) {
    asyncAfter(deadline: .now() + .milliseconds(delay), execute: work)
  }

  package func wait<Value>(for work: () throws -> Value) rethrows -> Value {
    try sync(execute: work)
  }

  package func preconditionIsCurrent() { dispatchPrecondition(condition: .onQueue(self)) }
}
