import KettleModel
import Testing

@testable import KettleScheduler

/// Times of completion that people read: they stay the same while nothing changes in the long run.
struct FinishTimeTests {
  /// Transfers whose bytes arrive as a test says, second by second.
  private struct World {
    var script = SchedulerScript()
    var measurements = HostMeasurements()
    private var received: [TransferID: Int64] = [:]
    private var paces: [TransferID: PaceEstimator] = [:]
    private var sizes: [TransferID: Int64] = [:]

    mutating func run(_ text: String, size: Int64?, limit: Int64? = nil) -> TransferID {
      var spec = spec(text)
      spec.limitBytesPerSecond = limit
      let id = script.add(spec)
      received[id] = 0
      sizes[id] = size
      return id
    }

    mutating func second(_ bytes: [TransferID: Int64]) {
      script.advance(milliseconds: 1000)
      var origins: Set<Origin> = []
      for (id, count) in received {
        guard let origin = script.record(id)?.spec.url.origin else { continue }
        let now = script.now.monotonic
        received[id] = count + (bytes[id] ?? 0)
        paces[id, default: PaceEstimator()].sample(byteCount: received[id] ?? 0, at: now)
        measurements.recordBytes(bytes[id] ?? 0, from: origin)
        origins.insert(origin)
      }
      measurements.sample(origins, at: script.now.monotonic)
    }

    func missing(_ id: TransferID) -> Double { Double((sizes[id] ?? 0) - (received[id] ?? 0)) }

    func expectation(_ id: TransferID) -> QueueOutlook.Expectation? {
      let requesting = script.scheduler.machines.values.filter { $0.visibleState == .running }
      let running = Set(requesting.map(\.id)).union(received.keys).sorted().map { id in
        OutlookPlan.Running(
          id: id, bytesReceived: received[id] ?? 0, bytesExpected: sizes[id],
          pace: paces[id]?.pace(at: script.now.monotonic) ?? .unknown)
      }
      let outlook = script.scheduler.outlookPlan(
        running: running, measurements, judgement: SpeedJudgement(), at: script.now
      ).outlook(stored: StoredQueue([]))
      return script.record(id).flatMap {
        outlook.expectation(of: id, priority: .normal, position: $0.queuePosition)
      }
    }

    func secondsLeft(_ id: TransferID) -> Double? {
      expectation(id)?.readyAt.map { Double($0.milliseconds(after: script.now.wall)) / 1000 }
    }

    /// A file of this size is complete.
    mutating func measure(byteCount: Int64) {
      measurements.recordFile(
        byteCount: byteCount, from: url("http://files.example/").origin, session: .kettle)
    }

    /// The host is busy whenever the latest request is sent.
    mutating func refuse(_ id: TransferID) {
      guard let attempt = script.attempt, script.scheduler.owner(of: attempt) == id else { return }
      script.head(attempt, 503, ["Retry-After": "20"])
      script.settled(attempt, .cancelled)
    }
  }

  @Test(arguments: [102_400, nil] as [Int64?])
  func `a steady row keeps its time beside bursts and refusals of other files of its host`(
    limit: Int64?
  ) throws {
    var world = World()
    let busy = world.script.add(spec("http://files.example/busy"))
    world.refuse(busy)
    let steady = world.run("http://files.example/steady", size: 120 << 20, limit: limit)
    let burst = world.run("http://files.example/burst", size: 40 << 30)
    let other = world.run("http://other.example/burst", size: 40 << 30)
    for second in 1...320 {
      var bytes: [TransferID: Int64] = [steady: 102_400]
      if second % 24 < 2 { bytes[burst] = 10 << 20 }
      if second % 25 == 0 { bytes[other] = 3 << 20 }
      world.second(bytes)
      world.script.timePasses()
      if second % 30 == 15 { world.refuse(busy) }
      guard second > 20 else { continue }
      let left = try #require(world.secondsLeft(steady), "second \(second)")
      let expected = world.missing(steady) / 102_400
      #expect(abs(left - expected) < expected / 10, "second \(second): \(left) for \(expected)")
    }
  }

  @Test func `a limit is an input from the first second, and silence ends the estimate`() throws {
    var world = World()
    let id = world.run("http://files.example/a", size: 10_240_000, limit: 102_400)
    let first = try #require(world.secondsLeft(id))
    #expect((99...101).contains(first))
    for _ in 1...20 { world.second([id: 102_400]) }
    #expect(world.secondsLeft(id) != nil)
    for _ in 1...40 { world.second([:]) }
    #expect(world.secondsLeft(id) == nil)
  }

  @Test func `a file of unknown size has a time only if its host's files are alike`() {
    var world = World()
    let unknown = world.run("http://files.example/a", size: nil)
    let known = world.run("http://files.example/b", size: 50_000_000)
    for _ in 1...20 { world.second([unknown: 100_000, known: 100_000]) }
    #expect(world.expectation(unknown)?.readyAt == nil)
    #expect(world.expectation(known)?.readyAt != nil)
    #expect(world.expectation(known)?.isGuess == false)
    for _ in 1...3 { world.measure(byteCount: 40_000_000) }
    #expect(world.expectation(unknown)?.readyAt != nil)
    #expect(world.expectation(unknown)?.isGuess == true)
    world.measure(byteCount: 1000)
    #expect(world.expectation(unknown)?.readyAt == nil)
  }

  @Test func `a file of unknown size that its host refuses has no time`() {
    var world = World()
    let busy = world.script.add(spec("http://files.example/busy"))
    world.refuse(busy)
    for _ in 1...4 { world.measure(byteCount: 40_000_000) }
    let known = world.run("http://files.example/b", size: 50_000_000)
    for _ in 1...15 { world.second([known: 100_000]) }
    #expect(world.expectation(busy)?.readyAt == nil)
  }

  // MARK: What changes later

  private func input(_ host: QueueEstimate.Host, queuedCount: Int) -> QueueEstimate.Input {
    var input = QueueEstimate.Input()
    input.hosts = [host]
    input.groups = [.init(host: 0)]
    input.transfersMax = 4
    input.running = [.init(group: 0, missing: 100_000)]
    input.queued = (0..<queuedCount).map { _ in .init(group: 0, missing: 100_000) }
    return input
  }

  @Test func `a learned limit that rises lets the next transfer start`() {
    var host = QueueEstimate.Host(transfersMax: 1, speed: .bytesPerSecond(1000))
    #expect(QueueEstimate(input(host, queuedCount: 1)).queued[0].start == 100_000)
    host.rises = [30_000]
    #expect(QueueEstimate(input(host, queuedCount: 1)).queued[0].start == 30_000)
  }

  @Test func `the learned limit rises every half minute, and is over above what was tried`() {
    var hosts = HostTable()
    let origin = url("http://a.example/").origin
    let now = SchedulerScript().now
    var hint = HostLimitHint(origin: origin, connectionsMax: 2)
    hint.status = 503
    hosts.learn(hint, at: now)
    #expect(hosts.rises(at: origin, upTo: 6, now.monotonic) == [30_000, 60_000, 60_000, 60_000])
    #expect(hosts.rises(at: origin, upTo: 2, now.monotonic) == [])
  }

  @Test func `the schedule's next limit counts, and what is unknown without one is a guess`() {
    var input = input(.init(transfersMax: 4, speed: .unlimited), queuedCount: 0)
    input.bytesPerSecondMax = 1000
    input.totalChanges = [.init(milliseconds: 50_000, bytesPerSecondMax: 500)]
    #expect(QueueEstimate(input).running == [.init(start: 0, end: 150_000)])
    input.totalChanges = [.init(milliseconds: 50_000, bytesPerSecondMax: nil)]
    #expect(QueueEstimate(input).running == [.init(start: 0, end: 100_000, isGuess: true)])
  }

  @Test func `what starts after a file of assumed size is a guess, and that file has no end`() {
    var input = input(.init(transfersMax: 1, speed: .bytesPerSecond(1000)), queuedCount: 1)
    input.running[0].size = .assumed
    let estimate = QueueEstimate(input)
    #expect(estimate.running[0].end == nil)
    #expect(estimate.queued == [.init(start: 100_000, end: 200_000, isGuess: true)])
    #expect(estimate.isGuess)
  }
}
