import KettleModel
import KettleScheduler
import SeededNumbers

/// A path with a rate, a round-trip time and loss, and a server behind it, in time that is counted
/// and not waited for. Connections behave like TCP: a handshake, a request, slow start, and a fall
/// with each lost packet. A connection whose response was complete is kept for the next request.
struct SimulatedLink {
  struct Settings {
    var roundTripMilliseconds: Int64 = 20
    var bytesPerSecond: Int64 = 12_500_000
    /// By how much the rate of the line varies from one twentieth of a second to the next.
    var unsteadiness = 0.0
    /// The probability that a packet is lost.
    var loss = 0.0
    /// What the server gives each connection; nil for all that it can send.
    var bytesPerSecondPerConnection: Int64?
    /// Whether the server sends what it gives a connection once a second, like nginx.
    var sendsInBursts = false
    /// When the server's clock begins a new second for the first time.
    var secondsBeginAtMilliseconds: Int64 = 0
    /// When the server begins to limit each connection.
    var limitsFrom: Int64 = 0
    var connectionsMax = Int.max
    /// When the line carries nothing.
    var silence: Range<Int64> = 0..<0
    var limits = TransferQueue.Limits()
    var seed: UInt64 = 1
  }

  private struct Connection {
    var transfer: TransferID
    var plan: AttemptPlan
    var headAt: Int64
    var phase = Phase.requesting
    var upTo: Int64 = 0
    var upper: Int64
    /// Bytes in flight.
    var window: Double
    var isInSlowStart = true
    /// Fractions of a byte.
    var credit = 0.0
    var sentByteCount: Int64 = 0
    var flowsSince: Int64 = 0
    var sentWithoutLimit: Int64 = 0

    enum Phase {
      case requesting, waiting, flowing, ending
    }
  }

  private static let packet = 1448.0
  static let stepMilliseconds: Int64 = 5
  static let tickMilliseconds: Int64 = 250

  var settings: Settings
  private(set) var script: SchedulerScript
  private(set) var milliseconds: Int64 = 0
  /// When each connection was opened.
  private(set) var openings: [Int64] = []
  /// Each request: when, and for which part.
  private(set) var requests: [(at: Int64, lower: Int64, upper: Int64)] = []
  private(set) var bytesSent: Int64 = 0
  private(set) var mostOpen = 0
  /// The most requests for one byte that were open at one time.
  private(set) var mostOfOnePart = 0
  private(set) var finishedAt: [TransferID: Int64] = [:]
  private var random: SeededGenerator
  private var share = 1.0
  private var totals: [TransferID: Int64] = [:]
  private var written: [TransferID: ByteRangeSet] = [:]
  private var connections: [AttemptID: Connection] = [:]
  /// The windows of connections that are kept.
  private var kept: [Double] = []
  private var handledActionCount = 0

  init(_ settings: Settings) {
    self.settings = settings
    script = SchedulerScript(limits: settings.limits)
    random = SeededGenerator(seed: settings.seed)
  }

  @discardableResult
  mutating func add(
    byteCount: Int64, name: String = "a.iso", connections: Int? = nil
  ) -> TransferID {
    var wanted = spec("http://files.example/\(name)")
    wanted.connections = connections
    let id = script.add(wanted)
    totals[id] = byteCount
    return id
  }

  /// The connections of a transfer that are not closing.
  func activeCount(of id: TransferID) -> Int {
    script.scheduler.machines[id]?.download?.activeCount ?? 0
  }

  /// How many connections were opened in the busiest span of so many milliseconds.
  func mostOpenings(within span: Int64) -> Int {
    openings.indices.map { first in
      openings[first...].prefix { $0 < openings[first] + span }.count
    }.max() ?? 0
  }

  /// Plays until all transfers are complete, or until `end`. Returns when the last one was.
  @discardableResult
  mutating func run(untilMilliseconds end: Int64 = 600_000) -> Int64? {
    while milliseconds < end {
      perform()
      if finishedAt.count == totals.count { return finishedAt.values.max() }
      step()
    }
    return nil
  }

  struct NotReady: Error {
    var settings: Settings
    var openings: [Int64]
  }

  /// Plays until all transfers are complete. Returns when the last one was.
  mutating func finish() throws -> Int64 {
    guard let milliseconds = run() else {
      throw NotReady(settings: settings, openings: openings)
    }
    return milliseconds
  }

  // MARK: Actions

  private mutating func perform() {
    while handledActionCount < script.actions.count {
      let action = script.actions[handledActionCount]
      handledActionCount += 1
      switch action {
      case .beginAttempt(let id, let plan): begin(plan, of: id)
      case .cancelAttempt(let attempt): connections[attempt]?.phase = .ending
      case .shortenAttempt(_, let attempt, let upper):
        let upTo = connections[attempt]?.upTo ?? 0
        connections[attempt]?.upper = max(upper, upTo)
      case .openBody(let id, let attempt, .create):
        var data = partial(total: totals[id])
        data.inode = UInt64(id.rawValue)
        script.opened(attempt, data)
      case .openBody(_, let attempt, .goOn(let data)): script.opened(attempt, data)
      case .acceptBody(_, let attempt, let range): accept(attempt, range)
      case .closeBody(let id, _):
        finishedAt[id] = finishedAt[id] ?? milliseconds
        script.closed(durable: written[id])
      case .acceptDocument, .acceptSegment, .discardPartialFile, .checkBlocks, .computeDigest,
        .unpackFile, .storeFile,
        .readTitle,
        .placeFile, .discardFinishedFile,
        .limit, .addMembers:
        break
      }
    }
  }

  private mutating func begin(_ plan: AttemptPlan, of id: TransferID) {
    let total = totals[id] ?? Self.pendingByteCount
    let lower = plan.requested?.lower ?? 0
    let upper = plan.requested?.upper ?? total
    requests.append((milliseconds, lower, upper))
    var roundTrips: Int64 = 2
    var window = 10 * Self.packet
    if plan.reuse == .permitted, let last = kept.popLast() {
      roundTrips = 1
      window = last
    } else {
      openings.append(milliseconds)
    }
    connections[plan.attempt] = Connection(
      transfer: id, plan: plan,
      headAt: milliseconds + roundTrips * settings.roundTripMilliseconds, upper: upper,
      window: window)
    mostOpen = max(mostOpen, connections.values.count { $0.phase != .ending })
  }

  /// A transfer begins before `add` knows its size.
  private static let pendingByteCount: Int64 = 1 << 40

  private mutating func accept(_ attempt: AttemptID, _ range: ByteRange?) {
    guard var one = connections[attempt], one.phase != .ending else { return }
    one.phase = .flowing
    one.upTo = range?.lower ?? 0
    one.flowsSince = milliseconds
    one.upper = min(range?.upper ?? .max, one.plan.requested?.upper ?? totals[one.transfer] ?? 0)
    connections[attempt] = one
    let known = script.scheduler.machines[one.transfer]?.download?.connection(of: attempt)
    if let upper = known?.range?.upper { connections[attempt]?.upper = min(one.upper, upper) }
  }

  // MARK: Time

  private mutating func step() {
    milliseconds += Self.stepMilliseconds
    script.advance(milliseconds: Self.stepMilliseconds)
    respond()
    perform()
    flow()
    endSome()
    perform()
    notePartsInRequest()
    if milliseconds.isMultiple(of: Self.tickMilliseconds) {
      for id in totals.keys.sorted() where script.scheduler.machines[id]?.download != nil {
        script.handle(.body(id, .progressed(progress(of: id))))
      }
    }
    if let wakeUp = script.scheduler.nextWakeUp(at: script.now), wakeUp <= script.now.monotonic {
      noteProgress()
      script.timePasses()
    }
  }

  private var order: [AttemptID] { connections.keys.sorted { $0.rawValue < $1.rawValue } }

  private mutating func respond() {
    if settings.silence.contains(milliseconds) { return }
    for attempt in order {
      guard let one = connections[attempt], one.phase == .requesting, one.headAt <= milliseconds
      else { continue }
      connections[attempt]?.phase = .waiting
      noteProgress()
      let served = connections.values.count { $0.phase == .flowing || $0.phase == .waiting }
      guard served <= settings.connectionsMax else {
        head(attempt, 503, headers: [:])
        continue
      }
      let total = totals[one.transfer] ?? 0
      guard let asked = one.plan.requested else {
        head(attempt, 200, headers: ["Content-Length": "\(total)", "ETag": "\"v1\""])
        continue
      }
      let last = (asked.upper ?? total) - 1
      head(
        attempt, 206,
        headers: ["Content-Range": "bytes \(asked.lower)-\(last)/\(total)", "ETag": "\"v1\""])
    }
  }

  private mutating func head(
    _ attempt: AttemptID, _ status: Int, headers: [String: String]
  ) {
    script.handle(
      .attempt(
        attempt,
        .headReceived(
          SchedulerScript.head(status, headers), from: .world,
          roundTripMilliseconds: settings.roundTripMilliseconds)))
  }

  private mutating func flow() {
    if settings.silence.contains(milliseconds) { return }
    let flowing = order.filter { connections[$0]?.phase == .flowing }
    let span = Double(Self.stepMilliseconds) / Double(max(settings.roundTripMilliseconds, 1))
    var wanted: [AttemptID: Double] = [:]
    for attempt in flowing {
      guard let one = connections[attempt] else { continue }
      wanted[attempt] = min(one.window * span, allowance(of: one))
    }
    let sum = wanted.values.reduce(0, +)
    if settings.unsteadiness > 0, milliseconds.isMultiple(of: 50) {
      share = 1 - Double.random(in: 0...settings.unsteadiness, using: &random)
    }
    let capacity = share * Double(settings.bytesPerSecond * Self.stepMilliseconds) / 1000
    let isFull = sum > capacity
    for attempt in flowing {
      guard let bytes = wanted[attempt] else { continue }
      deliver(isFull ? bytes * capacity / sum : bytes, over: attempt, span: span, isFull: isFull)
    }
  }

  /// What the server still sends of a response.
  private func allowance(of one: Connection) -> Double {
    guard let rate = settings.bytesPerSecondPerConnection, milliseconds >= settings.limitsFrom
    else { return .infinity }
    let from = max(one.flowsSince, settings.limitsFrom)
    // nginx counts the seconds of its clock that the response has seen.
    let seconds =
      settings.sendsInBursts
      ? Double(serverSecond(at: milliseconds) - serverSecond(at: from) + 1)
      : Double(milliseconds - from) / 1000
    return max(0, Double(rate) * seconds - Double(one.sentByteCount - one.sentWithoutLimit))
  }

  private func serverSecond(at time: Int64) -> Int64 {
    (time + 1000 - settings.secondsBeginAtMilliseconds) / 1000
  }

  private var flowingCount: Int { connections.values.count { $0.phase == .flowing } }

  private mutating func deliver(
    _ bytes: Double, over attempt: AttemptID, span: Double, isFull: Bool
  ) {
    guard var one = connections[attempt] else { return }
    let survival = 1 - settings.loss
    var isLost = false
    if settings.loss > 0 {
      var left = Int(bytes / Self.packet) + 1
      while left > 0, !isLost {
        isLost = Double.random(in: 0..<1, using: &random) > survival
        left -= 1
      }
    }
    if isLost {
      one.window = max(2 * Self.packet, one.window * 0.7)
      one.isInSlowStart = false
    } else if isFull {
      // The queue of the path holds as much as the path itself, shared equally.
      one.isInSlowStart = false
      let path = Double(settings.bytesPerSecond * settings.roundTripMilliseconds) / 1000
      one.window = min(
        one.window + Self.packet * span, max(one.window, 2 * path / Double(flowingCount)))
    } else {
      one.window += one.isInSlowStart ? one.window * span : Self.packet * span
    }
    one.credit += bytes
    let count = min(Int64(one.credit), one.upper - one.upTo)
    one.credit -= Double(count)
    if let range = ByteRange(lower: one.upTo, upper: one.upTo + max(0, count)) {
      written[one.transfer, default: ByteRangeSet()].insert(range)
    }
    one.upTo += max(0, count)
    one.sentByteCount += max(0, count)
    if milliseconds < settings.limitsFrom { one.sentWithoutLimit = one.sentByteCount }
    bytesSent += max(0, count)
    connections[attempt] = one
  }

  private mutating func endSome() {
    for attempt in order {
      guard let one = connections[attempt] else { continue }
      let isComplete = one.phase == .flowing && one.upTo >= one.upper
      guard isComplete || one.phase == .ending else { continue }
      connections[attempt] = nil
      if isComplete, one.upper >= one.plan.requested?.upper ?? totals[one.transfer] ?? 0 {
        kept.append(one.window)
      }
      noteProgress()
      let hasBody = isComplete || one.sentByteCount > 0
      script.ended(attempt, isComplete ? .complete : .cancelled, upTo: hasBody ? one.upTo : nil)
    }
  }

  private mutating func noteProgress() {
    for id in totals.keys {
      _ = script.scheduler.handle(.body(id, .received(progress(of: id))), at: script.now)
    }
  }

  private func progress(of id: TransferID) -> [AttemptID: Int64] {
    connections.filter { $1.transfer == id && $1.phase == .flowing }.mapValues(\.upTo)
  }

  private mutating func notePartsInRequest() {
    let requesting = connections.values.filter { $0.phase == .requesting }
    for one in requesting {
      let lower = one.plan.requested?.lower ?? 0
      let count = requesting.count { other in
        other.transfer == one.transfer && (other.plan.requested?.lower ?? 0) <= lower
          && lower < other.upper
      }
      mostOfOnePart = max(mostOfOnePart, count)
    }
  }
}
