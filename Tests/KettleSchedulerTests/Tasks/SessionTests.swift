import KettleModel
import KettleScheduler
import Testing

/// The transfers of one program as a group.
struct SessionTests {
  private let other = SessionID(rawValue: "other")

  private func script(
    perHost: Int = 2, session: Int?, at hostMax: Int = 16
  ) -> SchedulerScript {
    var limits = TransferQueue.Limits()
    limits.connectionsPerHostMax = perHost
    limits.connectionsMax = hostMax
    var script = SchedulerScript(limits: limits)
    let policy = SessionPolicy(connectionsPerHostMax: session)
    script.run(script.scheduler.setPolicy(of: app, policy, at: script.now))
    return script
  }

  private func running(_ script: SchedulerScript) -> Int {
    script.scheduler.machines.values.count { $0.visibleState == .running }
  }

  // MARK: Connections

  @Test func `a session stays within its connection limit per host`() {
    var script = script(perHost: 5, session: 2)
    for _ in 0..<4 { script.add(taskSpec()) }
    #expect(running(script) == 2)
    // Other hosts and other sessions are not affected.
    script.add(taskSpec("http://b.example/"))
    script.add(taskSpec(session: other))
    script.add(spec())
    #expect(running(script) == 5)
  }

  @Test func `a session may raise its limit above the common one`() {
    var script = script(perHost: 2, session: 4)
    for _ in 0..<6 { script.add(taskSpec()) }
    #expect(running(script) == 4)
    script.add(taskSpec(session: other))
    #expect(running(script) == 4)
  }

  @Test func `a session's limit does not exceed the total connection limit`() {
    var script = script(perHost: 2, session: 9, at: 3)
    for _ in 0..<6 { script.add(taskSpec()) }
    #expect(running(script) == 3)
  }

  @Test(arguments: [0, -1]) func `a session with a limit below one gets one connection`(limit: Int)
  {
    var script = script(perHost: 2, session: limit)
    for _ in 0..<3 { script.add(taskSpec()) }
    #expect(running(script) == 1)
  }

  @Test func `a larger limit lets queued transfers start`() {
    var script = script(perHost: 5, session: 1)
    for _ in 0..<4 { script.add(taskSpec()) }
    let policy = SessionPolicy(connectionsPerHostMax: 3)
    script.run(script.scheduler.setPolicy(of: app, policy, at: script.now))
    #expect(running(script) == 3)
  }

  /// Makes a task open all the connections that it may have.
  private func spread(_ script: inout SchedulerScript, over megabytes: Int64) -> TransferID {
    var wanted = taskSpec()
    wanted.connections = 8
    let id = script.add(wanted)
    let total = megabytes << 20
    guard let primary = script.attempt else { return id }
    script.head(primary, 200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
    script.opened(primary, partial(total: total))
    for round in Int64(1)...10 {
      script.advance(milliseconds: 1000)
      script.handle(.body(id, .progressed([primary: round * 1000])))
    }
    return id
  }

  @Test func `additional connections of a task count towards the limit of its session`() {
    var script = script(perHost: 5, session: 2)
    let id = spread(&script, over: 1000)
    #expect(script.scheduler.machines[id]?.download?.activeCount == 2)
  }

  @Test func `a task has one connection unless it asks for more`() {
    var script = script(perHost: 5, session: 4)
    let id = script.add(taskSpec())
    let primary = script.attempt ?? AttemptID(rawValue: 0)
    script.head(primary, 200, ["Content-Length": "\(1 << 30)", "ETag": "\"v1\""])
    script.opened(primary, partial(total: 1 << 30))
    for round in Int64(1)...10 {
      script.advance(milliseconds: 1000)
      script.handle(.body(id, .progressed([primary: round * 1000])))
    }
    #expect(script.scheduler.machines[id]?.download?.activeCount == 1)
  }

  @Test func `a queued task gets a connection from a task of its session that has two`() {
    var script = script(perHost: 5, session: 2)
    let id = spread(&script, over: 1000)
    let waiting = script.add(taskSpec())
    #expect(script.state(waiting) == .queued)
    let cancelled = script.actions.compactMap { action -> AttemptID? in
      if case .cancelAttempt(let attempt) = action { attempt } else { nil }
    }
    #expect(cancelled.count == 1)
    script.ended(cancelled.first ?? AttemptID(rawValue: 0), .cancelled)
    #expect(script.state(waiting) == .running)
    #expect(script.scheduler.machines[id]?.download?.activeCount == 1)
  }

  @Test func `a task that waits for its own session does not delay other sessions`() {
    var script = script(perHost: 5, session: 1)
    script.add(taskSpec())
    script.add(taskSpec())
    let policy = SessionPolicy(connectionsPerHostMax: 3)
    script.run(script.scheduler.setPolicy(of: other, policy, at: script.now))
    var wanted = taskSpec(session: other)
    wanted.connections = 8
    let id = script.add(wanted)
    let total: Int64 = 1 << 30
    let primary = script.attempt ?? AttemptID(rawValue: 0)
    script.head(primary, 200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
    script.opened(primary, partial(total: total))
    for round in Int64(1)...10 {
      script.advance(milliseconds: 1000)
      script.handle(.body(id, .progressed([primary: round * 1000])))
    }
    #expect(script.scheduler.machines[id]?.download?.activeCount == 3)
  }

  // MARK: Numbers

  @Test func `tasks that could not be stored are added again with the same identifiers`() {
    var script = SchedulerScript()
    script.add(taskSpec { $0.taskIdentifier = 3 })
    let specs = [4, 7].map { number in taskSpec { $0.taskIdentifier = number } }
    let output = script.scheduler.add(specs, at: script.now).1
    script.scheduler.withdraw(output.changes)
    #expect(script.scheduler.lastTaskIdentifier(of: app) == 3)
    let again = specs.map { script.add($0) }
    #expect(again.map { script.record($0)?.taskIdentifier } == [4, 7])
  }

  @Test func `a withdrawn identifier is not reused if a later one was assigned`() {
    var script = SchedulerScript()
    let output = script.scheduler.add([taskSpec { $0.taskIdentifier = 4 }], at: script.now).1
    let later = script.add(taskSpec { $0.taskIdentifier = 5 })
    script.scheduler.withdraw(output.changes)
    #expect(script.record(later)?.taskIdentifier == 5)
    #expect(script.scheduler.lastTaskIdentifier(of: app) == 5)
  }

  // MARK: Adopting and dropping

  @Test func `adopted transfers become the user's own with new identifiers`() {
    var script = SchedulerScript()
    let own = script.add(spec("http://own.example/"))
    let (id, _) = script.flowingTask(taskSpec { $0.taskIdentifier = 7 }, durable: 400)
    let (ids, output) = script.scheduler.adopt(app, at: script.now)
    script.run(output)
    #expect(ids == [id])
    let record = script.record(id)
    #expect(record?.spec.session == .kettle)
    #expect(record?.taskIdentifier == 2)
    #expect(record?.spec.task == nil)
    #expect(record?.task == nil)
    #expect(script.state(id) == .running)
    #expect(script.record(own)?.taskIdentifier == 1)
    #expect(script.scheduler.lastTaskIdentifier(of: app) == 7)
    // It can now be stopped and removed like any other transfer.
    script.control(.stop, id)
    #expect(script.state(id) == .idle)
  }

  @Test func `removing an adopted transfer keeps its file`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(durable: 1000)
    script.settled(attempt, .complete, durable: 1000)
    if case .placeFile(_, let operation, _, _)? = script.lastAction {
      let file = FinishedFile(path: "/held/a.iso", identity: nil)
      script.handle(.file(id, .placed(.success(file), by: operation)))
    }
    script.run(script.scheduler.adopt(app, at: script.now).1)
    script.control(.remove(.stays), id)
    #expect(script.record(id) == nil)
    #expect(script.deletedFiles.isEmpty)
  }

  @Test func `an adopted task kept as resume data becomes a paused transfer`() {
    var script = SchedulerScript()
    let id = script.failedTask()
    script.acknowledge(id, secret: "s")
    script.run(script.scheduler.adopt(app, at: script.now).1)
    script.control(.start, id)
    #expect(script.plan?.headers.first?.value == "bytes=400-")
  }

  @Test func `an adopted task no longer waits for its condition`() {
    var script = SchedulerScript()
    script.conditions([])
    let id = script.add(taskSpec { $0.conditions = [.mainsPower] })
    #expect(script.state(id) == .waiting)
    script.run(script.scheduler.adopt(app, at: script.now).1)
    #expect(script.state(id) == .running)
  }

  @Test func `an adopted task keeps the login that its program supplied`() throws {
    var script = SchedulerScript()
    let id = script.add(taskSpec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 401, ["WWW-Authenticate": "Basic realm=x"])
    script.settled(attempt, .cancelled)
    let challenge = try #require(script.record(id)?.task?.challenge)
    let login = Login(user: "u", password: "p")
    script.answer(id, challenge, .login(login))
    script.run(script.scheduler.adopt(app, at: script.now).1)
    #expect(script.record(id)?.spec.login == login)
  }

  @Test func `dropping a session removes its tasks and their bytes`() {
    var script = SchedulerScript()
    let failed = script.failedTask()
    let (running, attempt) = script.flowingTask(
      taskSpec("http://b.example/"), durable: 300)
    let kept = script.add(taskSpec("http://c.example/", session: other))
    let (ids, output) = script.scheduler.drop(app, at: script.now)
    script.run(output)
    #expect(ids == [failed, running])
    #expect(script.scheduler.tasks(of: app).isEmpty)
    script.settled(attempt, .cancelled, durable: 300)
    script.discards()
    #expect(script.record(failed) == nil)
    #expect(script.record(running) == nil)
    #expect(script.record(kept) != nil)
  }

  @Test func `the user's own transfers are neither adopted nor dropped`() {
    var script = SchedulerScript()
    let id = script.add(spec())
    #expect(script.scheduler.adopt(.kettle, at: script.now).ids.isEmpty)
    #expect(script.scheduler.drop(.kettle, at: script.now).ids.isEmpty)
    #expect(script.state(id) == .running)
  }

  @Test func `the tasks of a session are listed by their identifiers`() {
    var script = SchedulerScript()
    let first = script.add(taskSpec { $0.taskIdentifier = 1 })
    script.add(taskSpec(session: other))
    let second = script.add(taskSpec("http://b.example/") { $0.taskIdentifier = 2 })
    #expect(script.scheduler.tasks(of: app).map(\.record.id) == [first, second])
  }
}
