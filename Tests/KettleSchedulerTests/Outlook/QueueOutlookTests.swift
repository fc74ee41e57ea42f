import KettleModel
import SeededNumbers
import Testing

@testable import KettleScheduler

/// Estimates of a mixed queue, compared with what then happens in simulated time.
struct QueueOutlookTests {
  private static let hosts = ["a.example", "b.example", "c.example", "d.example"]

  /// What limits the transfers: each host by itself, or the line that they share.
  enum Bottleneck: CaseIterable {
    case hosts, line

    /// Bytes per second of the hosts.
    var hostSpeeds: [Double] {
      switch self {
      case .hosts: [4_000_000, 2_000_000, 1_000_000, 3_000_000]
      case .line: [20_000_000, 15_000_000, 10_000_000, 12_000_000]
      }
    }

    var lineSpeed: Double {
      switch self {
      case .hosts: 20_000_000
      case .line: 5_000_000
      }
    }
  }

  /// Fifty files of four hosts, most of them large; the sizes of most are unknown until they start.
  private func world(seed: UInt64, _ bottleneck: Bottleneck) -> (QueueWorld, [TransferID]) {
    var random = SeededGenerator(seed: seed)
    var limits = TransferQueue.Limits()
    limits.runningMax = 6
    limits.connectionsPerHostMax = 3
    var sizes: [String: Int64] = [:]
    var urls: [String] = []
    for index in 0..<50 {
      let host = Self.hosts[Int.random(in: 0..<Self.hosts.count, using: &random)]
      let url = "http://\(host)/\(index).bin"
      sizes[url] = Int64.random(in: 30_000_000...45_000_000, using: &random)
      urls.append(url)
    }
    var world = QueueWorld(
      limits: limits,
      hostSpeeds: Dictionary(
        uniqueKeysWithValues: zip(Self.hosts, bottleneck.hostSpeeds)),
      lineSpeed: bottleneck.lineSpeed, sizes: sizes)
    let ids = urls.enumerated().map { index, url in
      var spec = spec(url)
      spec.priority = index % 10 == 9 ? .high : .normal
      return world.script.add(spec)
    }
    return (world, ids)
  }

  @Test(arguments: Bottleneck.allCases, [1, 2, 3] as [UInt64])
  func `a queue of fifty is ready within a fifth of the estimated time`(
    bottleneck: Bottleneck, seed: UInt64
  ) throws {
    var (world, ids) = world(seed: seed, bottleneck)
    for _ in 0..<300 where world.deliveringHosts != Set(Self.hosts) {
      world.advance(milliseconds: 1000)
    }
    world.advance(milliseconds: 15_000)
    let start = world.script.now.wall
    let outlook = world.outlook
    let expectations = Dictionary(
      uniqueKeysWithValues: ids.compactMap { id -> (TransferID, WallTime)? in
        guard let record = world.script.record(id),
          let readyAt = outlook.expectation(
            of: id, priority: record.spec.priority, position: record.queuePosition)?.readyAt
        else { return nil }
        return (id, readyAt)
      })
    for _ in 0..<3000 where !world.isIdle { world.advance(milliseconds: 1000) }
    try #require(world.isIdle)
    let last = try #require(world.ends.values.max())
    let whole = try #require(outlook.readyAt)
    #expect(error(whole, last, from: start) < 0.2, "seed \(seed)")
    let open = ids.filter { world.ends[$0].map { $0 > start } ?? false }
    #expect(expectations.count > open.count / 2)
    // Of one that ends soon, a second is much.
    let soon = start.advanced(
      byMilliseconds: (last.millisecondsSince1970 - start.millisecondsSince1970) / 5)
    let errors = open.compactMap { id -> Double? in
      guard let end = world.ends[id], end > soon, let expected = expectations[id] else {
        return nil
      }
      return error(expected, end, from: start)
    }.sorted()
    // Before a file of unknown size has started, its estimate may be off by its own size.
    #expect(errors[errors.count * 4 / 5] < 0.2, "seed \(seed): \(errors)")
  }

  /// The error of an estimate as a part of the time that passed.
  private func error(_ expected: WallTime, _ actual: WallTime, from start: WallTime) -> Double {
    let passed = Double(actual.millisecondsSince1970 - start.millisecondsSince1970)
    let difference = Double(expected.millisecondsSince1970 - actual.millisecondsSince1970)
    return abs(difference) / max(passed, 1)
  }

  // MARK: Places in the queue

  private func outlook(
    of script: SchedulerScript, stored: [QueueEntry] = [], furtherCount: Int = 0
  ) -> QueueOutlook {
    script.scheduler.outlookPlan(
      running: [], HostMeasurements(), judgement: SpeedJudgement(), at: script.now
    ).outlook(stored: StoredQueue(stored), furtherCount: furtherCount)
  }

  private func rank(
    _ id: TransferID, in script: SchedulerScript, _ outlook: QueueOutlook
  ) -> Int? {
    guard let record = script.record(id) else { return nil }
    return outlook.expectation(
      of: id, priority: record.spec.priority, position: record.queuePosition)?.rank
  }

  @Test func `ranks follow priority and position, and count no scheduled transfer`() {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var script = SchedulerScript(limits: limits)
    script.add(spec("http://a.example/0"))
    let first = script.add(spec("http://a.example/1"))
    var later = spec("http://a.example/2")
    later.notBefore = script.now.wall.advanced(byMilliseconds: 60_000)
    let scheduled = script.add(later)
    let last = script.add(spec("http://b.example/3"))
    var urgent = spec("http://b.example/4")
    urgent.priority = .high
    let next = script.add(urgent)
    let outlook = outlook(of: script)
    #expect(rank(next, in: script, outlook) == 1)
    #expect(rank(first, in: script, outlook) == 2)
    #expect(rank(last, in: script, outlook) == 3)
    #expect(rank(scheduled, in: script, outlook) == nil)
  }

  @Test func `transfers that only the store has are part of the queue`() {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var script = SchedulerScript(limits: limits)
    script.add(spec("http://a.example/0"))
    let inMemory = script.add(spec("http://a.example/1"))
    let position = script.record(inMemory)?.queuePosition ?? 0
    let stored = [inMemory, TransferID(rawValue: 900), TransferID(rawValue: 901)].enumerated()
      .map { index, id in
        QueueEntry(
          id: id, priority: .normal, position: position + Int64(index),
          origin: url("http://a.example/").origin, session: .kettle)
      }
    let outlook = outlook(of: script, stored: stored)
    #expect(rank(inMemory, in: script, outlook) == 1)
    #expect(
      outlook.expectation(
        of: TransferID(rawValue: 901), priority: .normal, position: position + 2)?.rank == 3)
  }

  @Test func `a queue that is too long is extrapolated, and places behind it are unknown`() {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var script = SchedulerScript(limits: limits)
    script.add(spec("http://a.example/0"))
    let last = script.add(spec("http://a.example/1"))
    let stored = [
      QueueEntry(
        id: TransferID(rawValue: 900), priority: .normal, position: 0,
        origin: url("http://a.example/").origin, session: .kettle, bytesExpected: 1000)
    ]
    let outlook = outlook(of: script, stored: stored, furtherCount: 9)
    #expect(rank(last, in: script, outlook) == nil)
    let whole = self.outlook(of: script, stored: stored)
    #expect(rank(last, in: script, whole) == 2)
  }

  @Test func `transfers that wait for something unpredictable are counted and not estimated`() {
    var script = SchedulerScript()
    let id = script.add(spec())
    if let attempt = script.attempt { script.head(attempt, 401, ["WWW-Authenticate": "Basic"]) }
    if let attempt = script.attempt { script.settled(attempt, .cancelled) }
    #expect(script.record(id)?.reason == .needsLogin)
    let outlook = outlook(of: script)
    #expect(outlook.unpredictableCount == 1)
    #expect(outlook.readyAt == nil)
  }
}
