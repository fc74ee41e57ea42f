import KettleModel
import Testing

@testable import KettleScheduler

/// Situations in which a transfer does not move, each with the expected cause and time.
struct SituationTests {
  /// What is expected of the transfer with this name.
  struct Expected: Sendable, CustomTestStringConvertible {
    var name: String
    var cause: HeldBack.Cause?
    var subject: String?
    var usage: [Int] = []
    /// Milliseconds from now.
    var until: Int64?
    var build: @Sendable (inout SchedulerScript) -> TransferID

    var testDescription: String { name }
  }

  private static let host = "files.example"

  private static func script() -> SchedulerScript {
    var limits = TransferQueue.Limits()
    limits.runningMax = 2
    limits.connectionsPerHostMax = 1
    limits.connectionsMax = 2
    return SchedulerScript(limits: limits)
  }

  @Test(arguments: situations)
  func `the cause and the time are the expected ones`(_ expected: Expected) {
    var script = Self.script()
    let id = expected.build(&script)
    let held = heldBack(id, script)
    #expect(held?.cause == expected.cause)
    #expect(held?.subject == expected.subject)
    #expect([held?.used, held?.allowed].compactMap { $0 } == expected.usage)
    let until = held?.until.map {
      $0.millisecondsSince1970 - script.now.wall.millisecondsSince1970
    }
    #expect(until == expected.until)
  }

  /// As the engine composes it.
  private func heldBack(_ id: TransferID, _ script: SchedulerScript) -> HeldBack? {
    guard let record = script.record(id) else { return nil }
    guard record.state == .queued else { return HeldBack(record) }
    return script.scheduler.census(at: script.now).heldBack(
      .init(
        origin: record.spec.url.origin, session: record.spec.session,
        priority: record.spec.priority, connections: record.spec.connections))
  }

  // MARK: Situations

  static let situations: [Expected] = queued + waiting + atRest

  private static let queued: [Expected] = [
    Expected(
      name: "another transfer has the only connection to the host", cause: .hostLimit,
      subject: host, usage: [1, 1]
    ) { script in
      script.add(spec())
      return script.add(spec("http://files.example/b"))
    },
    Expected(name: "all slots are taken", cause: .slot, usage: [2, 2]) { script in
      script.add(spec("http://a.example/"))
      script.add(spec("http://b.example/"))
      return script.add(spec("http://c.example/"))
    },
    Expected(name: "all connections are taken", cause: .connectionLimit, usage: [2, 2]) { script in
      script.scheduler.queue.limits.runningMax = 5
      script.add(spec("http://a.example/"))
      script.add(spec("http://b.example/"))
      return script.add(spec("http://c.example/"))
    },
    Expected(
      name: "a transfer of higher priority waits for the same slot", cause: .priority,
      usage: [2, 2]
    ) { script in
      script.add(spec("http://a.example/"))
      script.add(spec("http://b.example/"))
      var urgent = spec("http://c.example/")
      urgent.priority = .high
      script.add(urgent)
      return script.add(spec("http://d.example/"))
    },
    Expected(
      name: "a transfer of higher priority waits for the same host", cause: .priority,
      subject: host, usage: [1, 1]
    ) { script in
      script.add(spec())
      var urgent = spec("http://files.example/b")
      urgent.priority = .high
      script.add(urgent)
      return script.add(spec("http://files.example/c"))
    },
    Expected(
      name: "a transfer of higher priority whose host is full takes no slot", cause: .slot,
      usage: [2, 2]
    ) { script in
      script.add(spec())
      script.add(spec("http://b.example/"))
      var urgent = spec("http://files.example/b")
      urgent.priority = .high
      script.add(urgent)
      return script.add(spec("http://d.example/"))
    },
    Expected(
      name: "the session has its only connection to the host", cause: .sessionLimit,
      subject: host, usage: [1, 1]
    ) { script in
      script.scheduler.queue.limits.connectionsPerHostMax = 2
      let session = SessionID(rawValue: "app")
      script.run(
        script.scheduler.setPolicy(
          of: session, SessionPolicy(connectionsPerHostMax: 1), at: script.now))
      for path in ["a", "b"] {
        var one = spec("http://files.example/\(path)")
        one.session = session
        script.add(one)
      }
      return TransferID(rawValue: 2)
    },
    Expected(
      name: "the host asked for a pause", cause: .retryAfter, subject: host, until: 60_000
    ) { script in
      script.add(spec())
      answer(503, ["Retry-After": "60"], in: &script)
      return script.add(spec("http://files.example/b"))
    },
    Expected(name: "no host is full and no slot is taken", cause: .turn) { script in
      // A service that shuts down starts nothing.
      script.run(script.scheduler.shutDown(at: script.now))
      return script.add(spec())
    },
    Expected(
      name: "a running transfer has other connections, which it would give up", cause: .slot,
      usage: [1, 1]
    ) { script in
      script.scheduler.queue.limits.runningMax = 1
      script.scheduler.queue.limits.connectionsPerHostMax = 2
      script.add(spec())
      return script.add(spec("http://files.example/b"))
    },
  ]

  private static let waiting: [Expected] = [
    Expected(
      name: "the server failed", cause: .retry, subject: "http://files.example/a.iso",
      until: 1000
    ) { script in
      let id = script.add(spec())
      answer(500, [:], in: &script)
      return id
    },
    Expected(
      name: "the connection was lost", cause: .retry, subject: host, until: 1000
    ) { script in
      let id = script.add(spec())
      fail(.connectionLost, &script)
      return id
    },
    Expected(
      name: "the server asked for a pause in seconds", cause: .retryAfter,
      subject: "http://files.example/a.iso", until: 120_000
    ) { script in
      let id = script.add(spec())
      answer(503, ["Retry-After": "120"], in: &script)
      return id
    },
    Expected(
      name: "there is no network", cause: .network, subject: host, until: 30_000
    ) { script in
      let id = script.add(spec())
      script.handle(.networkChanged(.absent))
      fail(.connectionLost, &script)
      return id
    },
    Expected(
      name: "the disk is full", cause: .diskSpace, subject: "/downloads", until: 10_000
    ) { script in
      let id = script.add(spec())
      if let attempt = script.attempt {
        script.head(attempt, 200, ["Content-Length": "10"])
        script.handle(.attempt(attempt, .bodyRefused(TransferFailure(.diskFull, on: "/downloads"))))
        script.settled(attempt, .cancelled)
      }
      return id
    },
    Expected(
      name: "a login is required", cause: .needsLogin, subject: "http://files.example/a.iso"
    ) { script in
      let id = script.add(spec())
      answer(401, ["WWW-Authenticate": "Basic realm=x"], in: &script)
      return id
    },
    Expected(
      name: "the link has expired and bytes are held", cause: .needsLink,
      subject: "http://files.example/a.iso"
    ) { script in
      let id = script.add(spec())
      holdBytes(&script)
      script.control(.start, id)
      for _ in 1...4 {
        answer(410, [:], in: &script)
        script.advance(milliseconds: 100_000)
        script.timePasses()
      }
      return id
    },
    Expected(
      name: "the program's condition is not met", cause: .discretionary,
      subject: TransferCondition.mainsPower.rawValue
    ) { script in
      script.run(script.scheduler.conditionsChanged([], at: script.now))
      var task = spec()
      var options = TaskOptions(kind: .download)
      options.conditions = [.mainsPower]
      task.task = options
      task.session = SessionID(rawValue: "app")
      return script.add(task)
    },
  ]

  private static let atRest: [Expected] = [
    Expected(name: "its time has not come", cause: .scheduled, until: 3_600_000) { script in
      var later = spec()
      later.notBefore = script.now.wall.advanced(byMilliseconds: 3_600_000)
      return script.add(later)
    },
    Expected(name: "it was paused in the queue", cause: .paused) { script in
      script.add(spec())
      let id = script.add(spec("http://files.example/b"))
      script.control(.pause, id)
      return id
    },
    Expected(name: "it was paused while it ran", cause: .paused) { script in
      let id = script.add(spec())
      holdBytes(&script)
      return id
    },
    Expected(name: "it was added without being started", cause: .idle) { script in
      var idle = spec()
      idle.beginning = .idle
      return script.add(idle)
    },
    Expected(name: "it was stopped", cause: .idle) { script in
      let id = script.add(spec())
      script.control(.stop, id)
      if let attempt = script.attempt { script.settled(attempt, .cancelled) }
      script.discards()
      return id
    },
    Expected(name: "it runs", cause: nil) { script in script.add(spec()) },
    Expected(name: "it failed", cause: nil) { script in
      let id = script.add(spec())
      answer(404, [:], in: &script)
      return id
    },
  ]

  // MARK: Steps

  private static func answer(
    _ status: Int, _ headers: [String: String], in script: inout SchedulerScript
  ) {
    guard let attempt = script.attempt else { return }
    script.head(attempt, status, headers)
    script.settled(attempt, .cancelled)
  }

  private static func fail(_ code: TransferFailure.Code, _ script: inout SchedulerScript) {
    guard let attempt = script.attempt else { return }
    script.settled(attempt, .failed(TransferFailure(code, on: host)))
  }

  /// The running transfer receives some bytes and is paused.
  private static func holdBytes(_ script: inout SchedulerScript) {
    guard let attempt = script.attempt, let id = script.scheduler.owner(of: attempt) else { return }
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.control(.pause, id)
    script.settled(attempt, .cancelled, durable: 500)
  }

  @Test(arguments: WaitingReason.allCases)
  func `every reason to wait is a cause, with its time`(_ reason: WaitingReason) {
    var record = TransferRecord(
      id: TransferID(rawValue: 1), taskIdentifier: 1, spec: spec(),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: 1, state: .waiting)
    record.reason = reason
    record.goesOnAt = WallTime(millisecondsSince1970: 5000)
    record.failure = TransferFailure(.timedOut, on: Self.host)
    let held = HeldBack(record)
    #expect(held?.cause.rawValue == reason.rawValue)
    #expect(held?.until == record.goesOnAt)
    #expect(held?.subject == Self.host)
  }
}
