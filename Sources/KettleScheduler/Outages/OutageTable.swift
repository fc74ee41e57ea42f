import KettleModel

/// Which peers cannot be reached, and which hosts have responded lately.
package struct OutageTable: Sendable {
  private var outages: [Peer: Outage] = [:]
  /// When each host last responded during this run of the service.
  private var responses: [Origin: WallTime] = [:]
  /// The times of responses that the store has recorded.
  private var recorded: [Origin: WallTime]

  /// The shortest time between two records of the last response of a host.
  static let recordMilliseconds: Int64 = 3_600_000

  /// - Parameter responses: when each host last responded, as recorded in the store.
  package init(responses: [Origin: WallTime] = [:]) {
    recorded = responses
  }

  package func outage(of peer: Peer) -> Outage? { outages[peer] }

  package var peers: Set<Peer> { Set(outages.keys) }

  /// Whether queued transfers may start that need this peer.
  package func permitsStart(at peer: Peer) -> Bool { outages[peer]?.permitsStart ?? true }

  func isProbed(_ peer: Peer) -> Bool { probers.contains { $0.peer == peer } }

  /// The peers that are being probed, and by which transfers.
  var probers: [(peer: Peer, id: TransferID)] {
    outages.compactMap { peer, outage in
      switch outage.phase {
      case .probing(let id): (peer, id)
      case .pausing, .due: nil
      }
    }.sorted { $0.id < $1.id }
  }

  /// When the next probe is due; nil when none is planned.
  var nextProbeAt: MonotonicTime? { outages.values.compactMap(\.nextProbeAt?.monotonic).min() }

  func due(at now: MonotonicTime) -> [Peer] {
    outages.filter { $0.value.nextProbeAt.map { $0.monotonic <= now } ?? false }.map(\.key)
  }

  // MARK: Failures

  /// Records an attempt that failed because its peer could not be reached.
  ///
  /// - Parameter isKnown: whether the host has served the transfer before.
  /// - Returns: what follows for the transfers that wait for it.
  mutating func recordFailure(
    _ failure: TransferFailure, of peer: Peer, by id: TransferID, isKnown: Bool,
    policy: RetryPolicy, jitter: Double, at now: Moment
  ) -> OutageVerdict {
    // Without a way to it, nothing shows whether it exists.
    let isServed =
      isKnown || failure.code == .networkDown || hasResponded(peer, policy, at: now.wall)
    // It is more likely misspelled than gone.
    if failure.code == .hostNotFound, !isServed { return .notOfPeer }
    let limit = policy.unservedMillisecondsMax
    if !isServed, let outage = outages[peer],
      outage.milliseconds(at: outage.lastFailureAt) >= limit,
      now.monotonic.milliseconds(since: outage.lastFailureAt) >= limit
    {
      // The host was given up long ago, and a transfer tries it again: the five minutes restart.
      outages[peer] = nil
    }
    var outage = outages[peer] ?? Outage(failure, policy: policy, jitter: jitter, at: now)
    outage.recordFailure(failure, of: id, policy: policy, jitter: jitter, at: now)
    defer { outages[peer] = outage }
    if !isServed, outage.milliseconds(at: now.monotonic) >= limit {
      outage.becomeDue()
      return .givenUp(peer)
    }
    return .pausing(peer, until: outage.nextProbeAt ?? now)
  }

  private func hasResponded(_ peer: Peer, _ policy: RetryPolicy, at now: WallTime) -> Bool {
    switch peer {
    case .host(let origin):
      if responses[origin] != nil { return true }
      guard let last = recorded[origin] else { return false }
      return now <= last.advanced(byMilliseconds: policy.servedMilliseconds)
    // A proxy comes from the configuration, so it is not a mistyped URL.
    case .proxy: return true
    }
  }

  // MARK: Probes

  mutating func change(_ peer: Peer, _ change: (inout Outage) -> Void) {
    guard var outage = outages[peer] else { return }
    change(&outage)
    outages[peer] = outage
  }

  /// Ends the outage. Returns whether there was one.
  mutating func end(_ peer: Peer) -> Bool { outages.removeValue(forKey: peer) != nil }

  /// Counts the time without a response from now on: the network was gone.
  mutating func restart(at now: MonotonicTime) {
    for peer in outages.keys { outages[peer]?.restart(at: now) }
  }

  // MARK: Responses

  /// Whether the host has responded during this run of the service.
  package func hasResponded(_ origin: Origin) -> Bool { responses[origin] != nil }

  mutating func recordResponse(of origin: Origin, at now: WallTime) { responses[origin] = now }

  /// The change that records the last response of a host; nil when the store's record is recent
  /// enough.
  mutating func changeToRecord(_ origin: Origin) -> JournalChange? {
    guard let last = responses[origin] else { return nil }
    if let known = recorded[origin], known <= last,
      last < known.advanced(byMilliseconds: Self.recordMilliseconds)
    {
      return nil
    }
    recorded[origin] = last
    return .hostServed(origin, at: last)
  }
}
