import KettleModel

/// Connections that deliver nothing: what each holds is requested by another one, and whichever
/// delivers first keeps it.
///
/// Silence counts from the request on: a router that has forgotten the connection looks like a
/// server that thinks. After a change of the network every connection is suspect at once. While
/// nothing arrives at all, the network may be gone; then two connections test it, and the old ones
/// stay until one of these is answered.
extension ActiveDownload {
  /// How long a connection may be silent before another requests its part. Servers that limit their
  /// speed send in bursts up to a second apart.
  static let silentMillisecondsMin: Int64 = 2500
  /// How long a connection may be silent after a change of the network.
  static let suspectMillisecondsMin: Int64 = 200
  /// How many connections test whether the network is back.
  static let testCountMax = 2
  /// How often the patience with unanswered requests doubles.
  static let patienceDoublingsMax = 3

  /// Whether a connection has been silent for so long that another may request its part.
  func isSilent(_ connection: DownloadConnection, at now: MonotonicTime) -> Bool {
    let roundTrip = roundTripMilliseconds ?? 0
    // A sample that does not arrive delays nothing.
    if connection.phase == .closing || connection.isSample { return false }
    if let milliseconds = connection.suspectMilliseconds(at: now),
      milliseconds >= max(Self.suspectMillisecondsMin, 2 * roundTrip)
    {
      return true
    }
    let patience: Int64
    switch connection.phase {
    case .closing: return false
    case .requesting:
      let doublings = min(pacing.unansweredTestCount, Self.patienceDoublingsMax)
      patience = max(Self.silentMillisecondsMin, 8 * roundTrip) << Int64(doublings)
    case .receiving:
      if connection.missingByteCount == 0 { return false }
      patience = Self.silentMillisecondsMin
    }
    return now.milliseconds(since: connection.lastProgressAt) >= patience
  }

  /// A time in which nothing has come, on any connection.
  package struct Silence: Sendable, Hashable {
    package var since: MonotonicTime
    /// The attempt that was silent for the shortest time, and its host.
    package var attempt: AttemptID
    package var host: String
  }

  /// The shortest silence that is shown to the user.
  static let toldMillisecondsMin: Int64 = 5000

  /// nil while something comes, and before that is known.
  package func silence(at now: MonotonicTime) -> Silence? {
    let active = connections.filter { $0.phase != .closing }
    guard let latest = active.max(by: { $0.lastProgressAt < $1.lastProgressAt }),
      now.milliseconds(since: latest.lastProgressAt) >= Self.toldMillisecondsMin
    else { return nil }
    return Silence(
      since: latest.lastProgressAt, attempt: latest.attempt, host: latest.url.host)
  }

  /// Whether all connections are silent.
  func isSilent(at now: MonotonicTime) -> Bool {
    let delivering = fetching.filter { $0.phase == .receiving }
    return !delivering.isEmpty && delivering.allSatisfy { isSilent($0, at: now) }
  }

  /// Whether nothing arrives on any connection, of which there is at least one. One that ends then
  /// for its silence shows something of the network, and nothing of the server or of several
  /// connections to it.
  func isMute(at now: MonotonicTime) -> Bool {
    activeCount > 0
      && connections.allSatisfy { connection in
        switch connection.phase {
        case .closing, .requesting: true
        case .receiving: isSilent(connection, at: now)
        }
      }
  }

  /// A part whose connection is silent, for a second connection; nil when there is none that only
  /// one connection fetches.
  func silentPart(of connections: [DownloadConnection], at now: MonotonicTime) -> Piece? {
    if isSilent(at: now) {
      let testCount = connections.count { $0.replaces != nil && $0.phase == .requesting }
      if testCount >= Self.testCountMax { return nil }
    }
    let silent = connections.filter { connection in
      guard isSilent(connection, at: now) else { return false }
      // The owner of a share keeps fetching it until the other connection is answered.
      guard connection.phase == .requesting, let owner = connection.owner else { return true }
      return !connections.contains { $0.attempt == owner && $0.phase != .closing }
    }
    guard
      let largest = Self.unshared(silent, among: connections)
        .max(by: { $0.missingByteCount < $1.missingByteCount })
    else { return nil }
    return copy(of: largest, because: .silence)
  }

  /// Marks every connection after a change of the network.
  mutating func suspectAll(at now: MonotonicTime) {
    for index in connections.indices { connections[index].suspect(at: now) }
  }

  /// Closes the silent connection whose part an answered one has requested as well. Returns its
  /// attempt; nil when it has delivered in the meantime.
  mutating func closeReplaced(by connection: DownloadConnection) -> AttemptID? {
    pacing.recordTestAnswered()
    guard let silent = connection.replaces, let index = index(of: silent),
      connections[index].phase != .closing,
      connections[index].lastProgressAt <= connection.begunAt
    else { return nil }
    connections[index].replacedBy = connection.attempt
    connections[index].phase = .closing
    return silent
  }

  /// Closes unanswered connections whose part is delivered after all by the one that was silent.
  mutating func closeSuperfluousTests() -> [AttemptID] {
    var closed: [AttemptID] = []
    for index in connections.indices where connections[index].phase == .requesting {
      let connection = connections[index]
      guard let silent = connection.replaces.flatMap({ self.connection(of: $0) }),
        silent.phase == .receiving, silent.lastProgressAt > connection.begunAt
      else { continue }
      connections[index].replacedBy = silent.attempt
      connections[index].phase = .closing
      closed.append(connection.attempt)
    }
    return closed
  }

  /// Whether a connection that has been silent for very long is to be closed. The old ones stay
  /// while others test the network.
  func isDead(_ connection: DownloadConnection, after limit: Int64, at now: MonotonicTime) -> Bool {
    guard now.milliseconds(since: connection.lastProgressAt) >= limit else { return false }
    switch connection.phase {
    case .closing: return false
    // The first response shows what the file is.
    case .requesting: if body != .open || activeCount == 1 { return false }
    case .receiving: if connection.missingByteCount == 0 { return false }
    }
    let isTesting =
      connections.contains { $0.replaces != nil && $0.phase == .requesting }
      || pacing.isPausing(at: now)
    return !isSilent(at: now) || !isTesting
  }
}
