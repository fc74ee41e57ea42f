import KettleModel
import KettleScheduler
import SeededNumbers

/// A host with several files, in simulated time. Each response stalls after a number of bytes, and
/// every step (a response head, a cancellation, a commit, the opening of a file) has a random
/// delay, so that the orders of events on a busy machine occur as well.
struct SimulatedHost {
  struct Settings {
    var transferCount = 5
    var byteCount: Int64 = 4_000_000
    /// Bytes of each response before it stalls until the release.
    var stallsAfter: Int64 = 2_000_000
    var releasedAt: Int64?
    var limits = TransferQueue.Limits()
    var policy: SessionPolicy?
    var bytesPerSecond: Int64 = 400 << 20
    /// How many connections it serves at once; it resets the others.
    var connectionsMax = Int.max
    /// The maximum delay of a step, in milliseconds.
    var delayMax: Int64 = 20
    var seed: UInt64 = 1
  }

  private enum Event {
    case head(AttemptID)
    case end(AttemptID, AttemptOutcome)
    case opened(TransferID, AttemptID, ResumeData)
    case committed([TransferAction])
    case closed(TransferID, OperationID)
    case placed(TransferID, OperationID)
    case discarded(TransferID, OperationID)
    case control(TransferScheduler.Control, Int)
  }

  private struct Connection {
    var transfer: TransferID
    var plan: AttemptPlan
    var upTo: Int64 = 0
    var upper: Int64
    var sentByteCount: Int64 = 0
    var phase = Phase.asking

    enum Phase {
      case asking, flowing, ending
    }
  }

  private let settings: Settings
  private var generator: SeededGenerator
  private(set) var scheduler: TransferScheduler
  private(set) var ids: [TransferID] = []
  private(set) var milliseconds: Int64 = 0
  /// The time of each request of all transfers.
  private(set) var requests: [(at: Int64, of: TransferID)] = []
  private var connections: [AttemptID: Connection] = [:]
  private var written: [TransferID: ByteRangeSet] = [:]
  private var events: [Int64: [Event]] = [:]
  private var lastCommit: Int64 = 0

  init(_ settings: Settings) {
    self.settings = settings
    generator = SeededGenerator(seed: settings.seed)
    scheduler = TransferScheduler(limits: settings.limits)
    if let policy = settings.policy { run(scheduler.setPolicy(of: app, policy, at: now)) }
    var specs: [TransferSpec] = []
    for number in 0..<settings.transferCount {
      var one = taskSpec("http://files.example/\(number + 1).bin")
      one.beginning = .idle
      specs.append(one)
    }
    let (ids, output) = scheduler.add(specs, at: now)
    self.ids = ids
    run(output)
    run(scheduler.admit(output.changes, at: now).1)
    for number in ids.indices { plan(.control(.start, number), in: Int64(number)) }
  }

  var now: Moment {
    Moment(
      monotonic: MonotonicTime(milliseconds: 1_000_000 + milliseconds),
      wall: WallTime(millisecondsSince1970: 1_700_000_000_000 + milliseconds))
  }

  mutating func control(_ control: TransferScheduler.Control, _ number: Int, at time: Int64) {
    plan(.control(control, number), in: max(1, time - milliseconds))
  }

  func state(_ number: Int) -> TransferState? { scheduler.machines[ids[number]]?.visibleState }

  /// The maximum number of requests in any span of that many milliseconds.
  func mostRequests(within span: Int64) -> Int {
    requests.indices.map { first in
      requests[first...].prefix { $0.at < requests[first].at + span }.count
    }.max() ?? 0
  }

  mutating func run(untilMilliseconds end: Int64) {
    while milliseconds < end {
      milliseconds += 1
      for event in events.removeValue(forKey: milliseconds) ?? [] { happen(event) }
      flow()
      if milliseconds.isMultiple(of: 100) { tick() }
      if let wakeUp = scheduler.nextWakeUp(at: now), wakeUp <= now.monotonic {
        run(scheduler.handle(.timePassed, at: now))
      }
    }
  }

  private mutating func plan(_ event: Event, in delay: Int64) {
    events[milliseconds + max(1, delay), default: []].append(event)
  }

  private mutating func delay() -> Int64 {
    Int64.random(in: 1...max(1, settings.delayMax), using: &generator)
  }

  private mutating func run(_ output: SchedulerOutput) {
    for action in output.now { perform(action) }
    if output.changes.isEmpty {
      for action in output.afterCommit { perform(action) }
    } else {
      // Commits end in order.
      lastCommit = max(lastCommit, milliseconds + delay())
      plan(.committed(output.afterCommit), in: lastCommit - milliseconds)
    }
  }

  private mutating func perform(_ action: TransferAction) {
    switch action {
    case .beginAttempt(let id, let plan):
      requests.append((milliseconds, id))
      connections[plan.attempt] = Connection(
        transfer: id, plan: plan, upper: settings.byteCount)
      if connections.count > settings.connectionsMax {
        let lost = TransferFailure(.connectionLost, on: "files.example")
        self.plan(.end(plan.attempt, .failed(lost)), in: delay())
      } else {
        self.plan(.head(plan.attempt), in: delay())
      }
    case .cancelAttempt(let attempt): end(attempt, .cancelled)
    case .shortenAttempt(_, let attempt, let upper):
      let upTo = connections[attempt]?.upTo ?? 0
      connections[attempt]?.upper = max(upper, upTo)
    case .openBody(let id, let attempt, .create(let new)):
      written[id] = ByteRangeSet()
      var data = partial(total: new.total, entityTag: new.validator?.entityTag)
      data.inode = UInt64(id.rawValue)
      self.plan(.opened(id, attempt, data), in: delay())
    case .openBody(let id, let attempt, .goOn(let data)):
      self.plan(.opened(id, attempt, data), in: delay())
    case .acceptBody(let id, let attempt, let range): letFlow(id, attempt, range)
    case .closeBody(let id, let operation): plan(.closed(id, operation), in: delay())
    case .placeFile(let id, let operation, _, _): plan(.placed(id, operation), in: delay())
    case .discardPartialFile(let id, let operation, _):
      plan(.discarded(id, operation), in: delay())
    case .acceptDocument, .acceptSegment, .checkBlocks, .computeDigest, .unpackFile, .storeFile,
      .readTitle,
      .discardFinishedFile, .limit, .addMembers:
      break
    }
  }

  private mutating func letFlow(_ id: TransferID, _ attempt: AttemptID, _ range: ByteRange?) {
    if let one = connections[attempt], case .asking = one.phase {
      connections[attempt]?.phase = .flowing
      connections[attempt]?.upTo = range?.lower ?? 0
      connections[attempt]?.upper = min(range?.upper ?? one.upper, one.upper)
      let connection = scheduler.machines[id]?.download?.connection(of: attempt)
      if let upper = connection?.range?.upper {
        let known = connections[attempt]?.upper ?? upper
        connections[attempt]?.upper = min(known, upper)
      }
    }
    run(scheduler.handle(.body(id, .recorded), at: now))
  }

  private mutating func end(_ attempt: AttemptID, _ outcome: AttemptOutcome) {
    guard let one = connections[attempt] else { return }
    if case .ending = one.phase { return }
    connections[attempt]?.phase = .ending
    plan(.end(attempt, outcome), in: delay())
  }

  private mutating func happen(_ event: Event) {
    switch event {
    case .head(let attempt): answer(attempt)
    case .end(let attempt, let outcome):
      guard let one = connections.removeValue(forKey: attempt) else { return }
      _ = scheduler.handle(.body(one.transfer, .received(progress(of: one.transfer))), at: now)
      run(
        scheduler.handle(
          .attempt(attempt, .ended(outcome, receivedUpTo: one.sentByteCount > 0 ? one.upTo : nil)),
          at: now))
    case .opened(let id, let attempt, let data):
      run(scheduler.handle(.body(id, .opened(data, by: attempt)), at: now))
    case .committed(let actions): for action in actions { perform(action) }
    case .closed(let id, let operation):
      let body = ClosedBody(
        durable: written[id] ?? ByteRangeSet(), modifiedNanoseconds: 5)
      run(scheduler.handle(.body(id, .closed(.success(body), by: operation)), at: now))
    case .placed(let id, let operation):
      let file = FinishedFile(path: "/downloads/\(id.rawValue)", identity: nil)
      run(scheduler.handle(.file(id, .placed(.success(file), by: operation)), at: now))
    case .discarded(let id, let operation):
      run(scheduler.handle(.file(id, .discarded(by: operation)), at: now))
    case .control(let control, let number):
      run(scheduler.control(control, [ids[number]], at: now).1)
    }
  }

  private mutating func answer(_ attempt: AttemptID) {
    guard let one = connections[attempt], case .asking = one.phase else { return }
    let total = settings.byteCount
    var status = 200
    var headers = ["Content-Length": "\(total)", "ETag": "\"v1\""]
    if let asked = one.plan.requested {
      status = 206
      let upper = asked.upper ?? total
      headers["Content-Range"] = "bytes \(asked.lower)-\(upper - 1)/\(total)"
      headers["Content-Length"] = "\(upper - asked.lower)"
      connections[attempt]?.upper = upper
    }
    _ = scheduler.handle(.body(one.transfer, .received(progress(of: one.transfer))), at: now)
    let head = SchedulerScript.head(status, headers)
    run(scheduler.handle(.attempt(attempt, .headReceived(head, from: .world)), at: now))
  }

  private mutating func flow() {
    let isReleased = settings.releasedAt.map { $0 <= milliseconds } ?? false
    for attempt in connections.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard var one = connections[attempt], case .flowing = one.phase else { continue }
      let allowed = isReleased ? .max : settings.stallsAfter - one.sentByteCount
      let count = max(0, min(settings.bytesPerSecond / 1000, one.upper - one.upTo, allowed))
      if let range = ByteRange(lower: one.upTo, upper: one.upTo + count) {
        written[one.transfer, default: ByteRangeSet()].insert(range)
      }
      one.upTo += count
      one.sentByteCount += count
      connections[attempt] = one
      if one.upTo >= one.upper { end(attempt, .complete) }
    }
  }

  private func progress(of id: TransferID) -> [AttemptID: Int64] {
    connections.filter { $1.transfer == id && $1.sentByteCount > 0 }.mapValues(\.upTo)
  }

  private mutating func tick() {
    for id in ids {
      guard scheduler.machines[id]?.download != nil else { continue }
      run(scheduler.handle(.body(id, .progressed(progress(of: id))), at: now))
    }
  }
}
