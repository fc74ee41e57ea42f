import KettleControl
import KettleSystem
import KettleClient

/// Puts everything that a following command waits for into one stream, in the order of arrival.
final class Feed: Sendable {
  enum Input: Sendable {
    /// The next one comes when this one is taken.
    case notification(number: Int, ControlNotification, Demand)
    case connectionEnded(number: Int)
    case tryAgain
    case lookDue
    case interrupted(Interruption)
    case limitReached
  }

  /// A command that cannot keep up, because its output is not read, leaves the rest with the
  /// connection, which is bounded.
  struct Demand: Sendable {
    fileprivate let signal: AsyncStream<Void>.Continuation

    func next() { signal.yield() }
  }

  let inputs: AsyncStream<Input>
  private let continuation: AsyncStream<Input>.Continuation
  private let clock: any CommandClock
  private let tasks = Mutex(Tasks())

  private enum Tasks {
    case running([Int: Task<Void, Never>], nextNumber: Int)
    case ended

    init() { self = .running([:], nextNumber: 0) }
  }

  init(clock: any CommandClock) {
    (inputs, continuation) = AsyncStream.makeStream()
    self.clock = clock
  }

  /// Ends the stream and everything that feeds it.
  func end() {
    continuation.finish()
    let running: [Int: Task<Void, Never>] = tasks.withLock { tasks in
      guard case .running(let running, _) = tasks else { return [:] }
      tasks = .ended
      return running
    }
    for task in running.values { task.cancel() }
  }

  func watch(_ source: any InterruptionSource) {
    let interruptions = source.interruptions()
    run { [continuation] in
      for await interruption in interruptions { continuation.yield(.interrupted(interruption)) }
    }
  }

  /// `number` goes with everything that comes from this connection.
  func read(_ service: any ServiceCalling, number: Int) {
    let notifications = service.notifications
    run { [continuation] in
      let (taken, signal) = AsyncStream<Void>.makeStream()
      var demands = taken.makeAsyncIterator()
      for await notification in notifications {
        continuation.yield(.notification(number: number, notification, Demand(signal: signal)))
        guard await demands.next() != nil else { return }
      }
      continuation.yield(.connectionEnded(number: number))
    }
  }

  func send(_ input: Input, afterMilliseconds milliseconds: Int64) {
    run { [continuation, clock] in
      await clock.wait(milliseconds: milliseconds)
      if !Task.isCancelled { continuation.yield(input) }
    }
  }

  private func run(_ body: @escaping @Sendable () async -> Void) {
    tasks.withLock { tasks in
      guard case .running(var running, let number) = tasks else { return }
      running[number] = Task { [weak self] in
        await body()
        self?.forget(number)
      }
      tasks = .running(running, nextNumber: number + 1)
    }
  }

  /// A command may follow for weeks and over many connections: what has ended is not kept.
  private func forget(_ number: Int) {
    tasks.withLock { tasks in
      guard case .running(var running, let nextNumber) = tasks else { return }
      running[number] = nil
      tasks = .running(running, nextNumber: nextNumber)
    }
  }
}
