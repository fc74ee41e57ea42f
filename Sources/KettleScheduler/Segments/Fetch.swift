import KettleModel

/// What a running transfer fetches: its connections, and which bytes of the file it has.
///
/// The reply to the first connection, the opener, shows what the file is and opens the partial
/// file; only then do others join. docs/downloading.md explains how the file is divided.
package struct Fetch: Sendable, Hashable {
  package enum Body: Sendable, Hashable {
    /// The opener's head has not arrived.
    case closed
    case opening(BodyPlan)
    /// The store has not recorded it yet.
    case opened
    /// Bytes may flow into it.
    case open
  }

  /// Whether several parts of the file may be fetched at once.
  package enum Splitting: Sendable, Hashable {
    case allowed
    /// The server does not serve parts, or gives no proof that two belong together.
    case refused
  }

  package var asking: Asking
  package var body = Body.closed
  /// Live attempts; the opener is first while the body is not open.
  package var lanes: [Lane]
  /// The durable bytes at the start plus what ended connections delivered. Not all of it is synced.
  package var received: ByteRangeSet
  /// How many bytes were durable when the body was opened.
  package var heldAtStartByteCount: Int64 = 0
  package var splitting = Splitting.allowed
  /// How further connections prove that their part belongs to the file.
  package var proof: RequestedRange.Proof
  /// Where further connections send their requests: the target of the opener's redirects, so that
  /// they need not follow them again.
  package private(set) var laneURL: TransferURL
  /// The redirects that led there.
  private(set) var laneRedirects: RedirectChain
  /// No connection begins before this time: the first one's speed is unknown, or one failed.
  package var nextLaneAt: MonotonicTime?
  /// Connection failures since the last success.
  package var failureCount = 0
  package var redirectedLaneCount = 0
  /// Bytes per second of the last ended connection that had a speed; 0 while there is none.
  private(set) var endedLaneSpeed: Int64 = 0
  /// The bytes present when a connection last began, and later starts without progress.
  private var arrivedByteCount: Int64 = 0
  private var fruitlessLaneCount = 0
  private var restsUntil: MonotonicTime?

  static let failureCountMax = 5
  /// How many connections may begin in a row before a byte arrives.
  static let fruitlessLaneCountMax = 16
  /// A connection cancelled after this much silence counts as cancelled for its silence.
  static let deadMillisecondsMin: Int64 = 2000

  package init(opener: Lane, asking: Asking, received: ByteRangeSet) {
    self.asking = asking
    lanes = [opener]
    self.received = received
    heldAtStartByteCount = received.byteCount
    proof = .sameValidator
    laneURL = opener.url
    laneRedirects = opener.redirects.restarted
  }

  /// Directs further connections to the URL that served this one.
  mutating func sendLanes(after lane: Lane) { sendLanes(to: lane.url, lane.redirects) }

  /// Directs further connections to the target of these redirects.
  mutating func sendLanes(to url: TransferURL, _ redirects: RedirectChain) {
    laneURL = url
    laneRedirects = redirects.restarted
  }

  package func index(of attempt: AttemptID) -> Int? {
    lanes.firstIndex { $0.attempt == attempt }
  }

  package var attempts: [AttemptID] { lanes.map(\.attempt) }

  /// The attempts of connections that are not leaving.
  package var activeAttempts: [AttemptID] {
    lanes.filter { $0.phase != .leaving }.map(\.attempt)
  }

  package var activeCount: Int { lanes.count { $0.phase != .leaving } }

  /// Removes a connection and keeps the bytes that it delivered.
  mutating func remove(_ attempt: AttemptID, receivedUpTo: Int64?) -> Lane? {
    guard let index = index(of: attempt) else { return nil }
    var lane = lanes.remove(at: index)
    if lane.speed.bytesPerSecond > 0 { endedLaneSpeed = lane.speed.bytesPerSecond }
    if let receivedUpTo {
      lane.receivedUpTo = max(lane.receivedUpTo, receivedUpTo)
      let lower = lane.range?.lower ?? lane.asked?.lower ?? 0
      if let brought = ByteRange(lower: lower, upper: max(lower, receivedUpTo)) {
        received.insert(brought)
      }
    }
    return lane
  }

  /// Bytes that are present or on their way.
  var covered: ByteRangeSet {
    var covered = received
    for lane in lanes {
      guard let range = lane.range else { continue }
      switch lane.phase {
      case .asking, .flowing: covered.insert(range)
      case .leaving:
        if let brought = ByteRange(lower: range.lower, upper: max(range.lower, lane.receivedUpTo)) {
          covered.insert(brought)
        }
      }
    }
    return covered
  }

  /// Whether another connection may begin now, judging by earlier connections.
  func mayBeginLane(at now: MonotonicTime) -> Bool {
    // The only connection is not delayed: without one, the transfer would be queued again.
    if lanes.isEmpty { return true }
    if let nextLaneAt, nextLaneAt > now { return false }
    guard let restsUntil, restsUntil > now else { return true }
    return presentByteCount > arrivedByteCount
  }

  /// Records that a connection begins. Connections that end before they deliver anything, for
  /// whatever reason, do not begin again and again without a pause.
  mutating func laneBegins(at now: MonotonicTime) {
    let present = presentByteCount
    if present > arrivedByteCount {
      arrivedByteCount = present
      fruitlessLaneCount = 0
    }
    fruitlessLaneCount += 1
    if fruitlessLaneCount >= Self.fruitlessLaneCountMax {
      restsUntil = now.advanced(byMilliseconds: Self.pauseMilliseconds)
    }
  }

  /// How many bytes are present, in the file or in the connections; duplicates count once.
  private var presentByteCount: Int64 {
    var present = received
    for lane in lanes {
      guard let lower = lane.range?.lower,
        let brought = ByteRange(lower: lower, upper: max(lower, lane.receivedUpTo))
      else { continue }
      present.insert(brought)
    }
    return present.byteCount
  }

  /// Delays further connections until the speed of the first one shows whether they are worthwhile.
  mutating func awaitSpeed(_ policy: DivisionPolicy, at now: MonotonicTime) {
    nextLaneAt = now.advanced(byMilliseconds: policy.speedMilliseconds)
  }

  /// Clears `nextLaneAt` once it has passed.
  mutating func endPause(at now: MonotonicTime) {
    if let nextLaneAt, nextLaneAt <= now { self.nextLaneAt = nil }
  }

  /// Records the failure of one of several connections; each failure delays the next longer.
  mutating func laneFailed(delayMilliseconds: Int64, at now: MonotonicTime) {
    failureCount += 1
    nextLaneAt = now.advanced(byMilliseconds: delayMilliseconds)
  }

  /// After a host refused a connection, the next one is delayed.
  mutating func pause(at now: MonotonicTime) {
    nextLaneAt = now.advanced(byMilliseconds: Self.pauseMilliseconds)
  }

  static let pauseMilliseconds: Int64 = 1000

  mutating func laneSucceeded() {
    failureCount = 0
    nextLaneAt = nil
  }
}
