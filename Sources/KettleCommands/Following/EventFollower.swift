import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

/// Ids on the command line that belong to no transfer.
struct UnknownTransfers: Error, Hashable, Sendable {
  var ids: [TransferID]
}

/// Why following events ended.
enum FollowError: Error, Hashable, Sendable {
  /// The service was stopped while it was being followed.
  case serviceStopped
}

/// Follows the events of transfers across as many connections as necessary.
struct EventFollower {
  let context: CommandContext
  let address: ServiceAddress
  let client: ClientIdentity
  let includesProgress: Bool
  /// Only transfers that enter or leave one of these states; nil is all.
  var states: [TransferState]?
  /// Whether transfers that become completed are reported by id alone.
  var gathersCompleted = false
  /// How often to poll without any event; nil is never.
  var pollMilliseconds: Int64?
  /// How long to follow; nil is without a limit.
  var limitMilliseconds: Int64?

  /// About half a minute of a service that does not answer or drops every connection.
  private static let failureCountMax = 10
  /// A connection that lasted this long was good, whatever ended it.
  private static let goodConnectionMilliseconds: Int64 = 10_000

  enum Update {
    /// Every event from now on arrives; earlier changes must be requested. Repeated after each
    /// reconnection.
    case connected(any ServiceCalling)
    case event(TransferEvent)
    /// Events were dropped before the ones that follow; the current state must be requested.
    case eventsDropped(any ServiceCalling)
    /// Only if requested. These transfers produce no event.
    case completed([TransferID])
    /// Only if requested, and while there is a connection.
    case pollDue(any ServiceCalling)
    case interrupted(Interruption)
    case limitReached
  }

  /// Runs until `handle` returns a code.
  ///
  /// - Parameter service: The first connection, if there is one already; closed at the end.
  func run(
    over service: (any ServiceCalling)? = nil,
    _ handle: (Update) async throws -> ExitCode?
  ) async throws -> ExitCode {
    let inputs = FollowerInputs(clock: context.clock)
    defer { inputs.end() }
    inputs.watch(context.interruptions)
    if let pollMilliseconds { inputs.send(.pollDue, afterMilliseconds: pollMilliseconds) }
    if let limitMilliseconds { inputs.send(.limitReached, afterMilliseconds: limitMilliseconds) }
    var link: Link
    if let service {
      link = Link(service)
    } else {
      link = Link(try await reconnection.connect(startIfNeeded: true))
    }
    do {
      var code = try await startWatching(&link, inputs: inputs, handle: handle)
      var received = inputs.stream.makeAsyncIterator()
      while code == nil {
        guard let input = await received.next() else { throw CancellationError() }
        code = try await process(input, over: &link, inputs: inputs, handle: handle)
      }
      await link.service.close()
      return code ?? .done
    } catch {
      await link.service.close()
      throw error
    }
  }

  /// The current connection and how many reconnections have failed in a row.
  private struct Link {
    var service: any ServiceCalling
    /// Distinguishes late messages of an old connection from those of the new one.
    var number = 0
    var failureCount = 0
    var connectedAt: MonotonicTime?

    init(_ service: any ServiceCalling) { self.service = service }
  }

  private var reconnection: Reconnection {
    Reconnection(context: context, address: address, client: client)
  }

  private func process(
    _ input: FollowerInputs.Input, over link: inout Link, inputs: FollowerInputs,
    handle: (Update) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    switch input {
    case .notification(let number, let notification, let demand):
      defer { demand.next() }
      guard number == link.number else { return nil }
      return try await process(notification, over: link, handle: handle)
    case .connectionEnded(let number):
      if number == link.number { try await connectionLost(&link, inputs: inputs) }
      return nil
    case .tryAgain: return try await reconnect(&link, inputs: inputs, handle: handle)
    case .pollDue: return try await poll(link, inputs: inputs, handle: handle)
    case .interrupted(let interruption): return try await handle(.interrupted(interruption))
    case .limitReached: return try await handle(.limitReached)
    }
  }

  private func process(
    _ notification: ControlNotification, over link: Link,
    handle: (Update) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    switch notification {
    case .event(let event): return try await handle(.event(event))
    case .completed(let completed): return try await handle(.completed(completed.runs.ids))
    case .viewport: return nil
    case .resynchronise:
      do {
        return try await handle(.eventsDropped(link.service))
      } catch ClientError.connectionLost {
        // `inputs` reports the end of the connection.
        return nil
      }
    }
  }

  private func startWatching(
    _ link: inout Link, inputs: FollowerInputs, handle: (Update) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    link.number += 1
    do {
      inputs.read(link.service, number: link.number)
      _ = try await link.service.call(
        WatchEvents.self,
        .init(
          includesProgress: includesProgress, states: states,
          gathersCompleted: gathersCompleted ? true : nil, resynchronises: true))
      link.connectedAt = context.clock.now().monotonic
      return try await handle(.connected(link.service))
    } catch ClientError.connectionLost {
      try await connectionLost(&link, inputs: inputs)
      return nil
    }
  }

  /// Schedules the next poll when this one is over, so that none is pending after the last.
  private func poll(
    _ link: Link, inputs: FollowerInputs, handle: (Update) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    if link.connectedAt != nil {
      do {
        if let code = try await handle(.pollDue(link.service)) { return code }
      } catch ClientError.connectionLost {
        // `inputs` reports the end of the connection.
      }
    }
    if let pollMilliseconds { inputs.send(.pollDue, afterMilliseconds: pollMilliseconds) }
    return nil
  }

  private func reconnect(
    _ link: inout Link, inputs: FollowerInputs, handle: (Update) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    switch try await reconnection.attempt(failureCount: link.failureCount) {
    case .connected(let service):
      link.service = service
      return try await startWatching(&link, inputs: inputs, handle: handle)
    case .stopped: throw FollowError.serviceStopped
    case .notYet:
      try await connectionLost(&link, inputs: inputs)
      return nil
    }
  }

  private func connectionLost(_ link: inout Link, inputs: FollowerInputs) async throws {
    await link.service.close()
    if let connectedAt = link.connectedAt {
      let lasted = context.clock.now().monotonic.milliseconds(since: connectedAt)
      if lasted >= Self.goodConnectionMilliseconds { link.failureCount = 0 }
      link.connectedAt = nil
    }
    guard link.failureCount < Self.failureCountMax else { throw ClientError.connectionLost }
    // Late messages of the lost connection must not reach the next one.
    link.number += 1
    link.failureCount += 1
    inputs.send(
      .tryAgain,
      afterMilliseconds: reconnection.pauseMilliseconds(afterFailures: link.failureCount))
  }
}

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
