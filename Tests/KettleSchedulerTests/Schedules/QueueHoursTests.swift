import KettleModel
import Testing

@testable import KettleScheduler

/// The user's queues: their limits and hours, and the conditions of the user's own transfers.
struct QueueHoursTests {
  /// Monday, 2026-03-23T00:00:00Z.
  private let monday: Int64 = 1_774_224_000_000
  private let night: QueueName

  init() throws { night = try #require(QueueName("night")) }

  private func time(_ hour: Int64) -> WallTime {
    WallTime(millisecondsSince1970: monday + hour * 3_600_000)
  }

  private func hours(_ text: String) throws -> WeeklyHours { try #require(WeeklyHours(text)) }

  private func script(
    _ settings: [QueueName: NamedQueues.Settings], atHour hour: Int64 = 0
  ) -> SchedulerScript {
    var script = SchedulerScript()
    script.now.wall = time(hour)
    script.run(script.scheduler.setQueues(settings, at: script.now))
    return script
  }

  private func spec(_ host: String = "a.example", in queue: QueueName? = nil) -> TransferSpec {
    var wanted = KettleSchedulerTests.spec("http://\(host)/f")
    wanted.options.queue = queue
    return wanted
  }

  @Test func `a queue has a limit of its own and leaves the slots to others`() {
    var script = script([night: .init(transfersMax: 1)])
    let first = script.add(spec("a.example", in: night))
    let second = script.add(spec("b.example", in: night))
    let other = script.add(spec("b.example"))
    #expect(script.state(first) == .running)
    #expect(script.state(second) == .queued)
    #expect(script.state(other) == .running)
    let heldBack = script.scheduler.census(at: script.now).heldBack(
      .init(
        origin: url("http://b.example/").origin, session: .kettle, queue: night, priority: .normal))
    #expect(heldBack.cause == .queueLimit && heldBack.subject == "night")
    #expect((heldBack.used, heldBack.allowed) == (1, 1))
    script.control(.pause, first)
    script.settledAll()
    #expect(script.state(second) == .running)
  }

  @Test func `a closed queue waits until it opens`() throws {
    var script = script([night: .init(hours: try hours("01:00-06:00"))])
    let id = script.add(spec(in: night))
    #expect(script.state(id) == .queued)
    let place = QueueCensus.Place(
      origin: url("http://a.example/").origin, session: .kettle, queue: night, priority: .normal)
    let heldBack = script.scheduler.census(at: script.now).heldBack(place)
    #expect(heldBack.cause == .queueHours && heldBack.until == time(1))
    script.advance(milliseconds: 3_600_000)
    script.timePasses()
    #expect(script.state(id) == .running)
  }

  // Fault 179
  @Test func `hours follow the time zone of the machine when it changes`() throws {
    // Used by one task only, so that threads do not share it.
    final class Offset: @unchecked Sendable {
      var seconds: Int64 = 0
    }
    let offset = Offset()
    var script = SchedulerScript()
    script.scheduler.environment.zone = LocalZone { _ in offset.seconds }
    script.now.wall = time(0)
    script.run(
      script.scheduler.setQueues(
        [night: .init(hours: try hours("09:00-10:00"))], at: script.now))
    script.run(
      script.scheduler.follow(
        LimitSchedule(
          entries: [.init(hours: try hours("09:00-10:00"), bytesPerSecond: 1000)]),
        at: script.now))
    let id = script.add(spec(in: night))
    #expect(script.state(id) == .queued)
    offset.seconds = 9 * 3600
    let output = script.scheduler.zoneChanged(at: script.now)
    #expect(output.totalLimit?.bytesPerSecond == 1000)
    script.run(output)
    #expect(script.state(id) == .running)
  }

  @Test func `a queue that closes keeps the bytes of its transfers and queues them again`() throws {
    var script = script([night: .init(hours: try hours("01:00-06:00"))], atHour: 5)
    let id = script.add(spec(in: night))
    let attempt = try #require(script.attempt)
    script.head(
      attempt, 200, ["content-length": "1000", "etag": "\"v1\"", "accept-ranges": "bytes"])
    script.opened(attempt, partial())
    script.synced(id, 400)
    script.advance(milliseconds: 3_600_000)
    script.timePasses()
    #expect(script.lastAction == .cancelAttempt(attempt))
    script.settled(attempt, .cancelled, durable: 400)
    #expect(script.state(id) == .queued)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 400)
    script.advance(milliseconds: 19 * 3_600_000)
    script.timePasses()
    #expect(script.state(id) == .running)
    #expect(script.plan?.requested?.lower == 400)
  }

  @Test func `the default queue can have hours, and tasks of programs do not follow them`() throws {
    var script = script([.standard: .init(hours: try hours("01:00-06:00"))])
    let own = script.add(spec())
    var wanted = spec("b.example")
    wanted.session = SessionID(rawValue: "app")
    wanted.task = TaskOptions(kind: .download)
    let task = script.add(wanted)
    #expect(script.state(own) == .queued)
    #expect(script.state(task) == .running)
  }

  @Test func `other settings apply at once`() throws {
    var script = script([night: .init(hours: try hours("01:00-06:00"))])
    let id = script.add(spec(in: night))
    script.run(script.scheduler.setQueues([:], at: script.now))
    #expect(script.state(id) == .running)
    script.run(
      script.scheduler.setQueues([night: .init(hours: try hours("01:00-06:00"))], at: script.now))
    script.settledAll()
    #expect(script.state(id) == .queued)
  }

  @Test func `a transfer that moves to an open queue starts, and to a closed one waits`() throws {
    var script = script([night: .init(hours: try hours("01:00-06:00"))])
    let id = script.add(spec(in: night))
    script.run(script.scheduler.assign([id], to: .standard, at: script.now).1)
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.spec.options.queue == nil)
    script.run(script.scheduler.assign([id], to: night, at: script.now).1)
    script.settledAll()
    #expect(script.state(id) == .queued)
    #expect(script.record(id)?.spec.options.queue == night)
  }

  @Test func `a task of a program cannot be moved to a queue`() {
    var script = script([:])
    var wanted = spec()
    wanted.task = TaskOptions(kind: .download)
    let task = script.add(wanted)
    #expect(script.scheduler.assign([task], to: night, at: script.now).0 == [.refused(.unknown)])
  }

  @Test func `a clock that is set back closes a queue again`() throws {
    var script = script([night: .init(hours: try hours("01:00-06:00"))], atHour: 2)
    let id = script.add(spec(in: night))
    #expect(script.state(id) == .running)
    script.now.wall = time(0)
    script.timePasses()
    script.settledAll()
    #expect(script.state(id) == .queued)
  }

  @Test func `the user's transfers wait for the conditions that the user has set`() throws {
    var script = script([:])
    let own = script.add(spec())
    script.run(script.scheduler.conditionsChanged([.unmeteredNetwork], at: script.now))
    #expect(script.state(own) == .running)
    script.run(script.scheduler.setConditionsOfUser([.mainsPower], at: script.now))
    script.settledAll()
    #expect(script.state(own) == .queued)
    let place = QueueCensus.Place(
      origin: url("http://a.example/").origin, session: .kettle, queue: .standard,
      priority: .normal)
    #expect(script.scheduler.census(at: script.now).heldBack(place).cause == .battery)
    script.run(script.scheduler.conditionsChanged([.mainsPower], at: script.now))
    #expect(script.state(own) == .running)
  }

  @Test func `transfers of a closed queue do not keep others in the store`() throws {
    var script = script([night: .init(hours: try hours("01:00-06:00"))])
    script.scheduler.residentLimits.evictableCountMax = 2
    script.scheduler.residentLimits.queuedPerHostCount = 2
    script.scheduler.residentLimits.queuedCountMax = 2
    script.scheduler.residentLimits.readAheadCount = 0
    for _ in 0..<6 { script.add(spec(in: night)) }
    _ = script.scheduler.evict { _ in true }
    script.timePasses()
    script.answerReads()
    // Its place is behind the others.
    let own = script.add(spec())
    script.answerReads()
    #expect(script.queueReads.last?.leftOut == [night])
    #expect(script.state(own) == .running)
    // When the queue opens, its transfers are read again from the start.
    script.advance(milliseconds: 3_600_000)
    script.timePasses()
    script.answerReads()
    let running = script.scheduler.queue.running.filter {
      script.record($0)?.spec.queue == night
    }
    #expect(running.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a queue that opens is read even if one of its hosts is full`() throws {
    var script = script([night: .init(hours: try hours("01:00-06:00"))])
    script.scheduler.queue.limits.connectionsPerHostMax = 1
    script.scheduler.residentLimits.evictableCountMax = 2
    script.scheduler.residentLimits.queuedPerHostCount = 1
    script.scheduler.residentLimits.queuedCountMax = 1
    script.scheduler.residentLimits.readAheadCount = 0
    script.add(spec("full.example"))
    let first = script.add(spec("full.example", in: night))
    let others = (0..<4).map { script.add(spec("h\($0).example", in: night)) }
    _ = script.scheduler.evict { _ in true }
    script.timePasses()
    script.answerReads()
    #expect(script.scheduler.machines[first] != nil)
    #expect(script.scheduler.evictedQueuedCount > 0)
    script.advance(milliseconds: 3_600_000)
    script.timePasses()
    script.answerReads()
    #expect(others.map { script.state($0) } == Array(repeating: .running, count: 4))
  }

  @Test func `nothing is estimated behind the next closing of a closed queue`() throws {
    let script = script([night: .init(hours: try hours("01:00-06:00"))])
    let origin = url("http://a.example/").origin
    var measurements = HostMeasurements()
    for second in 0..<60 {
      measurements.recordBytes(1_000_000, from: origin)
      measurements.sample(
        [origin], at: script.now.monotonic.advanced(byMilliseconds: Int64(second) * 1000))
    }
    let ids = [1, 2].map { TransferID(rawValue: $0) }
    let stored = ids.map {
      QueueEntry(
        id: $0, priority: .normal, position: $0.rawValue, origin: origin, session: .kettle,
        queue: night, bytesExpected: 2 * 3600 * 1_000_000)
    }
    let outlook = script.scheduler.outlookPlan(
      running: [], measurements, judgement: SpeedJudgement(), at: script.now
    ).outlook(stored: StoredQueue(stored))
    let ready = ids.map {
      outlook.expectation(of: $0, priority: .normal, position: $0.rawValue)?.readyAt
    }
    // Both would be ready after four hours.
    #expect(ready.allSatisfy { $0.map { $0 < time(6) } ?? false })
    let longer = stored.map { entry in
      var entry = entry
      entry.bytesExpected = 4 * 3600 * 1_000_000
      return entry
    }
    let late = script.scheduler.outlookPlan(
      running: [], measurements, judgement: SpeedJudgement(), at: script.now
    ).outlook(stored: StoredQueue(longer))
    #expect(
      ids.map { late.expectation(of: $0, priority: .normal, position: $0.rawValue)?.readyAt }
        == [nil, nil])
  }

  @Test
  func `a task with a higher priority starts first when its condition and the user's are met`()
    throws
  {
    var script = script([:])
    script.scheduler.queue.limits.runningMax = 1
    script.run(script.scheduler.conditionsChanged([], at: script.now))
    script.run(script.scheduler.setConditionsOfUser([.mainsPower], at: script.now))
    let own = script.add(spec())
    var wanted = taskSpec { $0.conditions = [.mainsPower] }
    wanted.priority = .high
    let task = script.add(wanted)
    script.run(script.scheduler.conditionsChanged([.mainsPower], at: script.now))
    #expect(script.state(task) == .running)
    #expect(script.state(own) == .queued)
  }

  @Test func `the queues are listed with the default one first`() throws {
    var script = script([night: .init(transfersMax: 3, hours: try hours("01:00-06:00"))])
    script.add(spec())
    #expect(
      script.scheduler.namedQueues() == [
        QueueSnapshot(name: .standard, runningCount: 1),
        QueueSnapshot(
          name: night, transfersMax: 3, hours: "01:00-06:00", isOpen: false, until: time(1)),
      ])
  }
}

extension SchedulerScript {
  /// Answers the reads of the queue, which follow each other, from all that was stored.
  fileprivate mutating func answerReads() {
    var answered = 0
    while answered < queueReads.count {
      let read = queueReads[answered]
      answered += 1
      var stored: [TransferID: TransferRecord] = [:]
      for case .put(let record) in changes { stored[record.id] = record }
      let matching = stored.values.sorted { $0.queuePosition < $1.queuePosition }.filter {
        guard $0.isDormant, $0.state == .queued else { return false }
        guard !read.leftOut.contains($0.spec.queue ?? .standard) else { return false }
        return switch read.place {
        case .at(let origin): $0.spec.url.origin == origin
        case .elsewhere(let others): !others.contains($0.spec.url.origin)
        }
      }
      let records = Array(matching.prefix(read.countMax))
      run(scheduler.queueRead(read, records, at: now).1)
    }
  }
}
