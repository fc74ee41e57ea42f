import KettleModel

/// How many connections each host has and accepts, and which hosts must not be contacted for a
/// while.
///
/// Limits are learned from refusals and forgotten after a time: a limit may reflect one bad hour.
package struct HostTable: Sendable {
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

  package mutating func open(_ attempt: AttemptID, at origin: Origin) {
    origins[attempt] = origin
    counts[origin, default: 0] += 1
  }

  /// Records that the host serves this connection.
  package mutating func recordService(of attempt: AttemptID) {
    if origins[attempt] != nil { served.insert(attempt) }
  }

  /// Records that the host refused this connection, which is still open.
  package mutating func recordRefusal(of attempt: AttemptID) {
    if origins[attempt] != nil { refused.insert(attempt) }
  }

  /// How many other connections of the same host have not been refused.
  package func otherCount(than attempt: AttemptID) -> Int {
    guard let origin = origins[attempt] else { return 0 }
    return origins.count { $0.key != attempt && $0.value == origin && !refused.contains($0.key) }
  }

  package mutating func close(_ attempt: AttemptID, at now: MonotonicTime) {
    guard let origin = origins.removeValue(forKey: attempt) else { return }
    refused.remove(attempt)
    if served.remove(attempt) != nil { leftAt[origin] = now }
    let left = connectionCount(at: origin) - 1
    counts[origin] = left > 0 ? left : nil
  }

  package func origin(of attempt: AttemptID) -> Origin? { origins[attempt] }

  package mutating func learn(_ hint: HostLimitHint, at now: MonotonicTime) {
    if var count = hint.connectionsMax {
      let left = leftAt[hint.origin]
      if let left, now.milliseconds(since: left) < Self.leavingMilliseconds { count += 1 }
      let known = connectionsMax(at: hint.origin, now) ?? .max
      learned[hint.origin] = Learned(
        connectionsMax: max(1, min(count, known)),
        until: now.advanced(byMilliseconds: Self.rememberedMilliseconds))
    }
    if let milliseconds = hint.closedMilliseconds {
      let until = now.advanced(byMilliseconds: milliseconds)
      closedUntil[hint.origin] = max(until, closedUntil[hint.origin] ?? until)
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
