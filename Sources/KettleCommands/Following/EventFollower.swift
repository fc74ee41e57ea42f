import KettleControl
import KettleClient
import KettleModel

/// Why events can no longer be followed.
enum FollowError: Error, Hashable, Sendable {
  /// Somebody stopped the service while it was watched.
  case serviceStopped
}

/// Follows what happens to transfers, over as many connections as it takes.
struct EventFollower {
  let world: CommandWorld
  let place: ServicePlace
  let client: Caller
  let includesProgress: Bool
  /// What comes into one of these states or leaves it; nil is all.
  var states: [TransferState]?
  /// Whether those that become completed are told by their ids alone.
  var gathersCompleted = false
  /// How often to look without having been told anything; nil is never.
  var lookMilliseconds: Int64?
  /// How long to follow; nil is without an end.
  var limitMilliseconds: Int64?

  /// After about half a minute of a service that does not answer, or drops every connection.
  private static let failureCountMax = 10
  /// A connection that held for so long was a good one, whatever ended it.
  private static let goodConnectionMilliseconds: Int64 = 10_000

  enum Happening {
    /// Every event from now on will come; what was before has to be asked for. Comes again after
    /// each loss of the connection.
    case connected(any ServiceCalling)
    case event(TransferEvent)
    /// Events are missing before those that come: how the transfers are has to be asked for.
    case eventsDropped(any ServiceCalling)
    /// Only where it is asked for; of these no event comes.
    case completed([TransferID])
    /// Only where it is asked for, and while there is a connection.
    case lookDue(any ServiceCalling)
    case interrupted(Interruption)
    case limitReached
  }

  /// Goes on until `handle` answers a code.
  ///
  /// - Parameter service: the connection to begin with, when there is one; closed at the end.
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

  /// The connection of the moment, and how often in a row it could not be made again.
  private struct Link {
    var service: any ServiceCalling
    /// Tells what an old connection still says from what the new one does.
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
        // The feed tells of it.
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

  /// The next look is asked for when this one is over: after the last one nobody waits.
  private func look(
    _ link: Link, _ feed: Feed, _ handle: (Happening) async throws -> ExitCode?
  ) async throws -> ExitCode? {
    if link.connectedAt != nil {
      do {
        if let code = try await handle(.lookDue(link.service)) { return code }
      } catch ClientError.connectionLost {
        // The feed tells of it.
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
    // What the lost connection may still say is not for the next one.
    link.number += 1
    link.failureCount += 1
    feed.send(
      .tryAgain,
      afterMilliseconds: reconnection.pauseMilliseconds(afterFailures: link.failureCount))
  }
}
