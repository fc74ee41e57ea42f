import KettleModel

/// What a running transfer fetches: its connections, and what of the file is there.
///
/// The first lane, the opener, learns from its reply what the file is and opens the partial file;
/// only then do others join. See docs/architecture.md for how the file is divided.
package struct Fetch: Sendable, Hashable {
  package enum Body: Sendable, Hashable {
    /// The opener's head has not come.
    case closed
    case opening(BodyPlan)
    /// The store does not know it yet.
    case opened
    /// Bytes may flow into it.
    case open
  }

  /// Whether the file may be fetched in several parts at once.
  package enum Splitting: Sendable, Hashable {
    case allowed
    /// The server does not serve parts, or gives nothing that proves that two belong together.
    case refused
  }

  package var asking: Asking
  package var body = Body.closed
  /// Live attempts; the opener first while the body is not open.
  package var lanes: [Lane]
  /// What was held at the start and what ended lanes have brought since. It is not all synced.
  package var received: HeldRanges
  /// What was held when the body was opened.
  package var heldAtStartByteCount: Int64 = 0
  package var splitting = Splitting.allowed
  /// How further lanes prove that their part belongs to the file.
  package var proof: AskedRange.Proof
  /// Where further lanes ask: where the redirects of the opener led, so that each does not take the
  /// same way again.
  package private(set) var laneURL: TransferURL
  /// What led there.
  private(set) var laneRedirects: RedirectChain
  /// No further lane before this time: the first one's speed is not known, or one failed.
  package var nextLaneAt: MonotonicTime?
  /// Failures of lanes since one of them brought what it should.
  package var failureCount = 0
  package var redirectedLaneCount = 0
  /// Bytes a second of the lane that ended last and had a speed; 0 while none has.
  private(set) var endedLaneSpeed: Int64 = 0
  /// What was there when a lane was last begun, and how many were begun since that did not change.
  private var arrivedByteCount: Int64 = 0
  private var fruitlessLaneCount = 0
  private var restsUntil: MonotonicTime?

  static let failureCountMax = 5
  /// So many lanes may be begun one after the other before a byte comes.
  static let fruitlessLaneCountMax = 16
  /// A lane that is given up after so much silence is given up for its silence.
  static let deadMillisecondsMin: Int64 = 2000

  package init(opener: Lane, asking: Asking, received: HeldRanges) {
    self.asking = asking
    lanes = [opener]
    self.received = received
    heldAtStartByteCount = received.byteCount
    proof = .sameValidator
    laneURL = opener.url
    laneRedirects = opener.redirects.restarted
  }

  /// Lets further lanes ask where this one was answered.
  mutating func sendLanes(after lane: Lane) { sendLanes(to: lane.url, lane.redirects) }

  /// Lets further lanes ask where these redirects led.
  mutating func sendLanes(to url: TransferURL, _ redirects: RedirectChain) {
    laneURL = url
    laneRedirects = redirects.restarted
  }

  package func index(of attempt: AttemptID) -> Int? {
    lanes.firstIndex { $0.attempt == attempt }
  }

  package var attempts: [AttemptID] { lanes.map(\.attempt) }

  /// Those of lanes that are not on their way out.
  package var activeAttempts: [AttemptID] {
    lanes.filter { $0.phase != .leaving }.map(\.attempt)
  }

  package var activeCount: Int { lanes.count { $0.phase != .leaving } }

  /// Takes a lane out, with what it has brought.
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

  /// What is there or on its way.
  var covered: HeldRanges {
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

  /// Whether another lane may be begun now, as far as those before it tell.
  func mayBeginLane(at now: MonotonicTime) -> Bool {
    // The last one is not put off: without any the transfer would go back in line.
    if lanes.isEmpty { return true }
    if let nextLaneAt, nextLaneAt > now { return false }
    guard let restsUntil, restsUntil > now else { return true }
    return presentByteCount > arrivedByteCount
  }

  /// Notes that a lane is begun. Lanes that are given up before they bring anything, for whatever
  /// reason, are not begun again and again without a pause.
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

  /// How much of the file is there, in the file or in the lanes; what came twice counts once.
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

  /// Whether another connection is worth having is for the speed of the first one to say.
  mutating func awaitSpeed(_ policy: DivisionPolicy, at now: MonotonicTime) {
    nextLaneAt = now.advanced(byMilliseconds: policy.speedMilliseconds)
  }

  /// Forgets the time before which no further lane was to begin, once it has come.
  mutating func endPause(at now: MonotonicTime) {
    if let nextLaneAt, nextLaneAt <= now { self.nextLaneAt = nil }
  }

  /// Notes a failure of one of several lanes; the next one waits a little longer each time.
  mutating func laneFailed(delayMilliseconds: Int64, at now: MonotonicTime) {
    failureCount += 1
    nextLaneAt = now.advanced(byMilliseconds: delayMilliseconds)
  }

  /// A host that has just refused a connection is not asked for the next one at once.
  mutating func pause(at now: MonotonicTime) {
    nextLaneAt = now.advanced(byMilliseconds: Self.pauseMilliseconds)
  }

  static let pauseMilliseconds: Int64 = 1000

  mutating func laneSucceeded() {
    failureCount = 0
    nextLaneAt = nil
  }
}
