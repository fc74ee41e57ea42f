import KettleModel

@testable import KettleScheduler

/// A network with hosts of different speeds and a line, in simulated time: it performs the
/// scheduler's actions at once and moves the bytes of the running attempts every 250 ms.
struct QueueWorld {
  var script: SchedulerScript
  private let hostSpeeds: [String: Double]
  private let lineSpeed: Double
  private let sizes: [String: Int64]
  private var handledCount = 0
  private var received: [AttemptID: Double] = [:]
  private var ended: [TransferID: WallTime] = [:]
  private var known: [TransferID: SpeedEstimator] = [:]
  private var measurements = HostMeasurements()
  private var judgement = SpeedJudgement()
  private var startedAt: [TransferID: MonotonicTime] = [:]

  static let stepMilliseconds: Int64 = 250

  /// - Parameters:
  ///   - hostSpeeds: bytes per second of each host, for all its connections together.
  ///   - sizes: of the files, by URL.
  init(
    limits: TransferQueue.Limits, hostSpeeds: [String: Double], lineSpeed: Double,
    sizes: [String: Int64]
  ) {
    script = SchedulerScript(limits: limits)
    self.hostSpeeds = hostSpeeds
    self.lineSpeed = lineSpeed
    self.sizes = sizes
  }

  var ends: [TransferID: WallTime] { ended }

  /// The hosts that have delivered bytes.
  var deliveringHosts: Set<String> {
    Set(
      hostSpeeds.keys.filter { host in
        let origin = Origin(scheme: .http, host: host, port: 80)
        return measurements.bytesPerSecond(of: origin) != nil
      })
  }

  var isIdle: Bool {
    script.scheduler.machines.values.allSatisfy { $0.visibleState == .completed }
  }

  var outlook: QueueOutlook {
    let running = script.scheduler.machines.values.filter { $0.visibleState == .running }
      .map { machine in
        OutlookPlan.Running(
          id: machine.id, bytesReceived: receivedByteCount(of: machine),
          bytesExpected: machine.record.resumeData?.totalByteCount)
      }
    return script.scheduler.outlookPlan(
      running: running, measurements, judgement: judgement, at: script.now
    ).outlook(stored: StoredQueue([]))
  }

  private func receivedByteCount(of machine: TransferMachine) -> Int64 {
    Int64(machine.download?.attempts.compactMap { received[$0] }.first ?? 0)
  }

  // MARK: Time

  mutating func advance(milliseconds: Int64) {
    for _ in 0..<(milliseconds / Self.stepMilliseconds) { step() }
  }

  private mutating func step() {
    handleActions()
    script.advance(milliseconds: Self.stepMilliseconds)
    for (attempt, speed) in speeds() {
      let before = received[attempt] ?? 0
      received[attempt] = before + speed * Double(Self.stepMilliseconds) / 1000
    }
    for attempt in received.keys.sorted(by: { $0.rawValue < $1.rawValue }) { deliver(attempt) }
    measure()
    script.timePasses()
    handleActions()
  }

  /// Divides each host evenly, and then the line: no connection gets more than it can use, and what
  /// one leaves goes to the others.
  private func speeds() -> [AttemptID: Double] {
    var counts: [String: Double] = [:]
    for attempt in received.keys { counts[host(of: attempt), default: 0] += 1 }
    var speeds: [AttemptID: Double] = [:]
    for attempt in received.keys {
      let host = host(of: attempt)
      speeds[attempt] = (hostSpeeds[host] ?? 0) / (counts[host] ?? 1)
    }
    var left = lineSpeed
    var count = Double(speeds.count)
    for (attempt, speed) in speeds.sorted(by: { $0.value < $1.value }) {
      speeds[attempt] = min(speed, left / count)
      left -= speeds[attempt] ?? 0
      count -= 1
    }
    return speeds
  }

  private func host(of attempt: AttemptID) -> String {
    guard let id = script.scheduler.owner(of: attempt) else { return "" }
    return script.scheduler.machines[id]?.spec.url.host ?? ""
  }

  private mutating func deliver(_ attempt: AttemptID) {
    guard let id = script.scheduler.owner(of: attempt),
      let spec = script.scheduler.machines[id]?.spec,
      let size = sizes[spec.url.text], let count = received[attempt]
    else { return }
    let whole = min(Int64(count), size)
    var speed = known[id] ?? SpeedEstimator()
    speed.sample(byteCount: whole, at: script.now.monotonic)
    known[id] = speed
    script.handle(.body(id, .progressed([attempt: whole])))
    guard whole == size else { return }
    received[attempt] = nil
    script.settled(attempt, .complete, durable: size)
  }

  private var measured: [TransferID: Int64] = [:]

  private mutating func measure() {
    guard judgement.isDue(at: script.now.monotonic) else { return }
    for machine in script.scheduler.machines.values {
      let byteCount =
        machine.visibleState == .completed
        ? sizes[machine.spec.url.text] ?? 0 : receivedByteCount(of: machine)
      measurements.recordBytes(
        byteCount - (measured[machine.id] ?? 0), from: machine.spec.url.origin)
      measured[machine.id] = max(byteCount, measured[machine.id] ?? 0)
    }
    let samples = script.scheduler.queue.running.compactMap { id -> RunningSample? in
      guard let machine = script.scheduler.machines[id] else { return nil }
      return RunningSample(
        id: id, origin: machine.spec.url.origin, bytesPerSecond: known[id]?.bytesPerSecond ?? 0,
        milliseconds: script.now.monotonic.milliseconds(
          since: startedAt[id] ?? script.now.monotonic))
    }
    measurements.sample(Set(samples.map(\.origin)), at: script.now.monotonic)
    judgement.sample(samples, totalMax: nil, at: script.now.monotonic)
  }

  // MARK: Actions

  private mutating func handleActions() {
    while handledCount < script.actions.count {
      let action = script.actions[handledCount]
      handledCount += 1
      handle(action)
    }
  }

  private mutating func handle(_ action: TransferAction) {
    switch action {
    case .beginAttempt(let id, let plan):
      startedAt[id] = script.now.monotonic
      let size = sizes[plan.url.text] ?? 0
      script.head(plan.attempt, 200, ["Content-Length": "\(size)"])
    case .openBody(let id, let attempt, _):
      var resumeData = partial(
        total: sizes[script.scheduler.machines[id]?.spec.url.text ?? ""], entityTag: nil)
      resumeData.inode = UInt64(id.rawValue)
      received[attempt] = 0
      script.opened(attempt, resumeData)
    case .placeFile(let id, let operation, _, _):
      let spec = script.scheduler.machines[id]?.spec
      let size = sizes[spec?.url.text ?? ""] ?? 0
      let file = FinishedFile(
        path: "/downloads/\(id)",
        identity: FileIdentity(device: 1, inode: 1, byteCount: size, modifiedNanoseconds: 0))
      ended[id] = script.now.wall
      if let spec {
        measurements.recordFile(byteCount: size, from: spec.url.origin, session: spec.session)
      }
      script.handle(.file(id, .placed(.success(file), by: operation)))
    case .acceptBody, .acceptDocument, .acceptSegment, .cancelAttempt, .shortenAttempt, .closeBody,
      .checkBlocks, .computeDigest, .unpackFile, .storeFile,
      .readTitle, .discardPartialFile, .discardFinishedFile, .limit, .addMembers:
      break
    }
  }
}
