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
