import KettleClient
import KettleControl
import KettleModel

/// Why following events ended.
enum FollowError: Error, Hashable, Sendable {
  /// The service was stopped while it was being followed.
  case serviceStopped
}

/// Follows the events of transfers across as many connections as necessary.
struct EventFollower {
  let world: CommandContext
  let place: ServiceAddress
  let client: Caller
  let includesProgress: Bool
  /// Only transfers that enter or leave one of these states; nil is all.
  var states: [TransferState]?
  /// Whether transfers that become completed are reported by id alone.
  var gathersCompleted = false
  /// How often to look without any event; nil is never.
  var lookMilliseconds: Int64?
  /// How long to follow; nil is without a limit.
  var limitMilliseconds: Int64?

  /// About half a minute of a service that does not answer or drops every connection.
  private static let failureCountMax = 10
  /// A connection that lasted this long was good, whatever ended it.
  private static let goodConnectionMilliseconds: Int64 = 10_000

  enum Happening {
    /// Every event from now on arrives; earlier changes must be requested. Repeated after each
    /// reconnection.
    case connected(any ServiceCalling)
    case event(TransferEvent)
    /// Events were dropped before the ones that follow; the current state must be requested.
    case eventsDropped(any ServiceCalling)
    /// Only if requested. These transfers produce no event.
    case completed([TransferID])
    /// Only if requested, and while there is a connection.
    case lookDue(any ServiceCalling)
    case interrupted(Interruption)
    case limitReached
  }

  /// Runs until `handle` returns a code.
  ///
  /// - Parameter service: The first connection, if there is one already; closed at the end.
  func run(
    over service: (any ServiceCalling)? = nil,
    _ handle: (Happening) async throws -> ExitCode?
  ) async throws -> ExitCode {
    let feed = Feed(clock: world.clock)
    defer { feed.end() }
    feed.watch(world.interruptions)
    if let lookMilliseconds { feed.send(.lookDue, afterMilliseconds: lookMilliseconds) }
    if let limitMilliseconds { feed.send(.limitReached, afterMilliseconds: limitMilliseconds) }
    var link: Link
    if let service {
      link = Link(service)
    } else {
      link = Link(try await reconnection.connect(startIfNeeded: true))
    }
    do {
      var code = try await begin(&link, feed, handle)
      var inputs = feed.inputs.makeAsyncIterator()
      while code == nil {
        guard let input = await inputs.next() else { throw CancellationError() }
        code = try await take(input, &link, feed, handle)
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
    Reconnection(world: world, place: place, client: client)
  }

  private func take(
    _ input: Feed.Input, _ link: inout Link, _ feed: Feed,
    _ handle: (Happening) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    switch input {
    case .notification(let number, let notification, let demand):
      defer { demand.next() }
      return number == link.number ? try await take(notification, link, handle) : nil
    case .connectionEnded(let number):
      if number == link.number { try await lost(&link, feed) }
      return nil
    case .tryAgain: return try await reconnect(&link, feed, handle)
    case .lookDue: return try await look(link, feed, handle)
    case .interrupted(let interruption): return try await handle(.interrupted(interruption))
    case .limitReached: return try await handle(.limitReached)
    }
  }

  private func take(
    _ notification: ControlNotification, _ link: Link,
    _ handle: (Happening) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    switch notification {
    case .event(let event): return try await handle(.event(event))
    case .completed(let completed): return try await handle(.completed(completed.runs.ids))
    case .viewport: return nil
    case .resynchronise:
      do {
        return try await handle(.eventsDropped(link.service))
      } catch ClientError.connectionLost {
        // The feed reports the end of the connection.
        return nil
      }
    }
  }

  private func begin(
    _ link: inout Link, _ feed: Feed, _ handle: (Happening) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    link.number += 1
    do {
      feed.read(link.service, number: link.number)
      _ = try await link.service.call(
        WatchEvents.self,
        .init(
          includesProgress: includesProgress, states: states,
          gathersCompleted: gathersCompleted ? true : nil, resynchronises: true))
      link.connectedAt = world.clock.now().monotonic
      return try await handle(.connected(link.service))
    } catch ClientError.connectionLost {
      try await lost(&link, feed)
      return nil
    }
  }

  /// Schedules the next look when this one is over, so that none is pending after the last.
  private func look(
    _ link: Link, _ feed: Feed, _ handle: (Happening) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    if link.connectedAt != nil {
      do {
        if let code = try await handle(.lookDue(link.service)) { return code }
      } catch ClientError.connectionLost {
        // The feed reports the end of the connection.
      }
    }
    if let lookMilliseconds { feed.send(.lookDue, afterMilliseconds: lookMilliseconds) }
    return nil
  }

  private func reconnect(
    _ link: inout Link, _ feed: Feed, _ handle: (Happening) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    switch try await reconnection.attempt(failureCount: link.failureCount) {
    case .connected(let service):
      link.service = service
      return try await begin(&link, feed, handle)
    case .stopped: throw FollowError.serviceStopped
    case .notYet:
      try await lost(&link, feed)
      return nil
    }
  }

  private func lost(_ link: inout Link, _ feed: Feed) async throws {
    await link.service.close()
    if let connectedAt = link.connectedAt {
      let held = world.clock.now().monotonic.milliseconds(since: connectedAt)
      if held >= Self.goodConnectionMilliseconds { link.failureCount = 0 }
      link.connectedAt = nil
    }
    guard link.failureCount < Self.failureCountMax else { throw ClientError.connectionLost }
    // Late messages of the lost connection must not reach the next one.
    link.number += 1
    link.failureCount += 1
    feed.send(
      .tryAgain,
      afterMilliseconds: reconnection.pauseMilliseconds(afterFailures: link.failureCount))
  }
}
