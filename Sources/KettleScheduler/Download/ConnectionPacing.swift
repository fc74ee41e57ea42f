import KettleModel

/// When a running download may begin another connection, judged by how earlier ones fared.
struct ConnectionPacing: Sendable, Hashable {
  /// No connection begins before this time: the first one's speed is unknown, or one failed.
  private(set) var nextAt: MonotonicTime?
  /// Failures since the last success.
  private(set) var failureCount = 0
  private(set) var redirectCount = 0
  /// Connections begun for the parts of silent ones, since one was answered.
  private(set) var unansweredTestCount = 0
  /// The bytes present when a connection last began after progress.
  private var arrivedByteCount: Int64 = 0
  /// Connections begun since then.
  private var fruitlessCount = 0
  private var restsUntil: MonotonicTime?
  /// Until when connections that were closed before their end keep their places.
  private var leavingUntil: [MonotonicTime] = []

  /// After so many failures in a row the server is taken not to support several connections.
  static let failureCountMax = 5
  /// How many connections may begin in a row before a byte arrives.
  static let fruitlessCountMax = 16
  static let pauseMilliseconds: Int64 = 1000

  /// Whether a connection may begin beside others now.
  ///
  /// - Parameter presentByteCount: the bytes received so far.
  func permitsConnection(
    presentByteCount: @autoclosure () -> Int64, at now: MonotonicTime
  ) -> Bool {
    if let nextAt, nextAt > now { return false }
    guard let restsUntil, restsUntil > now else { return true }
    return presentByteCount() > arrivedByteCount
  }

  /// Records that a connection begins. Connections that end before they deliver anything, for
  /// whatever reason, do not begin again and again without a pause.
  mutating func recordBegin(presentByteCount: Int64, at now: MonotonicTime) {
    if presentByteCount > arrivedByteCount {
      arrivedByteCount = presentByteCount
      fruitlessCount = 0
    }
    fruitlessCount += 1
    if fruitlessCount >= Self.fruitlessCountMax {
      restsUntil = now.advanced(byMilliseconds: Self.pauseMilliseconds)
    }
  }

  /// Delays further connections until the speed of the first one shows whether they are worthwhile.
  mutating func awaitSpeed(_ policy: DivisionPolicy, at now: MonotonicTime) {
    nextAt = now.advanced(byMilliseconds: policy.speedMilliseconds)
  }

  /// Delays the next connection after a host refused one.
  mutating func pause(at now: MonotonicTime) {
    nextAt = now.advanced(byMilliseconds: Self.pauseMilliseconds)
  }

  /// When another connection may become possible; nil when time changes nothing.
  var wakeUpAt: MonotonicTime? { [nextAt, leavingUntil.min()].compactMap { $0 }.min() }

  /// Whether the next connection is delayed.
  func isPausing(at now: MonotonicTime) -> Bool { nextAt.map { $0 > now } ?? false }

  /// Clears delays that have passed.
  mutating func endPause(at now: MonotonicTime) {
    if let nextAt, nextAt <= now { self.nextAt = nil }
    leavingUntil.removeAll { $0 <= now }
  }

  /// Records that a connection was closed before its end. A new one in its place costs a handshake,
  /// so its place stays taken for a while. This bounds how many connections begin in any time,
  /// whatever closes them.
  mutating func recordClosed(placeTakenFor milliseconds: Int64, at now: MonotonicTime) {
    leavingUntil.removeAll { $0 <= now }
    leavingUntil.append(now.advanced(byMilliseconds: milliseconds))
  }

  /// How many closed connections still have their places.
  func leavingCount(at now: MonotonicTime) -> Int { leavingUntil.count { $0 > now } }

  /// Records the failure of one of several connections; each failure delays the next longer.
  mutating func recordFailure(delayMilliseconds: Int64, at now: MonotonicTime) {
    failureCount += 1
    nextAt = now.advanced(byMilliseconds: delayMilliseconds)
  }

  mutating func recordSuccess() {
    failureCount = 0
    nextAt = nil
  }

  mutating func recordTest() { unansweredTestCount += 1 }

  mutating func recordTestAnswered() { unansweredTestCount = 0 }

  mutating func recordRedirect() { redirectCount += 1 }
}

/// When a transfer gets further connections.
///
/// A connection costs this machine and the server work that does not pay off for a transfer that
/// ends soon. So the first connection shows its speed before others join it. How many join is
/// decided by `ConnectionGrowth`, what each fetches by `ActiveDownload.nextPiece`.
package struct DivisionPolicy: Sendable, Hashable {
  /// Long enough to distinguish a fast connection from a slow one. If eight could have worked in
  /// this time, seven eighths of it are lost.
  package var speedMilliseconds: Int64 = 100
  /// No connection is added if the open ones can deliver the rest within this time.
  package var aloneMillisecondsMax: Int64 = 1000
  /// At this speed it stays alone, however long it takes: it is faster than a gigabit network, and
  /// its limit is this machine, which further connections would only share.
  package var aloneBytesPerSecondMin: Int64 = 128 << 20
  /// How many connections a transfer has at most that does not ask for a number of its own.
  package var connectionsMax = 16

  package init() {}
}
