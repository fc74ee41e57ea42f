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

  private struct Job: Sendable {
    var work: Work
    var sharing: Sharing
  }

  private enum Sharing: Sendable {
    case beside
    /// No other work runs meanwhile.
    case alone
  }

  private struct State: Sendable {
    /// Jobs before `first` have begun.
    var jobs: [Job] = []
    var first = 0
    /// The queue that worked last is at the end: its thread still exists.
    var restingQueues: [any WorkQueue]
    /// The jobs that run; one, if it runs alone.
    var running: [Sharing] = []

    /// Removes and returns the next job if it may begin, and counts it as running.
    mutating func dequeue() -> Job? {
      guard first < jobs.count, !running.contains(.alone) else { return nil }
      let job = jobs[first]
      guard job.sharing == .beside || running.isEmpty else { return nil }
      first += 1
      if first == jobs.count {
        jobs.removeAll(keepingCapacity: jobs.count <= 256)
        first = 0
      } else if first > 256, first * 2 > jobs.count {
        jobs.removeFirst(first)
        first = 0
      }
      running.append(job.sharing)
      return job
    }

    /// Returns the jobs that can begin beside those that run.
    mutating func begin() -> [(queue: any WorkQueue, job: Job)] {
      var begun: [(queue: any WorkQueue, job: Job)] = []
      while let queue = restingQueues.last, let job = dequeue() {
        restingQueues.removeLast()
        begun.append((queue, job))
      }
      return begun
    }
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - width: the maximum number of concurrent jobs.
  ///   - makeQueue: makes a serial queue with a label.
  package init(
    _ label: String, width: Int,
    makeQueue: (_ label: String) -> any WorkQueue = { DispatchQueue(label: $0) }
  ) {
    state = Mutex(State(restingQueues: (0..<max(width, 1)).map { makeQueue("\(label).\($0)") }))
  }

  package func async(_ work: @escaping Work) { enqueue(Job(work: work, sharing: .beside)) }

  /// Runs the work alone: after all earlier work is done, and before any later work begins.
  package func asyncAlone(_ work: @escaping Work) { enqueue(Job(work: work, sharing: .alone)) }

  /// Runs a part of a task (SE-0417).
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  private func enqueue(_ job: Job) {
    start(
      state.withLock { state in
        state.jobs.append(job)
        return state.begin()
      })
  }

  private func start(_ begun: [(queue: any WorkQueue, job: Job)]) {
    for (queue, job) in begun { queue.enqueue { self.run(job, on: queue) } }
  }

  /// Runs jobs until none is left that may begin.
  private func run(_ first: Job, on queue: any WorkQueue) {
    var next: Job? = first
    while let job = next {
      job.work()
      let (own, others) = state.withLock { state in
        state.running.removeLast()
        let own = state.dequeue()
        if own == nil { state.restingQueues.append(queue) }
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

/// Runs an actor on a serial queue, which has its own thread while there is work.
///
/// Tasks that prefer the pool of the same source, as all in the service do, stay on the actor from
/// one of its functions to the next: the runtime compares both executors and then continues without
/// a detour (SE-0417).
final class QueueExecutor: SerialExecutor {
  let queue: any WorkQueue
  private let tasks: WorkerPool

  init(_ label: String, on work: WorkSource = .threads) {
    queue = work.makeQueue(label)
    tasks = work.tasks
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.enqueue { [self] in
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(),
        taskExecutor: tasks.asUnownedTaskExecutor())
    }
  }

  func checkIsolated() { queue.preconditionIsCurrent() }
}

/// An event that happens once, and the tasks that wait for it.
///
/// A task may leave the engine on its way to the body of `withCheckedContinuation`, as to any other
/// function that suspends, and other work may run in between. So the code that decides passes a
/// completion to the code that carries the decision out, in one step, and awaits it afterwards.
package final class Completion<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case open([CheckedContinuation<Value, Never>])
    case done(Value)
  }

  private let state = Mutex(State.open([]))

  package init() {}

  /// Finishes with the first value; later ones are ignored.
  package func finish(_ value: Value) {
    let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
      guard case .open(let waiting) = state else { return [] }
      state = .done(value)
      return waiting
    }
    for one in waiting { one.resume(returning: value) }
  }

  package func value() async -> Value {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Value? in
        switch state {
        case .open(let waiting):
          state = .open(waiting + [continuation])
          return nil
        case .done(let value): return value
        }
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}

extension Completion<Void> {
  package func finish() { finish(()) }
}
