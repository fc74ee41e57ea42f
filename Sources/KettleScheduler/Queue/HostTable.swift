import KettleModel

/// How many connections each host has and accepts, and which hosts must not be contacted for a
/// while.
///
/// Limits are learned from refusals and rise again with time: a limit may reflect one bad minute.
package struct HostTable: Sendable {
  private struct Connection: Sendable {
    var origin: Origin
    /// How many responses the host had sent when it began.
    var responseCountBefore: Int
    /// Shares its connection with the other streams of the origin.
    var isStream: Bool
  }

  private var connections: [AttemptID: Connection] = [:]
  /// Without streams.
  private var counts: [Origin: Int] = [:]
  private var streamCounts: [Origin: Int] = [:]
  /// The responses of each host that has connections.
  private var responseCounts: [Origin: Int] = [:]
  private var learned: [Origin: LearnedLimit] = [:]
  private(set) var closed = ClosedHosts()
  /// When `forget` was last called.
  private var checkedAt = MonotonicTime(milliseconds: 0)
  /// When a connection that had been served was last closed.
  private var leftAt: [Origin: MonotonicTime] = [:]
  private var served: Set<AttemptID> = []
  /// When each host last ended a response that was a file or a part of one.
  private var servedAt: [Origin: MonotonicTime] = [:]
  /// Still open, but refused by the host.
  private var refused: Set<AttemptID> = []

  /// For this long a host may still count a connection that we have closed.
  static let leavingMilliseconds: Int64 = 2000
  /// For this long a host that has served a file counts as one that does.
  static let servingMilliseconds: Int64 = 600_000

  package init() {}

  /// The streams of an origin count as one connection.
  package var connectionCount: Int {
    connections.count - streamCounts.values.reduce(0, +) + streamCounts.count
  }

  package func connectionCount(at origin: Origin) -> Int {
    (counts[origin] ?? 0) + (streamCounts[origin] == nil ? 0 : 1)
  }

  /// The hosts with connections, and those about which something is remembered.
  package var origins: Set<Origin> {
    Set(counts.keys).union(streamCounts.keys).union(learned.keys).union(closed.origins)
  }

  // MARK: Connections

  package mutating func open(
    _ attempt: AttemptID, at origin: Origin, isStream: Bool = false
  ) {
    connections[attempt] = Connection(
      origin: origin, responseCountBefore: responseCounts[origin] ?? 0, isStream: isStream)
    if isStream {
      streamCounts[origin, default: 0] += 1
    } else {
      counts[origin, default: 0] += 1
    }
  }

  /// Records that the host sent a response.
  package mutating func recordResponse(of attempt: AttemptID) {
    if let origin = origin(of: attempt) { responseCounts[origin, default: 0] += 1 }
  }

  /// Whether the host has sent a response on any connection since this one began.
  package func hasRespondedSince(startOf attempt: AttemptID) -> Bool {
    guard let connection = connections[attempt] else { return false }
    return responseCounts[connection.origin] ?? 0 > connection.responseCountBefore
  }

  /// Records that the host serves this connection.
  package mutating func recordService(of attempt: AttemptID) {
    if connections[attempt] != nil { served.insert(attempt) }
  }

  /// Records that the host refused this connection, which is still open.
  package mutating func recordRefusal(of attempt: AttemptID) {
    if connections[attempt] != nil { refused.insert(attempt) }
  }

  /// How many other connections of the same host have not been refused.
  package func otherCount(than attempt: AttemptID) -> Int {
    others(than: attempt) { !refused.contains($0) }
  }

  /// How many other connections of the same host are being served.
  package func otherServedCount(than attempt: AttemptID) -> Int {
    others(than: attempt) { served.contains($0) && !refused.contains($0) }
  }

  /// Whether the host serves a file at present or has served one lately.
  func servesFiles(_ origin: Origin, at now: MonotonicTime) -> Bool {
    if let time = servedAt[origin], now.milliseconds(since: time) < Self.servingMilliseconds {
      return true
    }
    return served.contains { connections[$0]?.origin == origin }
  }

  private func others(than attempt: AttemptID, where isMeant: (AttemptID) -> Bool) -> Int {
    guard let origin = origin(of: attempt) else { return 0 }
    return connections.count {
      $0.key != attempt && $0.value.origin == origin && !$0.value.isStream && isMeant($0.key)
    }
  }

  package mutating func close(_ attempt: AttemptID, at now: MonotonicTime) {
    guard let connection = connections.removeValue(forKey: attempt) else { return }
    let origin = connection.origin
    refused.remove(attempt)
    if served.remove(attempt) != nil {
      servedAt[origin] = now
      if !connection.isStream { leftAt[origin] = now }
    }
    if connection.isStream {
      Self.decrement(&streamCounts[origin])
    } else {
      Self.decrement(&counts[origin])
    }
    if connectionCount(at: origin) == 0 { responseCounts[origin] = nil }
  }

  func hasStreams(at origin: Origin) -> Bool { streamCounts[origin] != nil }

  package func isStream(_ attempt: AttemptID) -> Bool { connections[attempt]?.isStream ?? false }

  private static func decrement(_ count: inout Int?) {
    let left = (count ?? 0) - 1
    count = left > 0 ? left : nil
  }

  package func origin(of attempt: AttemptID) -> Origin? { connections[attempt]?.origin }

  // MARK: What refusals show

  package mutating func learn(_ hint: HostLimitHint, at now: Moment) {
    let time = now.monotonic
    if var count = hint.connectionsMax {
      let tried = count + 1
      let left = leftAt[hint.origin]
      if let left, time.milliseconds(since: left) < Self.leavingMilliseconds { count += 1 }
      let known = limit(at: hint.origin, time)
      learned[hint.origin] = LearnedLimit(
        connectionsMax: max(1, min(count, known?.connectionsMax(at: time) ?? .max)),
        triedCount: max(tried, known?.triedCount ?? 0), status: hint.status,
        since: known?.since ?? now.wall, refusedAt: time)
    }
    if let milliseconds = hint.closedMilliseconds {
      closed.close(
        hint.origin, until: time.advanced(byMilliseconds: milliseconds), status: hint.status)
    }
  }

  /// What refusals have shown about a host; nil when it has not refused any connection lately.
  package func limit(at origin: Origin, _ now: MonotonicTime) -> LearnedLimit? {
    guard let known = learned[origin], !known.isOver(at: now) else { return nil }
    return known
  }

  /// The learned limit of a host; nil when it has not refused any connection lately.
  package func connectionsMax(at origin: Origin, _ now: MonotonicTime) -> Int? {
    limit(at: origin, now)?.connectionsMax(at: now)
  }

  /// Lifts the pause because the user wants the host contacted now.
  package mutating func reopen(_ origin: Origin) { _ = closed.reopen(origin) }

  /// Forgets what refusals have shown about a host. Returns whether there was anything.
  package mutating func reset(_ origin: Origin) -> Bool {
    let hadLimit = learned.removeValue(forKey: origin) != nil
    return closed.reopen(origin) || hadLimit
  }

  /// Until when a host must not be contacted; nil when it may be.
  package func closedUntil(_ origin: Origin, at now: MonotonicTime) -> MonotonicTime? {
    closed.until(origin, at: now)
  }

  package func isClosed(_ origin: Origin, at now: MonotonicTime) -> Bool {
    closedUntil(origin, at: now) != nil
  }

  /// Whether a host may get one more connection, by `allowed` and by the learned limit.
  package func admits(_ origin: Origin, allowed: Int, at now: MonotonicTime) -> Bool {
    freeCount(at: origin, allowed: allowed, at: now) > 0
  }

  /// How many more connections a host may get; 0 or less for none.
  package func freeCount(at origin: Origin, allowed: Int, at now: MonotonicTime) -> Int {
    if isClosed(origin, at: now) { return 0 }
    return min(allowed, connectionsMax(at: origin, now) ?? .max) - connectionCount(at: origin)
  }

  /// When the next host may be contacted again or accepts one more connection, since the last call
  /// of `forget`: a time that has passed is due. nil when neither is to come.
  package var nextOpening: MonotonicTime? {
    let rise = learned.values.map { $0.nextRise(after: checkedAt) }.min()
    return [closed.nextOpening, rise].compactMap { $0 }.min()
  }

  /// When a limited host accepts one more connection; nil for a host without a learned limit.
  package func nextRise(at origin: Origin, _ now: MonotonicTime) -> MonotonicTime? {
    limit(at: origin, now)?.nextRise(after: now)
  }

  /// Returns in how many milliseconds a limited host accepts each additional connection, up to
  /// `most`.
  func rises(at origin: Origin, upTo most: Int, _ now: MonotonicTime) -> [Int64] {
    limit(at: origin, now)?.rises(upTo: most, after: now) ?? []
  }

  /// Removes expired entries. Rises up to now are not due any more.
  package mutating func forget(at now: MonotonicTime) {
    checkedAt = now
    closed.forget(at: now)
    learned = learned.filter { !$0.value.isOver(at: now) }
    servedAt = servedAt.filter {
      now.milliseconds(since: $0.value) < Self.servingMilliseconds
    }
    leftAt = leftAt.filter { now.milliseconds(since: $0.value) < Self.leavingMilliseconds }
  }
}

/// The hosts that have asked not to be contacted for a while (Retry-After).
package struct ClosedHosts: Sendable, Hashable {
  private struct Closing: Sendable, Hashable {
    var until: MonotonicTime
    /// The status of the response that asked for the pause.
    var status: Int?
  }

  private var closings: [Origin: Closing] = [:]

  package init() {}

  var origins: some Sequence<Origin> { closings.keys }

  var nextOpening: MonotonicTime? { closings.values.map(\.until).min() }

  /// Closes a host, never for a shorter time than before.
  mutating func close(_ origin: Origin, until: MonotonicTime, status: Int?) {
    if let known = closings[origin], known.until >= until { return }
    closings[origin] = Closing(until: until, status: status)
  }

  /// Returns whether it was closed.
  mutating func reopen(_ origin: Origin) -> Bool { closings.removeValue(forKey: origin) != nil }

  mutating func forget(at now: MonotonicTime) {
    closings = closings.filter { $0.value.until > now }
  }

  /// Until when a host must not be contacted; nil when it may be.
  func until(_ origin: Origin, at now: MonotonicTime) -> MonotonicTime? {
    closings[origin].flatMap { $0.until > now ? $0.until : nil }
  }

  /// Whether a host was closed by a refusal, and not by the last response that it permits.
  func hasRefused(_ origin: Origin) -> Bool {
    closings[origin].map { $0.status ?? 503 >= 400 } ?? false
  }

  /// The wait in place of a request to a closed host; nil when the host may be contacted.
  func wait(before url: TransferURL, at now: Moment) -> TransferMachine.Waiting? {
    guard let closing = closings[url.origin], closing.until > now.monotonic else { return nil }
    let failure = TransferFailure(
      .httpStatus, on: url.text, detail: "\(closing.status ?? 503) to another request")
    return .retrying(
      after: closing.until.milliseconds(since: now.monotonic), .retryAfter, failure, at: now)
  }
}

/// How many connections a host accepts, as its refusals have shown.
///
/// The limit rises by one with every 30 seconds without a refusal. It is over when it exceeds the
/// number of connections that were open at the refusal.
package struct LearnedLimit: Sendable, Hashable {
  /// After the last refusal.
  private let connectionsMaxAtRefusal: Int
  /// The most connections that were open when one was refused.
  package let triedCount: Int
  /// The status of the last refusal; nil for a connection refused without a response.
  package let status: Int?
  /// The time of the first refusal.
  package let since: WallTime
  /// The time of the last one.
  private let refusedAt: MonotonicTime

  static let riseMilliseconds: Int64 = 30_000

  init(
    connectionsMax: Int, triedCount: Int, status: Int?, since: WallTime, refusedAt: MonotonicTime
  ) {
    connectionsMaxAtRefusal = connectionsMax
    self.triedCount = triedCount
    self.status = status
    self.since = since
    self.refusedAt = refusedAt
  }

  private func riseCount(at now: MonotonicTime) -> Int {
    let count = max(0, now.milliseconds(since: refusedAt)) / Self.riseMilliseconds
    // More than any host has connections, and far from overflowing.
    return Int(min(count, 1 << 20))
  }

  package func connectionsMax(at now: MonotonicTime) -> Int {
    connectionsMaxAtRefusal + riseCount(at: now)
  }

  package func isOver(at now: MonotonicTime) -> Bool {
    riseCount(at: now) > triedCount - connectionsMaxAtRefusal
  }

  /// More rises do not matter.
  private static let riseCountMax = 64

  fileprivate func rises(upTo most: Int, after now: MonotonicTime) -> [Int64] {
    let known = connectionsMax(at: now)
    let first = nextRise(after: now).milliseconds(since: now)
    let missing = min(max(0, most - known), Self.riseCountMax)
    return (0..<missing).map { step in
      // The one after the last that was tried ends the limit.
      first + Int64(min(step, max(0, triedCount - known))) * Self.riseMilliseconds
    }
  }

  func nextRise(after now: MonotonicTime) -> MonotonicTime {
    let count = Int64(riseCount(at: now)) + 1
    return refusedAt.advanced(byMilliseconds: count * Self.riseMilliseconds)
  }
}

/// What a refusal shows about a host.
package struct HostLimitHint: Sendable, Hashable {
  package var origin: Origin
  /// How many connections the host accepts; nil when the refusal does not show that.
  package var connectionsMax: Int?
  /// The status of the refusal; nil for a connection refused without a response.
  package var status: Int?
  /// How long Kettle must not contact the host: for its Retry-After, for its rate limit, or while a
  /// network requires a login.
  package var closedMilliseconds: Int64?
  /// Whether the transfer follows the verdict that the host cannot be reached.
  package var isOutage = false

  package init(
    origin: Origin, connectionsMax: Int? = nil, status: Int? = nil,
    closedMilliseconds: Int64? = nil
  ) {
    self.origin = origin
    self.connectionsMax = connectionsMax
    self.status = status
    self.closedMilliseconds = closedMilliseconds
  }
}
