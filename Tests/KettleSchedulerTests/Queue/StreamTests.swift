import KettleModel
import KettleScheduler
import Testing

/// Which transfers run beside the slots, as streams of a connection that they share.
struct StreamTests {
  private static let small = ["Content-Length": "1000", "ETag": "\"a\""]
  private static let large = ["Content-Length": "9000000", "ETag": "\"a\""]

  private func script(
    running: Int = 2, streams: Int = 3, inAll: Int? = nil
  ) -> SchedulerScript {
    var limits = TransferQueue.Limits()
    limits.runningMax = running
    limits.streamsMax = streams
    limits.runningWithStreamsMax = inAll
    return SchedulerScript(limits: limits)
  }

  private func add(
    _ count: Int, to script: inout SchedulerScript,
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) {
    let specs = (0..<count).map { number in
      var wanted = spec("https://files.example/\(number).bin")
      change(&wanted)
      return wanted
    }
    let (_, output) = script.scheduler.add(specs, at: script.now)
    script.run(output)
    script.run(script.scheduler.admit(output.changes, at: script.now).1)
  }

  private func plans(_ script: SchedulerScript) -> [AttemptPlan] {
    script.actions.compactMap { if case .beginAttempt(_, let plan) = $0 { plan } else { nil } }
  }

  private func uses(_ script: SchedulerScript) -> [StreamUse] { plans(script).map(\.streamUse) }

  /// Answers an attempt and ends its transfer.
  private func fail(_ plan: AttemptPlan, in script: inout SchedulerScript) {
    script.ended(plan.attempt, .failed(TransferFailure(.tooLong, on: "files.example")))
    script.closed(durable: nil)
  }

  private func answer(
    _ plan: AttemptPlan, _ status: Int = 200, _ headers: [String: String] = small,
    isStream: Bool = false, in script: inout SchedulerScript
  ) {
    script.handle(
      .attempt(
        plan.attempt,
        .headReceived(SchedulerScript.head(status, headers), from: .world, isStream: isStream)))
  }

  /// The trial was answered over HTTP/2, and so many small files came.
  private func prepared(
    smallCount: Int = 4, running: Int = 4, streams: Int = 3, inAll: Int? = nil,
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) -> SchedulerScript {
    var script = script(running: running, streams: streams, inAll: inAll)
    add(30, to: &script, change)
    let first = plans(script)
    for (index, plan) in first.prefix(smallCount).enumerated() {
      answer(plan, isStream: index == 0, in: &script)
    }
    // An event after which slots are filled.
    script.timePasses()
    return script
  }

  @Test func `one of many transfers offers HTTP 2`() {
    var script = script()
    add(30, to: &script)
    #expect(uses(script) == [.trial, .none])
  }

  @Test func `transfers of a closed queue do not run as streams`() throws {
    var script = prepared { $0.options.queue = QueueName("night") }
    let startedCount = plans(script).count
    let closed = NamedQueues.Settings(hours: WeeklyHours("00:00-00:01", days: [.monday]))
    let night = try #require(QueueName("night"))
    script.run(script.scheduler.setQueues([night: closed], at: script.now))
    for plan in plans(script) where script.scheduler.owner(of: plan.attempt) != nil {
      script.settled(plan.attempt, .cancelled, durable: 0)
    }
    script.timePasses()
    #expect(plans(script).count == startedCount)
  }

  @Test func `a few transfers keep to HTTP 1`() {
    var script = script()
    add(9, to: &script)
    #expect(uses(script) == [.none, .none])
  }

  @Test func `nothing offers HTTP 2 when it is off`() {
    var script = script(streams: 0)
    add(30, to: &script)
    #expect(uses(script) == [.none, .none])
  }

  @Test(
    arguments: [
      { $0.limitBytesPerSecond = 1_000_000 }, { $0.login = Login(user: "ann", password: "secret") },
      { $0.caCertificatePath = "/ca.pem" },
      { $0.options.certificate = ClientCertificate(certificatePath: "/c.pem", keyPath: "/k.pem") },
      { $0.request = RequestContent(method: "POST") },
    ] as [@Sendable (inout TransferSpec) -> Void])
  func `a transfer that must not share a connection does not offer HTTP 2`(
    change: @Sendable (inout TransferSpec) -> Void
  ) {
    var script = script()
    add(30, to: &script, change)
    #expect(Set(uses(script)) == [.none])
  }

  @Test func `a limit for everything keeps to HTTP 1`() {
    var script = script()
    script.run(script.scheduler.limitAll(toBytesPerSecond: 1_000_000, at: script.now))
    add(30, to: &script)
    #expect(uses(script) == [.none, .none])
  }

  @Test func `plain http never offers HTTP 2`() {
    var script = script()
    let specs = (0..<30).map { spec("http://files.example/\($0).bin") }
    let (_, output) = script.scheduler.add(specs, at: script.now)
    script.run(script.scheduler.admit(output.changes, at: script.now).1)
    #expect(uses(script) == [.none, .none])
  }

  @Test func `after small files and an answer over HTTP 2 streams run beside the slots`() {
    let script = prepared()
    #expect(uses(script) == [.trial, .none, .none, .none, .beside, .beside, .beside])
    // They count as one connection.
    let origin = url("https://files.example/").origin
    #expect(script.scheduler.hosts.connectionCount(at: origin) == 5)
    #expect(script.scheduler.hosts.connectionCount == 5)
  }

  @Test func `three small files are not enough`() {
    #expect(!uses(prepared(smallCount: 3)).contains(.beside))
  }

  @Test func `a large file postpones streams`() {
    var script = script(running: 5)
    add(30, to: &script)
    for (index, plan) in plans(script).enumerated() {
      answer(plan, 200, index == 3 ? Self.large : Self.small, isStream: index == 0, in: &script)
    }
    script.timePasses()
    #expect(!uses(script).contains(.beside))
  }

  @Test func `a server with HTTP 1 only gets no second trial`() throws {
    var script = script()
    add(30, to: &script)
    answer(plans(script)[0], isStream: false, in: &script)
    fail(plans(script)[0], in: &script)
    #expect(uses(script) == [.trial, .none, .none])
  }

  @Test func `the user's number of transfers holds for streams too`() {
    #expect(uses(prepared(inAll: 4)).count == 4)
    #expect(uses(prepared(inAll: 5)).count == 5)
  }

  // MARK: Leaving a stream

  @Test(arguments: [
    (200, large), (302, ["Location": "https://other.example/a"]), (404, [:]), (503, [:]),
    (401, ["WWW-Authenticate": "Basic realm=\"a\""]),
  ])
  func `what is not a small file leaves its stream and uses HTTP 1`(
    status: Int, headers: [String: String]
  ) throws {
    var script = prepared()
    let plan = plans(script)[4]
    let id = try #require(script.scheduler.owner(of: plan.attempt))
    answer(plan, status, headers, isStream: true, in: &script)
    #expect(script.actions.last == .cancelAttempt(plan.attempt))
    script.settled(plan.attempt, .cancelled)
    #expect(script.state(id) == .queued)
    #expect(script.record(id)?.retryCount == 0)
    // No stream starts after it before small files have come again.
    #expect(uses(script).count == 7)
    fail(plans(script)[0], in: &script)
    let next = try #require(script.plan)
    #expect(next.streamUse == .none)
    #expect(script.scheduler.owner(of: next.attempt) == id)
  }

  /// A link that works once would be lost.
  @Test func `a large file without a validator stays on its stream`() throws {
    var script = prepared()
    let plan = plans(script)[4]
    answer(plan, 200, ["Content-Length": "9000000"], isStream: true, in: &script)
    guard case .openBody(_, plan.attempt, _)? = script.actions.last else {
      Issue.record("\(String(describing: script.actions.last))")
      return
    }
  }

  @Test func `a large file leaves the trial too`() throws {
    var script = script()
    add(30, to: &script)
    let plan = plans(script)[0]
    let id = try #require(script.scheduler.owner(of: plan.attempt))
    answer(plan, 200, Self.large, isStream: true, in: &script)
    script.settled(plan.attempt, .cancelled)
    #expect(uses(script) == [.trial, .none, .none])
    #expect(script.scheduler.owner(of: plans(script)[2].attempt) == id)
  }

  @Test func `a trial answered over HTTP 1 is a download like any other`() throws {
    var script = script()
    add(30, to: &script)
    answer(plans(script)[0], 200, Self.large, isStream: false, in: &script)
    guard case .openBody? = script.actions.last else {
      Issue.record("\(String(describing: script.actions.last))")
      return
    }
  }

  @Test func `a connection that breaks costs its streams no retry and the host no limit`() throws {
    var script = prepared()
    let streams = Array(plans(script).dropFirst(4))
    let ids = try streams.map { try #require(script.scheduler.owner(of: $0.attempt)) }
    let failure = TransferFailure(.connectionLost, on: "files.example")
    for plan in streams { script.settled(plan.attempt, .failed(failure)) }
    for id in ids {
      #expect(script.state(id) == .queued)
      #expect(script.record(id)?.retryCount == 0)
    }
    let origin = url("https://files.example/").origin
    #expect(script.scheduler.hosts.limit(at: origin, script.now.monotonic) == nil)
    #expect(script.scheduler.hosts.connectionCount(at: origin) == 4)
  }

  @Test func `after three broken connections an origin keeps to HTTP 1`() throws {
    var script = script(running: 1)
    add(40, to: &script)
    let failure = TransferFailure(.protocolBroken, on: "files.example")
    for _ in 0..<12 {
      script.settled(try #require(script.attempt), .failed(failure))
      script.advance(milliseconds: 2000)
    }
    #expect(uses(script).count { $0 == .trial } == 3)
  }

  @Test func `a trial that is paused before its response is followed by another`() throws {
    var script = script()
    add(30, to: &script)
    let plan = plans(script)[0]
    script.control(.pause, try #require(script.scheduler.owner(of: plan.attempt)))
    script.settled(plan.attempt, .cancelled)
    #expect(uses(script) == [.trial, .none, .trial])
  }

  @Test func `a host that refuses connections gets no streams`() throws {
    var script = script(running: 5)
    add(30, to: &script)
    let first = plans(script)
    answer(first[4], 503, [:], in: &script)
    for (index, plan) in first.prefix(4).enumerated() {
      answer(plan, isStream: index == 0, in: &script)
    }
    script.settled(first[4].attempt, .cancelled)
    script.timePasses()
    #expect(!uses(script).contains(.beside))
  }
}
