import KettleModel
import KettleScheduler

/// An origin with a speed for each connection, in simulated time: the benefit of dividing a file is
/// measured in milliseconds that are the same on every machine.
struct SimulatedOrigin {
  /// The speed of each connection by its number, starting at 0.
  var bytesPerSecond: (Int) -> Int64
  /// The initial speed of each connection.
  var bytesPerSecondBefore: Int64 = 0
  var fadesAfterMilliseconds: Int64 = 0
  /// How many connections it serves at once; it responds to the others with 503.
  var connectionsMax = Int.max
  var total: Int64

  private struct Connection {
    var number: Int
    var plan: AttemptPlan
    /// Its response was a success.
    var isAccepted = false
    /// Its body is being sent.
    var isServed = false
    var upTo: Int64 = 0
    var upper: Int64
    /// Fractions of a byte, so that slow connections are not rounded to zero.
    var credit = 0.0
  }

  private(set) var script: SchedulerScript
  private(set) var milliseconds: Int64 = 0
  private(set) var requestCount = 0
  private(set) var mostServed = 0
  /// The bytes of all connections; a byte sent by two of them counts twice.
  private(set) var bytesSent: Int64 = 0
  /// Every state that the transfer was in.
  private(set) var states: [TransferState] = []
  private var connections: [AttemptID: Connection] = [:]
  private var handledActionCount = 0
  private var written = ByteRangeSet()

  static let stepMilliseconds: Int64 = 10
  static let tickMilliseconds: Int64 = 250

  init(total: Int64, limits: TransferQueue.Limits, bytesPerSecond: @escaping (Int) -> Int64) {
    self.total = total
    self.bytesPerSecond = bytesPerSecond
    script = SchedulerScript(limits: limits)
  }

  /// Runs a download to its end. Returns its duration, or nil if it exceeds ten minutes.
  mutating func download(connections: Int?) -> Int64? {
    var wanted = spec()
    wanted.connections = connections
    let id = script.add(wanted)
    while milliseconds < 600_000 {
      carryOut()
      if let state = script.state(id) {
        if states.last != state { states.append(state) }
        if state == .verifying { return milliseconds }
      }
      step(id)
    }
    return nil
  }

  private mutating func carryOut() {
    while handledActionCount < script.actions.count {
      let action = script.actions[handledActionCount]
      handledActionCount += 1
      switch action {
      case .beginAttempt(_, let plan):
        connections[plan.attempt] = Connection(number: requestCount, plan: plan, upper: total)
        requestCount += 1
        answer(plan)
      case .cancelAttempt(let attempt): end(attempt, .cancelled)
      case .shortenAttempt(_, let attempt, let upper):
        let upTo = connections[attempt]?.upTo ?? 0
        connections[attempt]?.upper = max(upper, upTo)
      case .openBody(_, let attempt, .create): script.opened(attempt, partial(total: total))
      case .openBody(_, let attempt, .goOn(let data)): script.opened(attempt, data)
      case .acceptBody(_, let attempt, let range):
        connections[attempt]?.isServed = true
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

  private mutating func answer(_ plan: AttemptPlan) {
    if connections.values.count(where: \.isAccepted) >= connectionsMax {
      script.head(plan.attempt, 503)
      return
    }
    connections[plan.attempt]?.isAccepted = true
    guard let asked = plan.requested else {
      return script.head(plan.attempt, 200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
    }
    script.head(
      plan.attempt, 206,
      [
        "Content-Range": "bytes \(asked.lower)-\((asked.upper ?? total) - 1)/\(total)",
        "ETag": "\"v1\"",
      ])
  }

  private mutating func step(_ id: TransferID) {
    milliseconds += Self.stepMilliseconds
    script.advance(milliseconds: Self.stepMilliseconds)
    mostServed = max(mostServed, connections.values.count(where: \.isServed))
    for attempt in connections.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard var one = connections[attempt], one.isServed else { continue }
      let rate =
        milliseconds <= fadesAfterMilliseconds ? bytesPerSecondBefore : bytesPerSecond(one.number)
      one.credit += Double(rate * Self.stepMilliseconds) / 1000
      let count = min(Int64(one.credit), one.upper - one.upTo)
      one.credit -= Double(count)
      if let range = ByteRange(lower: one.upTo, upper: one.upTo + count) { written.insert(range) }
      one.upTo += count
      bytesSent += count
      connections[attempt] = one
      if one.upTo >= one.upper { end(attempt, .complete) }
    }
    if milliseconds.isMultiple(of: Self.tickMilliseconds) {
      let progress = connections.filter(\.value.isServed).mapValues(\.upTo)
      script.handle(.body(id, .progressed(progress)))
    }
    if let wakeUp = script.scheduler.nextWakeUp(at: script.now), wakeUp <= script.now.monotonic {
      let progress = connections.filter(\.value.isServed).mapValues(\.upTo)
      _ = script.scheduler.handle(.body(id, .received(progress)), at: script.now)
    }
    script.timePasses()
  }

  private mutating func end(_ attempt: AttemptID, _ outcome: AttemptOutcome) {
    guard let one = connections.removeValue(forKey: attempt) else { return }
    let progress = connections.filter(\.value.isServed).mapValues(\.upTo)
    if let id = script.scheduler.owner(of: attempt) {
      _ = script.scheduler.handle(.body(id, .received(progress)), at: script.now)
    }
    script.ended(attempt, outcome, upTo: one.isServed ? one.upTo : nil)
  }
}
