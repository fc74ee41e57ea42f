import KettleClient
import KettleControl
import KettleSystem

/// Merges everything that a following command waits for into one stream, in order of arrival.
final class FollowerInputs: Sendable {
  enum Input: Sendable {
    /// The next notification arrives once this one is consumed.
    case notification(number: Int, ControlNotification, Demand)
    case connectionEnded(number: Int)
    case tryAgain
    case pollDue
    case interrupted(Interruption)
    case limitReached
  }

  /// Back-pressure. When a command's output is not read, further notifications stay with the
  /// connection, which is bounded.
  struct Demand: Sendable {
    fileprivate let signal: AsyncStream<Void>.Continuation

    func next() { signal.yield() }
  }

  let stream: AsyncStream<Input>
  private let continuation: AsyncStream<Input>.Continuation
  private let clock: any CommandClock
  private let tasks = Mutex(Tasks())

  private enum Tasks {
    case running([Int: Task<Void, Never>], nextNumber: Int)
    case ended

    init() { self = .running([:], nextNumber: 0) }
  }

  init(clock: any CommandClock) {
    (stream, continuation) = AsyncStream.makeStream()
    self.clock = clock
  }

  /// Ends the stream and all its sources.
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

  /// Reads the notifications of `service`; `number` identifies the connection that each input comes
  /// from.
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

  /// Drops ended tasks, because a command may follow for weeks over many connections.
  private func forget(_ number: Int) {
    tasks.withLock { tasks in
      guard case .running(var running, let nextNumber) = tasks else { return }
      running[number] = nil
      tasks = .running(running, nextNumber: nextNumber)
    }
  }
}
