import KettleModel
import SeededNumbers
import Testing

@testable import KettleScheduler

/// Outlooks of random lists, compared with what a straightforward computation gives, and the work
/// that they take.
struct OutlookComparisonTests {
  // MARK: The simulation

  private func input(_ random: inout SeededGenerator) -> QueueEstimate.Input {
    var input = QueueEstimate.Input()
    input.hosts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      let speed: QueueEstimate.Speed =
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .unknown
        case 1: .unlimited
        default: .bytesPerSecond(Double.random(in: 100...10_000, using: &random))
        }
      return .init(
        transfersMax: Int.random(in: 1...4, using: &random), speed: speed,
        closedMilliseconds: Bool.random(using: &random)
          ? 0 : Int64.random(in: 0...50_000, using: &random))
    }
    input.queues = (0..<Int.random(in: 0...2, using: &random)).map { _ in
      .init(
        transfersMax: Bool.random(using: &random) ? nil : Int.random(in: 1...3, using: &random),
        closedMilliseconds: Bool.random(using: &random)
          ? 0 : Int64.random(in: 0...50_000, using: &random))
    }
    input.groups = (0..<Int.random(in: 1...6, using: &random)).map { _ in
      .init(
        host: input.hosts.indices.randomElement(using: &random) ?? 0,
        transfersMax: Bool.random(using: &random) ? nil : Int.random(in: 1...3, using: &random),
        queue: Bool.random(using: &random)
          ? nil : input.queues.indices.randomElement(using: &random))
    }
    input.transfersMax = Int.random(in: 1...8, using: &random)
    // Something must be the limit of unlimited hosts.
    input.bytesPerSecondMax = Double.random(in: 500...20_000, using: &random)
    func item() -> QueueEstimate.Item {
      .init(
        group: input.groups.indices.randomElement(using: &random) ?? 0,
        missing: Int.random(in: 0..<20, using: &random) == 0
          ? nil : Double(Int.random(in: 0...100_000, using: &random)),
        bytesPerSecondMax: Int.random(in: 0..<5, using: &random) == 0
          ? Double(Int.random(in: 10...1000, using: &random)) : nil)
    }
    input.running = (0..<Int.random(in: 0...6, using: &random)).map { _ in item() }
    input.queued = (0..<Int.random(in: 0...60, using: &random)).map { _ in
      var item = item()
      if Int.random(in: 0..<10, using: &random) == 0 {
        item.notBeforeMilliseconds = Int64.random(in: 1...100_000, using: &random)
      }
      return item
    }
    return input
  }

  private func isNear(_ actual: Int64?, _ expected: Double?) -> Bool {
    guard let actual, let expected else { return (actual == nil) == (expected == nil) }
    return abs(Double(actual) - expected) <= 2 + expected / 1_000_000
  }

  @Test func `the simulation gives what looking at every transfer at every event gives`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for number in 0..<300 {
      let input = input(&random)
      let estimate = QueueEstimate(input)
      let plain = PlainSimulation(input)
      let times = estimate.running + estimate.queued
      for (index, time) in times.enumerated() {
        let isSame = isNear(time.start, plain.starts[index]) && isNear(time.end, plain.ends[index])
        #expect(isSame, "seed \(seed), input \(number), transfer \(index)")
        if !isSame { return }
      }
    }
  }

  // MARK: Sizes, groups and places

  private static let hosts = ["a.example", "b.example", "c.example"]

  /// Random transfers of three hosts and three sessions.
  private func entries(
    _ count: Int, firstID: Int64, _ random: inout SeededGenerator
  ) -> [QueueEntry] {
    (0..<Int64(count)).map { index in
      let host = Self.hosts[Int.random(in: 0..<3, using: &random)]
      return QueueEntry(
        id: TransferID(rawValue: firstID + index),
        priority: Bool.random(using: &random) ? .normal : .high,
        position: Int64.random(in: 0...1_000_000, using: &random),
        origin: url("http://\(host)/").origin,
        session: SessionID(rawValue: "s\(Int.random(in: 0..<3, using: &random))"),
        bytesReceived: Int64.random(in: 0...100, using: &random),
        bytesExpected: Bool.random(using: &random)
          ? nil : Int64.random(in: 0...10_000, using: &random))
    }.sorted { $0.key < $1.key }
  }

  private func measurements(_ random: inout SeededGenerator) -> HostMeasurements {
    var measurements = HostMeasurements()
    for host in Self.hosts.dropLast() {
      let origin = url("http://\(host)/").origin
      for second in 0..<8 {
        measurements.recordBytes(Int64.random(in: 1000...9000, using: &random), from: origin)
        measurements.sample(
          [origin], at: MonotonicTime(milliseconds: Int64(second) * 1000))
      }
      measurements.recordFile(
        byteCount: Int64.random(in: 0...5000, using: &random), from: origin,
        session: SessionID(rawValue: "s0"))
    }
    return measurements
  }

  /// The missing bytes of each transfer, from the sizes of all others.
  private func missing(_ entries: [QueueEntry], _ measurements: HostMeasurements) -> [Double?] {
    entries.map { entry in
      if let size = entry.bytesExpected { return max(0, Double(size - entry.bytesReceived)) }
      func tally(_ known: SizeTally, _ isSame: (QueueEntry) -> Bool) -> SizeTally {
        entries.filter(isSame).compactMap(\.bytesExpected)
          .reduce(into: known) { tally, size in tally.add(size) }
      }
      let ofHost = tally(measurements.files(of: entry.origin)) { $0.origin == entry.origin }
      let ofSession = tally(measurements.files(of: entry.session)) { $0.session == entry.session }
      return ofHost.mean(with: ofSession.mean, weighing: 3).map {
        max($0 - Double(entry.bytesReceived), $0 / 10)
      }
    }
  }

  @Test func `an outlook over groups gives what one over single transfers gives`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      var limits = TransferQueue.Limits()
      limits.runningMax = 2
      var script = SchedulerScript(limits: limits)
      let own = (0..<6).map { script.add(spec("http://a.example/\($0)")) }
      let measurements = measurements(&random)
      var stored = entries(60, firstID: 1000, &random)
      // The store still has some that are in memory.
      for id in own {
        guard let record = script.record(id) else { continue }
        stored.append(QueueEntry(record))
      }
      stored.sort { $0.key < $1.key }
      let outlook = script.scheduler.outlookPlan(
        running: [], measurements, judgement: SpeedJudgement(), at: script.now
      ).outlook(stored: StoredQueue(stored))

      let queued = script.scheduler.machines.values.filter { $0.visibleState == .queued }
      let entries =
        (stored.filter { script.record($0.id) == nil } + queued.map { QueueEntry($0.record) })
        .sorted { $0.key < $1.key }
      var input = QueueEstimate.Input()
      input.transfersMax = 2
      let origins = Self.hosts.map { url("http://\($0)/").origin }
      input.hosts = origins.map { origin in
        .init(
          transfersMax: limits.connectionsMax(at: origin),
          speed: measurements.bytesPerSecond(of: origin).map { .bytesPerSecond(Double($0)) }
            ?? .unknown)
      }
      input.groups = origins.indices.map { .init(host: $0) }
      input.queued = zip(entries, missing(entries, measurements)).map { entry, missing in
        .init(group: origins.firstIndex(of: entry.origin) ?? 0, missing: missing)
      }
      let estimate = QueueEstimate(input)
      for (index, entry) in entries.enumerated() {
        let expectation = try #require(
          outlook.expectation(
            of: entry.id, priority: entry.key.priority, position: entry.key.position))
        #expect(expectation.rank == index + 1, "seed \(seed)")
        let times = estimate.queued[index]
        #expect(isWithinASecond(expectation.startsAt, times.start, script.now), "seed \(seed)")
        // Where the size is not known, the end may be known to the simulation only.
        if entry.bytesExpected != nil || expectation.readyAt != nil {
          #expect(isWithinASecond(expectation.readyAt, times.end, script.now), "seed \(seed)")
        }
      }
    }
  }

  /// Expectations are rounded up to whole seconds.
  private func isWithinASecond(_ time: WallTime?, _ milliseconds: Int64?, _ now: Moment) -> Bool {
    guard let time, let milliseconds else { return (time == nil) == (milliseconds == nil) }
    let difference = time.millisecondsSince1970 - now.wall.millisecondsSince1970 - milliseconds
    return (-2...1002).contains(difference)
  }

  // MARK: Work

  private func outlook(queuedCount: Int, furtherCount: Int = 0) -> QueueOutlook {
    let origin = url("http://a.example/").origin
    let stored = (0..<Int64(queuedCount)).map { number in
      QueueEntry(
        id: TransferID(rawValue: number + 1000), priority: .normal, position: number,
        origin: origin, session: .kettle, bytesExpected: 1000 + number % 7)
    }
    var limits = TransferQueue.Limits()
    limits.runningMax = 20
    limits.connectionsPerHostMax = 20
    var measurements = HostMeasurements()
    for second in 0..<8 {
      measurements.recordBytes(1000, from: origin)
      measurements.sample([origin], at: MonotonicTime(milliseconds: Int64(second) * 1000))
    }
    let script = SchedulerScript(limits: limits)
    return script.scheduler.outlookPlan(
      running: [], measurements, judgement: SpeedJudgement(), at: script.now
    ).outlook(stored: StoredQueue(stored), furtherCount: furtherCount)
  }

  // Fault 203
  @Test func `an outlook of a long queue is made again later, but in ten seconds at most`() {
    let short = outlook(queuedCount: 1000)
    #expect(short.renewalMilliseconds(.current) == 1000)
    #expect(short.renewalMilliseconds(.shown) == 1000)
    let long = outlook(queuedCount: 50_000)
    #expect(long.renewalMilliseconds(.current) == 1000)
    #expect((1500...9000).contains(long.renewalMilliseconds(.shown)))
    // Twice the transfers are twice the work.
    let longer = outlook(queuedCount: 100_000)
    let factor =
      Double(longer.renewalMilliseconds(.shown)) / Double(long.renewalMilliseconds(.shown))
    #expect((1.9...2.1).contains(factor))
    #expect(longer.renewalMilliseconds(.shown) <= 10_000)
  }

  @Test func `an outlook that is cut does not reach places behind its last one`() {
    let id = TransferID(rawValue: 1)
    let whole = outlook(queuedCount: 10)
    #expect(whole.reaches(id, priority: .normal, position: 99))
    let cut = outlook(queuedCount: 10, furtherCount: 5)
    #expect(cut.reaches(id, priority: .normal, position: 3))
    #expect(cut.reaches(id, priority: .high, position: 99))
    #expect(!cut.reaches(id, priority: .normal, position: 99))
  }
}
