import KettleModel

/// When a host asks the table, and how it stands with it.
struct CallTiming: Sendable {
  var nextBeat: MonotonicTime
  var nextClaim: MonotonicTime
  /// After a failure.
  var pausedUntil: MonotonicTime
  private var failureCount = 0
  private(set) var problem: FleetError?
  private(set) var hasWork = false
  /// When work that was queued shortly after a notification is looked for: there is at most one
  /// notification in a second.
  private var secondLook: MonotonicTime?
  private(set) var beatCount = 0

  /// While something runs, for those who look.
  static let busyBeatMilliseconds: Int64 = 5000
  static let pauseMaxMilliseconds: Int64 = 8000
  static let secondLookMilliseconds: Int64 = 1100
  /// An idle host hears of new work; this is for a notification that was lost.
  static let idleClaimMilliseconds: Int64 = 60_000

  init(at now: MonotonicTime) {
    nextBeat = now
    nextClaim = now
    pausedUntil = now
  }

  mutating func failed(_ problem: FleetError, at now: MonotonicTime) {
    self.problem = problem
    failureCount = min(failureCount + 1, 10)
    let pause = min(Self.pauseMaxMilliseconds, 250 << Int64(failureCount))
    pausedUntil = now.advanced(byMilliseconds: pause)
    // The first answer shows what was lost meanwhile.
    nextBeat = now
  }

  mutating func succeeded() {
    problem = nil
    failureCount = 0
  }

  mutating func claimed(
    _ reply: FleetClaimRequest.Reply, of asked: Int, at now: MonotonicTime
  ) {
    hasWork = reply.claims.count >= asked
    let pause = hasWork ? 0 : reply.nextMilliseconds.map { max(50, $0) }
    nextClaim = now.advanced(byMilliseconds: pause ?? Self.idleClaimMilliseconds)
    if let second = secondLook, second > now { nextClaim = min(nextClaim, second) }
    secondLook = nil
  }

  mutating func workQueued(at now: MonotonicTime) {
    nextClaim = min(nextClaim, now)
    secondLook = now.advanced(byMilliseconds: Self.secondLookMilliseconds)
  }

  mutating func beaten(
    _ reply: FleetBeat.Reply, lease: Int64, isBusy: Bool, awaitsOrders: Bool,
    at now: MonotonicTime
  ) {
    beatCount += 1
    let third = max(1, lease / 3)
    let pause = awaitsOrders ? 0 : isBusy ? min(third, Self.busyBeatMilliseconds) : third
    nextBeat = now.advanced(byMilliseconds: pause)
    if reply.hasWork { nextClaim = min(nextClaim, now) }
    if let expiry = reply.nextExpiryMilliseconds {
      nextClaim = min(nextClaim, now.advanced(byMilliseconds: max(50, expiry)))
    }
  }
}
