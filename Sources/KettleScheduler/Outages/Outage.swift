import KettleModel

/// A time during which a peer cannot be reached. One transfer at a time probes it, with growing
/// pauses between the probes.
package struct Outage: Sendable, Hashable {
  package enum Phase: Sendable, Hashable {
    case pausing(until: Moment)
    /// The next transfer in the queue of the host is the probe.
    case due
    case probing(TransferID)
  }

  /// When the first attempt failed.
  package let since: Moment
  /// From when the time counts after which a host that never answered is given up.
  private var countedFrom: MonotonicTime
  /// Of the latest attempt.
  package private(set) var failure: TransferFailure
  package private(set) var failedProbeCount = 0
  package private(set) var phase: Phase
  private(set) var lastFailureAt: MonotonicTime
  /// The position of the waiting transfer that probed last.
  private var lastProbe: QueueKey?

  /// The pauses before each probe after a rejected login; the last one repeats. Repeated attempts
  /// could lock the account.
  static let loginPausesMilliseconds: [Int64] = [60_000, 120_000, 300_000, 600_000]
  /// Every fourth probe is by a queued transfer, so that a host that answers all but a few URLs is
  /// noticed, although those few wait in front.
  static let probesPerQueued = 4

  init(_ failure: TransferFailure, policy: RetryPolicy, jitter: Double, at now: Moment) {
    since = now
    countedFrom = now.monotonic
    self.failure = failure
    lastFailureAt = now.monotonic
    phase = .pausing(
      until: Self.end(ofPause: 0, after: failure, since: now, policy, jitter: jitter, at: now))
  }

  /// When the present pause ends; nil while a probe is due or under way.
  package var nextProbeAt: Moment? {
    switch phase {
    case .pausing(let until): until
    case .due, .probing: nil
    }
  }

  /// Whether queued transfers may start.
  var permitsStart: Bool {
    switch phase {
    case .due: true
    case .pausing, .probing: false
    }
  }

  var wantsQueued: Bool { failedProbeCount % Self.probesPerQueued == Self.probesPerQueued - 1 }

  /// How long attempts have failed; decides whether the host is given up.
  func milliseconds(at now: MonotonicTime) -> Int64 { now.milliseconds(since: countedFrom) }

  /// Records a failed attempt. Only that of the probe begins a new pause.
  mutating func recordFailure(
    _ failure: TransferFailure, of id: TransferID, policy: RetryPolicy, jitter: Double,
    at now: Moment
  ) {
    self.failure = failure
    lastFailureAt = now.monotonic
    guard phase == .probing(id) else { return }
    failedProbeCount += 1
    phase = .pausing(
      until: Self.end(
        ofPause: failedProbeCount, after: failure, since: since, policy, jitter: jitter, at: now))
  }

  /// Lets the next queued transfer probe at once.
  mutating func becomeDue() { phase = .due }

  /// - Parameter key: the position of a transfer that waited; nil for a queued one.
  mutating func beginProbe(by id: TransferID, from key: QueueKey? = nil) {
    phase = .probing(id)
    if let key { lastProbe = key }
  }

  /// Counts the time from now on.
  mutating func restart(at now: MonotonicTime) { countedFrom = now }

  /// Chooses the next prober: the waiting transfers take turns in the order of the queue.
  func nextProber(of waiting: [QueueKey]) -> QueueKey? {
    let sorted = waiting.sorted()
    guard let lastProbe else { return sorted.first }
    return sorted.first { lastProbe < $0 } ?? sorted.first
  }

  /// Returns when a pause ends. Pauses grow from probe to probe. While nothing answers, they stay
  /// short for `silentMillisecondsMax`: only a probe shows that the path works again.
  private static func end(
    ofPause number: Int, after failure: TransferFailure, since: Moment, _ policy: RetryPolicy,
    jitter: Double, at now: Moment
  ) -> Moment {
    let base: Int64
    if failure.code == .proxyLoginNeeded {
      base = loginPausesMilliseconds[min(max(number, 0), loginPausesMilliseconds.count - 1)]
    } else if failure.isSilence,
      now.monotonic.milliseconds(since: since.monotonic) < policy.silentMillisecondsMax
    {
      base = policy.firstProbeMilliseconds
    } else {
      let doublings = min(max(number, 0), 20)
      base = min(policy.firstProbeMilliseconds << doublings, policy.probeMillisecondsMax)
    }
    let milliseconds = base + Int64(Double(base) * 0.25 * min(max(jitter, 0), 1))
    return Moment(
      monotonic: now.monotonic.advanced(byMilliseconds: milliseconds),
      wall: now.wall.advanced(byMilliseconds: milliseconds))
  }
}

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

/// What a transfer must reach.
package enum Peer: Sendable, Hashable {
  case host(Origin)
  /// A proxy, by its host and port.
  case proxy(String)

  /// Why transfers wait for it.
  var waitingReason: WaitingReason {
    switch self {
    case .host: .hostUnreachable
    case .proxy: .proxy
    }
  }
}

/// What a transfer that waits for a peer learns about it.
package enum PeerNews: Sendable, Hashable {
  case answers
  /// This transfer is the next to try it.
  case probe
  /// The next attempt is made at this time.
  case pausing(until: Moment)
  case givenUp
}

/// What the failure of an attempt means for its peer.
package enum OutageVerdict: Sendable, Hashable {
  /// Nothing: the failure is of the transfer.
  case notOfPeer
  /// It cannot be reached; the next attempt is made at this time.
  case pausing(Peer, until: Moment)
  /// It has never answered, and was tried for long enough.
  case givenUp(Peer)
}

extension TransferFailure {
  /// The peer that cannot be reached, if this failure before a response can show that.
  func peer(at origin: Origin) -> Peer? {
    switch code {
    case .hostNotFound, .nameServerSilent, .connectionRefused, .timedOut, .networkDown:
      .host(origin)
    case .proxyUnreachable, .proxyLoginNeeded: .proxy(subject)
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .otherVersion, .otherFile, .webPage,
      .checksumListUnusable, .metalinkUnusable, .torrentUnusable, .wrongPiece, .playlistUnusable,
      .listUnusable, .membersUnfinished, .membersFailed,
      .liveStream,
      .contradictoryReply, .connectionLost, .noDataConnection, .tlsRefused, .proxyFailed,
      .protocolBroken,
      .certificateFileUnusable, .clientCertificateNeeded, .headersFileUnusable, .truncated,
      .tooLong,
      .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .partialFileChanged, .notContinued, .unpackingFailed, .uploadFileUnusable,
      .storeRefused, .storeUnavailable, .uploadGone, .cancelled, .conditionUnmet,
      .internalProblem:
      nil
    }
  }

  /// Whether nothing has answered, neither the host nor a machine that speaks for it: packets were
  /// lost on the way, or a router knows no way.
  var isSilence: Bool { [.timedOut, .nameServerSilent, .networkDown].contains(code) }
}
