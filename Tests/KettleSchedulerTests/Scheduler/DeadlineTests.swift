import KettleModel
import KettleScheduler
import Testing

/// The time limit that a program sets for its task, as scripts of events.
struct DeadlineTests {
  private static let hour: Int64 = 3_600_000

  private func task(_ change: (inout TransferSpec) -> Void = { _ in }) -> TransferSpec {
    var spec = spec()
    spec.task = TaskOptions(kind: .download)
    spec.task?.resourceTimeoutMilliseconds = Self.hour
    change(&spec)
    return spec
  }

  private func expectIsOver(_ script: SchedulerScript, _ id: TransferID) {
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .timedOut)
    #expect(script.record(id)?.failure?.detail == "the task's time is over")
    #expect(script.record(id)?.finishedAt == script.now.wall)
  }

  @Test func `a running task fails at its deadline and keeps its bytes`() throws {
    var script = SchedulerScript()
    let id = script.add(task())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    script.opened(attempt, partial(entityTag: nil))
    script.advance(milliseconds: Self.hour - 1)
    script.timePasses()
    #expect(script.state(id) == .running)
    script.advance(milliseconds: 1)
    script.timePasses()
    #expect(script.lastAction == .cancelAttempt(attempt))
    script.settled(attempt, .cancelled, durable: 400)
    expectIsOver(script, id)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 400)
  }

  @Test func `the deadline applies to queued and paused tasks`() throws {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var script = SchedulerScript(limits: limits)
    script.add(spec())
    let queued = script.add(task())
    let paused = script.add(task())
    script.control(.pause, paused)
    #expect([queued, paused].map { script.state($0) } == [.queued, .paused])
    script.advance(milliseconds: Self.hour)
    script.timePasses()
    expectIsOver(script, queued)
    expectIsOver(script, paused)
  }

  @Test func `the time limit counts from the first start`() {
    var script = SchedulerScript()
    let id = script.add(task { $0.beginning = .idle })
    #expect(script.record(id)?.task?.startedAt == nil)
    script.advance(milliseconds: 2 * Self.hour)
    script.timePasses()
    #expect(script.state(id) == .idle)
    script.control(.start, id)
    #expect(script.record(id)?.task?.startedAt == script.now.wall)
    #expect(script.state(id) == .running)
  }

  @Test func `the time limit of a scheduled task counts from its date`() throws {
    var script = SchedulerScript()
    let date = script.now.wall.advanced(byMilliseconds: 5 * Self.hour)
    let id = script.add(task { $0.notBefore = date })
    script.advance(milliseconds: 5 * Self.hour)
    script.timePasses()
    #expect(script.state(id) == .running)
    script.settled(
      try #require(script.attempt), .failed(TransferFailure(.networkDown, on: "files.example")))
    script.advance(milliseconds: Self.hour)
    script.timePasses()
    expectIsOver(script, id)
  }

  @Test func `a task past its deadline cannot be restarted`() {
    var script = SchedulerScript()
    let id = script.add(task())
    script.control(.pause, id)
    script.settled(script.attempt ?? AttemptID(rawValue: 0), .cancelled)
    script.advance(milliseconds: Self.hour)
    script.timePasses()
    expectIsOver(script, id)
    #expect(script.control(.start, id) == .refused(.completed))
    expectIsOver(script, id)
  }

  @Test func `resume data held by a program has no deadline`() {
    var record = self.record(.paused)
    let token = ResumeToken(id: record.id, secret: "s")
    record.task?.resumeToken = token
    var script = SchedulerScript()
    script.run(script.scheduler.recover([record], at: script.now))
    script.advance(milliseconds: 2 * Self.hour)
    script.timePasses()
    #expect(script.state(record.id) == .paused)
  }

  private func record(_ state: TransferState) -> TransferRecord {
    var record = TransferRecord(
      id: TransferID(rawValue: 3), taskIdentifier: 1, spec: task(),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: 9, state: state)
    record.task?.startedAt = SchedulerScript().now.wall
    return record
  }

  // MARK: Clocks

  @Test func `the time limit includes time when the service is not running`() {
    var script = SchedulerScript()
    script.advance(milliseconds: Self.hour)
    // A different monotonic time, as after a reboot.
    script.now.monotonic = MonotonicTime(milliseconds: 5)
    script.run(script.scheduler.recover([record(.paused)], at: script.now))
    script.timePasses()
    expectIsOver(script, TransferID(rawValue: 3))
  }

  @Test func `a clock set forward is noticed within a minute`() throws {
    var script = SchedulerScript()
    let id = script.add(task { $0.beginning = .paused })
    script.control(.start, id)
    script.now.wall = script.now.wall.advanced(byMilliseconds: 2 * Self.hour)
    let before = SchedulerScript().now.monotonic
    let wakeUp = try #require(script.scheduler.nextWakeUp(at: SchedulerScript().now))
    #expect(wakeUp.milliseconds(since: before) <= 60_000)
    script.timePasses()
    #expect(script.record(id)?.failure?.detail == "the task's time is over")
  }

  @Test func `a clock set back does not cause repeated wake-ups`() throws {
    var script = SchedulerScript()
    let id = script.add(task())
    script.now.wall = script.now.wall.advanced(byMilliseconds: -24 * Self.hour)
    script.timePasses()
    #expect(script.state(id) == .running)
    let wakeUp = try #require(script.scheduler.nextWakeUp(at: script.now))
    #expect(wakeUp.milliseconds(since: script.now.monotonic) == 60_000)
  }

  @Test func `the deadline of a removed task causes no wake-up`() throws {
    var script = SchedulerScript()
    let first = script.add(task())
    let second = script.add(task { $0.task?.resourceTimeoutMilliseconds = 3 * Self.hour })
    // The removal of the earliest deadline causes no early wake-up.
    let third = script.add(task { $0.task?.resourceTimeoutMilliseconds = 4 * Self.hour })
    script.control(.pause, third)
    script.control(.remove(.stays), first)
    for attempt in [1, 2, 3].map({ AttemptID(rawValue: $0) }) {
      script.settled(attempt, .cancelled)
    }
    script.advance(milliseconds: Self.hour)
    script.timePasses()
    #expect(script.state(second) != .failed)
    let wakeUp = try #require(script.scheduler.nextWakeUp(at: script.now))
    #expect(wakeUp > script.now.monotonic)
  }

  @Test func `timeouts are retried until the deadline`() throws {
    var script = SchedulerScript()
    let id = script.add(task())
    let silent = AttemptOutcome.failed(TransferFailure(.timedOut, on: "files.example"))
    var tries = 0
    while script.state(id) != .failed, tries < 100 {
      script.settled(try #require(script.attempt), silent)
      tries += 1
      script.advance(milliseconds: 100_000)
      script.timePasses()
    }
    expectIsOver(script, id)
    #expect(tries == 36)
  }
}
