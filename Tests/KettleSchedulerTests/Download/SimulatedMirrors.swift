import KettleModel
import KettleScheduler

/// Several hosts of one file, each with a rate of its own, in time that is counted and not waited
/// for. Bytes of a host that lies are compared like those that the writer gets.
struct SimulatedMirrors {
  struct Host {
    /// What all its connections get together.
    var bytesPerSecond: Int64
    /// Whether it serves another file of the same length.
    var lies = false
    /// When it stops to answer; nil for never.
    var failsAtMilliseconds: Int64?
  }

  private struct Connection {
    var plan: AttemptPlan
    var isAnswered = false
    var isFlowing = false
    var answersAt: Int64
    var upTo: Int64 = 0
    var upper: Int64
    var credit = 0.0
  }

  let hosts: [String: Host]
  let total: Int64
  let roundTripMilliseconds: Int64
  private(set) var script = SchedulerScript()
  private(set) var milliseconds: Int64 = 0
  /// The bytes in the file, and those of them that are wrong.
  private(set) var written = ByteRangeSet()
  private(set) var wrong = ByteRangeSet()
  /// The bytes that each host has sent.
  private(set) var sent: [String: Int64] = [:]
  private var connections: [AttemptID: Connection] = [:]
  private var handledActionCount = 0

  static let stepMilliseconds: Int64 = 10

  init(_ hosts: [String: Host], total: Int64, roundTripMilliseconds: Int64 = 20) {
    self.hosts = hosts
    self.total = total
    self.roundTripMilliseconds = roundTripMilliseconds
  }

  /// Plays a download from the first host and its mirrors. Returns its duration, or nil if it
  /// exceeds ten minutes.
  mutating func download(from names: [String], connections count: Int? = nil) -> Int64? {
    var wanted = spec("http://\(names[0])/a.iso")
    wanted.options.mirrors = names.dropFirst().map { url("http://\($0)/a.iso") }
    wanted.connections = count
    let id = script.add(wanted)
    while milliseconds < 600_000 {
      perform()
      if script.state(id) == .verifying { return milliseconds }
      step(id)
    }
    return nil
  }

  private mutating func perform() {
    while handledActionCount < script.actions.count {
      let action = script.actions[handledActionCount]
      handledActionCount += 1
      switch action {
      case .beginAttempt(_, let plan):
        connections[plan.attempt] = Connection(
          plan: plan, answersAt: milliseconds + 2 * roundTripMilliseconds, upper: total)
      case .cancelAttempt(let attempt): end(attempt, .cancelled)
      case .shortenAttempt(_, let attempt, let upper):
        let upTo = connections[attempt]?.upTo ?? 0
        connections[attempt]?.upper = max(upper, upTo)
      case .openBody(_, let attempt, .create(let new)):
        script.opened(attempt, partial(total: total, entityTag: new.validator?.entityTag))
      case .openBody(_, let attempt, .goOn(let data)): script.opened(attempt, data)
      case .acceptBody(_, let attempt, let range):
        connections[attempt]?.isFlowing = true
        connections[attempt]?.upTo = range?.lower ?? 0
        let known = connections[attempt]?.upper ?? total
        connections[attempt]?.upper = min(range?.upper ?? known, known)
      case .closeBody: script.closed(durable: written)
      case .acceptDocument, .acceptSegment, .discardPartialFile, .checkBlocks, .computeDigest,
        .unpackFile, .storeFile,
        .readTitle,
        .placeFile, .discardFinishedFile,
        .limit, .addMembers:
        break
      }
    }
  }

  private mutating func answer(_ attempt: AttemptID, _ plan: AttemptPlan) {
    connections[attempt]?.isAnswered = true
    let tag = "\"\(plan.url.host)\""
    guard let asked = plan.requested else {
      return script.head(attempt, 200, ["Content-Length": "\(total)", "ETag": tag])
    }
    let upper = asked.upper ?? total
    connections[attempt]?.upper = upper
    script.head(
      attempt, 206, ["Content-Range": "bytes \(asked.lower)-\(upper - 1)/\(total)", "ETag": tag])
  }

  private mutating func step(_ id: TransferID) {
    milliseconds += Self.stepMilliseconds
    script.advance(milliseconds: Self.stepMilliseconds)
    let order = connections.keys.sorted { $0.rawValue < $1.rawValue }
    for attempt in order {
      guard let one = connections[attempt] else { continue }
      let host = hosts[one.plan.url.host]
      if let failsAt = host?.failsAtMilliseconds, failsAt <= milliseconds {
        end(attempt, .failed(TransferFailure(.connectionLost, on: one.plan.url.host)))
      } else if !one.isAnswered, one.answersAt <= milliseconds {
        answer(attempt, one.plan)
      }
    }
    perform()
    for attempt in order { flow(attempt) }
    perform()
    if milliseconds.isMultiple(of: 250) {
      script.handle(.body(id, .progressed(progress)))
    }
    if let wakeUp = script.scheduler.nextWakeUp(at: script.now), wakeUp <= script.now.monotonic {
      _ = script.scheduler.handle(.body(id, .received(progress)), at: script.now)
    }
    script.timePasses()
  }

  private var progress: [AttemptID: Int64] {
    connections.filter(\.value.isFlowing).mapValues(\.upTo)
  }

  private mutating func flow(_ attempt: AttemptID) {
    guard var one = connections[attempt], one.isFlowing, let host = hosts[one.plan.url.host] else {
      return
    }
    let sharing = connections.values.count { $0.isFlowing && $0.plan.url.host == one.plan.url.host }
    one.credit +=
      Double(host.bytesPerSecond * Self.stepMilliseconds) / 1000 / Double(max(sharing, 1))
    let count = max(0, min(Int64(one.credit), one.upper - one.upTo))
    one.credit -= Double(count)
    sent[one.plan.url.host, default: 0] += count
    let received = ByteRange(lower: one.upTo, upper: one.upTo + count) ?? .nothing
    if !matches(received, of: one, host) {
      let other = TransferFailure(.otherVersion, on: "a.iso")
      return end(attempt, .failed(other))
    }
    for gap in written.gaps(in: received) where host.lies { wrong.insert(gap) }
    written.insert(received)
    one.upTo += count
    connections[attempt] = one
    if one.upTo >= one.upper { end(attempt, .complete) }
  }

  /// Whether bytes that are present are repeated as they are.
  private func matches(_ range: ByteRange, of one: Connection, _ host: Host) -> Bool {
    for part in written.parts(in: range) where wrong.contains(part) != host.lies { return false }
    guard let comparedUpTo = one.plan.requested?.comparedUpTo,
      let compared = ByteRange(lower: range.lower, upper: min(range.upper, comparedUpTo))
    else { return true }
    return written.contains(compared)
  }

  private mutating func end(_ attempt: AttemptID, _ outcome: AttemptOutcome) {
    guard let one = connections.removeValue(forKey: attempt) else { return }
    if let id = script.scheduler.owner(of: attempt) {
      _ = script.scheduler.handle(.body(id, .received(progress)), at: script.now)
    }
    script.ended(attempt, outcome, upTo: one.isFlowing ? one.upTo : nil)
  }
}
