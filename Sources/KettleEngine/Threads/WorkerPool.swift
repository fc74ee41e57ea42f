import Dispatch
import KettleSystem

/// A bounded pool of threads that may block on a disk. Work starts in the order of its submission.
///
/// libdispatch's concurrent queues have no more threads than there are processors, and a sync
/// occupies one for as long as the disk takes. Once such a thread existed, the library also checks
/// every second whether its threads are stuck, even when there is nothing to do any more. A serial
/// queue has its own thread while it has work, without that check, so the pool consists of serial
/// queues.
package final class WorkerPool: TaskExecutor, Sendable {
  package typealias Work = @Sendable () -> Void

  private struct Order: Sendable {
    var work: Work
    /// No other work runs meanwhile.
    var isAlone: Bool
  }

  private struct State: Sendable {
    /// Orders before `first` have begun.
    var orders: [Order] = []
    var first = 0
    /// The queue that worked last is at the end: its thread still exists.
    var resting: [DispatchQueue]
    var busyCount = 0
    var isAloneBusy = false

    /// Returns the next order if it may begin, and counts it as begun.
    mutating func take() -> Order? {
      guard first < orders.count, !isAloneBusy else { return nil }
      let order = orders[first]
      guard !order.isAlone || busyCount == 0 else { return nil }
      first += 1
      if first == orders.count {
        orders.removeAll(keepingCapacity: orders.count <= 256)
        first = 0
      } else if first > 256, first * 2 > orders.count {
        orders.removeFirst(first)
        first = 0
      }
      busyCount += 1
      isAloneBusy = order.isAlone
      return order
    }

    /// Returns the orders that can begin beside those under way.
    mutating func begin() -> [(lane: DispatchQueue, order: Order)] {
      var begun: [(lane: DispatchQueue, order: Order)] = []
      while let lane = resting.last, let order = take() {
        resting.removeLast()
        begun.append((lane, order))
      }
      return begun
    }
  }

  private let state: Mutex<State>

  /// - Parameter width: the maximum number of concurrent orders.
  package init(_ label: String, width: Int) {
    state = Mutex(
      State(resting: (0..<max(width, 1)).map { DispatchQueue(label: "\(label).\($0)") }))
  }

  package func async(_ work: @escaping Work) { take(Order(work: work, isAlone: false)) }

  /// Runs the work alone: after all earlier work is done, and before any later work begins.
  package func asyncAlone(_ work: @escaping Work) { take(Order(work: work, isAlone: true)) }

  /// Runs a part of a task (SE-0417).
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  private func take(_ order: Order) {
    start(
      state.withLock { state in
        state.orders.append(order)
        return state.begin()
      })
  }

  private func start(_ begun: [(lane: DispatchQueue, order: Order)]) {
    for (lane, order) in begun { lane.async { self.work(on: lane, order) } }
  }

  private func work(on lane: DispatchQueue, _ first: Order) {
    var next: Order? = first
    while let order = next {
      order.work()
      let (own, others) = state.withLock { state in
        state.busyCount -= 1
        if order.isAlone { state.isAloneBusy = false }
        let own = state.take()
        if own == nil { state.resting.append(lane) }
        return (own, state.begin())
      }
      start(others)
      next = own
    }
  }
}

extension WorkerPool {
  /// The pool for the tasks of the process, in place of the threads that Swift gets from
  /// libdispatch.
  package static let tasks = WorkerPool("kettle.tasks", width: 4)

  private static let timers = DispatchQueue(label: "kettle.sleepers")

  /// Like `Task.sleep(for:)`, which would use the threads that libdispatch checks.
  package static func pause(for duration: Duration) async throws(CancellationError) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    let (end, continuation) = AsyncStream<Never>.makeStream()
    timers.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { continuation.finish() }
    for await _ in end {}
    if Task.isCancelled { throw CancellationError() }
  }
}
