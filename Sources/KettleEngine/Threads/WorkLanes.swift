import Dispatch
import KettleSystem

/// Runs work side by side, so much at once, on threads that may wait for a disk; in the order in
/// which it comes.
///
/// Behind its concurrent queues libdispatch has no more threads than there are processors: a sync
/// holds one for as long as the disk takes. And once such a thread was there, the library looks
/// every second whether its threads are stuck, also when there is nothing to do any more. A serial
/// queue has a thread of its own while it has work, and nobody looks after it; these are some.
package final class WorkLanes: TaskExecutor, Sendable {
  package typealias Work = @Sendable () -> Void

  private struct Order: Sendable {
    var work: Work
    /// Nothing else is done meanwhile.
    var isAlone: Bool
  }

  private struct State: Sendable {
    /// Those before `first` were begun.
    var orders: [Order] = []
    var first = 0
    /// The one that worked last is the last here: its thread is still there.
    var resting: [DispatchQueue]
    var busyCount = 0
    var isAloneBusy = false

    /// The next order, when it may be begun; it counts as begun then.
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

    /// What can be begun beside what is under way.
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

  /// - Parameter width: how much is done at once.
  package init(_ label: String, width: Int) {
    state = Mutex(
      State(resting: (0..<max(width, 1)).map { DispatchQueue(label: "\(label).\($0)") }))
  }

  package func async(_ work: @escaping Work) { take(Order(work: work, isAlone: false)) }

  /// What came before is done by then, and what comes after begins when it is done.
  package func asyncAlone(_ work: @escaping Work) { take(Order(work: work, isAlone: true)) }

  /// A part of a task (SE-0417).
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

extension WorkLanes {
  /// For the tasks of the process, in place of the threads that Swift takes from libdispatch.
  package static let tasks = WorkLanes("kettle.tasks", width: 4)

  private static let timers = DispatchQueue(label: "kettle.sleepers")

  /// As `Task.sleep(for:)`, which goes by way of the threads that are looked after.
  package static func pause(for duration: Duration) async throws(CancellationError) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    let (end, continuation) = AsyncStream<Never>.makeStream()
    timers.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { continuation.finish() }
    for await _ in end {}
    if Task.isCancelled { throw CancellationError() }
  }
}
