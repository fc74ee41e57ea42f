import KettleModel

/// How many connections each host has and accepts, and which hosts must not be contacted for a
/// while.
///
/// Limits are learned from refusals and forgotten after a time: a limit may reflect one bad hour.
package struct HostTable: Sendable {
  /// What a refusal reveals about a host.
  package struct Lesson: Sendable, Hashable {
    package var origin: Origin
    /// How many connections the host accepts; nil when the refusal does not show that.
    package var connectionsMax: Int?
    /// How long the host must not be contacted (Retry-After).
    package var closedMilliseconds: Int64?

    package init(origin: Origin, connectionsMax: Int? = nil, closedMilliseconds: Int64? = nil) {
      self.origin = origin
      self.connectionsMax = connectionsMax
      self.closedMilliseconds = closedMilliseconds
    }
  }

  private struct Learned: Sendable {
    var connectionsMax: Int
    var until: MonotonicTime
  }

  static let rememberedMilliseconds: Int64 = 10 * 60_000

  private var origins: [AttemptID: Origin] = [:]
  private var counts: [Origin: Int] = [:]
  private var learned: [Origin: Learned] = [:]
  private var closedUntil: [Origin: MonotonicTime] = [:]
  /// When a connection that had been served was last closed.
  private var leftAt: [Origin: MonotonicTime] = [:]
  private var served: Set<AttemptID> = []
  /// Still open, but refused by the host.
  private var refused: Set<AttemptID> = []

  /// For this long a host may still count a connection that we have closed.
  static let leavingMilliseconds: Int64 = 2000

  package init() {}

  package var connectionCount: Int { origins.count }

  package func connectionCount(at origin: Origin) -> Int { counts[origin] ?? 0 }

  package mutating func opened(_ attempt: AttemptID, at origin: Origin) {
    origins[attempt] = origin
    counts[origin, default: 0] += 1
  }

  /// Records that the host serves this connection.
  package mutating func serves(_ attempt: AttemptID) { served.insert(attempt) }

  package mutating func refuses(_ attempt: AttemptID) { refused.insert(attempt) }

  /// How many other connections of the same host have not been refused.
  package func otherCount(than attempt: AttemptID) -> Int {
    guard let origin = origins[attempt] else { return 0 }
    return origins.count { $0.key != attempt && $0.value == origin && !refused.contains($0.key) }
  }

  package mutating func closed(_ attempt: AttemptID, at now: MonotonicTime) {
    guard let origin = origins.removeValue(forKey: attempt) else { return }
    refused.remove(attempt)
    if served.remove(attempt) != nil { leftAt[origin] = now }
    let left = connectionCount(at: origin) - 1
    counts[origin] = left > 0 ? left : nil
  }

  package func origin(of attempt: AttemptID) -> Origin? { origins[attempt] }

  package mutating func learn(_ lesson: Lesson, at now: MonotonicTime) {
    if var count = lesson.connectionsMax {
      let left = leftAt[lesson.origin]
      if let left, now.milliseconds(since: left) < Self.leavingMilliseconds { count += 1 }
      let known = connectionsMax(at: lesson.origin, now) ?? .max
      learned[lesson.origin] = Learned(
        connectionsMax: max(1, min(count, known)),
        until: now.advanced(byMilliseconds: Self.rememberedMilliseconds))
    }
    if let milliseconds = lesson.closedMilliseconds {
      let until = now.advanced(byMilliseconds: milliseconds)
      closedUntil[lesson.origin] = max(until, closedUntil[lesson.origin] ?? until)
    }
  }

  /// The learned limit of a host; nil when it has not refused any connection lately.
  package func connectionsMax(at origin: Origin, _ now: MonotonicTime) -> Int? {
    guard let known = learned[origin], known.until > now else { return nil }
    return known.connectionsMax
  }

  /// Lifts the pause because the user wants the host contacted now.
  package mutating func reopen(_ origin: Origin) { closedUntil[origin] = nil }

  package func isClosed(_ origin: Origin, at now: MonotonicTime) -> Bool {
    closedUntil[origin].map { $0 > now } ?? false
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

  /// When the next host may be contacted again; nil when none is closed.
  package var nextOpening: MonotonicTime? {
    // One that has just expired counts: `timePassed` is due then.
    closedUntil.values.min()
  }

  /// Removes expired entries.
  package mutating func forget(at now: MonotonicTime) {
    closedUntil = closedUntil.filter { $0.value > now }
    learned = learned.filter { $0.value.until > now }
    leftAt = leftAt.filter { now.milliseconds(since: $0.value) < Self.leavingMilliseconds }
  }
}
