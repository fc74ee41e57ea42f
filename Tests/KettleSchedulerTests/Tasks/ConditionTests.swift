import KettleModel
import KettleScheduler
import Testing

/// Tasks that wait for mains power or an unmetered network.
struct ConditionTests {
  private let all = Set(TransferCondition.allCases)

  private func discretionary(
    _ conditions: Set<TransferCondition> = [.mainsPower]
  ) -> TransferSpec {
    taskSpec { $0.conditions = conditions }
  }

  @Test func `a task waits for an unmet condition and reports it`() {
    var script = SchedulerScript()
    script.conditions([.unmeteredNetwork])
    let id = script.add(discretionary())
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .discretionary)
    #expect(script.record(id)?.failure == TransferFailure(.conditionUnmet, on: "mainsPower"))
    #expect(script.attempt == nil)
    script.conditions(all)
    #expect(script.state(id) == .running)
  }

  @Test func `the first unmet condition is reported, then the next`() {
    var script = SchedulerScript()
    script.conditions([])
    let id = script.add(discretionary([.mainsPower, .unmeteredNetwork]))
    #expect(script.record(id)?.failure?.subject == "mainsPower")
    script.conditions([.mainsPower])
    #expect(script.record(id)?.failure?.subject == "unmeteredNetwork")
    script.conditions(all)
    #expect(script.state(id) == .running)
  }

  @Test func `a running task waits and keeps its bytes when a condition is lost`() throws {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(discretionary(), durable: 400)
    script.conditions([])
    #expect(script.actions.contains(.cancelAttempt(attempt)))
    script.settled(attempt, .cancelled, durable: 500)
    #expect(script.record(id)?.reason == .discretionary)
    #expect(script.record(id)?.retryCount == 0)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 500)
    script.conditions(all)
    #expect(script.plan?.headers.first?.value == "bytes=500-")
  }

  @Test func `a condition that returns before the attempt ends does not make the task wait`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(discretionary(), durable: 400)
    script.conditions([])
    script.conditions(all)
    script.settled(attempt, .cancelled, durable: 400)
    #expect(script.state(id) == .running)
    #expect(script.attempt != attempt)
  }

  @Test func `a redirect checks the condition again`() throws {
    var script = SchedulerScript()
    let id = script.add(discretionary())
    let attempt = try #require(script.attempt)
    script.head(attempt, 302, ["Location": "/b.iso"])
    script.conditions([])
    script.settled(attempt, .cancelled)
    #expect(script.record(id)?.reason == .discretionary)
    #expect(script.attempt == attempt)
  }

  @Test func `a retry checks the condition again`() throws {
    var script = SchedulerScript()
    let id = script.add(discretionary())
    let lost = TransferFailure(.connectionLost, on: "files.example")
    script.settled(try #require(script.attempt), .failed(lost))
    script.conditions([])
    #expect(script.record(id)?.reason == .retry)
    script.advance(milliseconds: 60_000)
    script.timePasses()
    #expect(script.record(id)?.reason == .discretionary)
  }

  @Test func `a task without conditions is not delayed`() {
    var script = SchedulerScript()
    script.conditions([])
    let ids = [script.add(taskSpec()), script.add(spec("http://b.example/"))]
    #expect(ids.map { script.state($0) } == [.running, .running])
  }

  @Test func `a complete file is placed regardless of conditions`() {
    var script = SchedulerScript()
    let (id, attempt) = script.flowingTask(discretionary(), durable: 1000)
    script.control(.pause, id)
    script.settled(attempt, .cancelled, durable: 1000)
    script.conditions([])
    script.control(.start, id)
    #expect(script.state(id) == .verifying)
  }

  @Test func `a start by the user waives the conditions permanently`() {
    var script = SchedulerScript()
    script.conditions([])
    let id = script.add(discretionary())
    script.control(.start, id)
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.spec.task?.conditions == [])
  }

  @Test func `starting an idle task waives no condition`() {
    var script = SchedulerScript()
    var spec = discretionary()
    spec.beginning = .idle
    let id = script.add(spec)
    script.conditions([])
    script.control(.start, id)
    #expect(script.record(id)?.reason == .discretionary)
  }

  @Test func `after a crash a task runs until the conditions are known`() {
    var script = SchedulerScript()
    script.conditions([])
    let id = script.add(discretionary())
    script.restart()
    // The conditions are not known yet.
    #expect(script.state(id) == .running)
  }

  // MARK: Dates

  @Test func `a task does not start before its date, even when resumed`() {
    var script = SchedulerScript()
    let date = script.now.wall.advanced(byMilliseconds: 60_000)
    var spec = taskSpec()
    spec.beginning = .idle
    let id = script.add(spec)
    script.update(id) { $0.notBefore = date }
    script.control(.start, id)
    #expect(script.state(id) == .scheduled)
    script.control(.pause, id)
    script.control(.start, id)
    #expect(script.state(id) == .scheduled)
    script.advance(milliseconds: 60_000)
    script.timePasses()
    #expect(script.state(id) == .running)
  }

  @Test func `an earlier date replaces a later one`() {
    var script = SchedulerScript()
    var spec = taskSpec()
    spec.notBefore = script.now.wall.advanced(byMilliseconds: 60_000)
    let id = script.add(spec)
    #expect(script.state(id) == .scheduled)
    let nearer = script.now.wall.advanced(byMilliseconds: 1000)
    script.update(id) { $0.notBefore = nearer }
    #expect(script.record(id)?.goesOnAt == nearer)
    script.advance(milliseconds: 1000)
    script.timePasses()
    #expect(script.state(id) == .running)
  }

  @Test func `a removed date no longer delays the task`() {
    var script = SchedulerScript()
    var spec = taskSpec()
    spec.notBefore = script.now.wall.advanced(byMilliseconds: 60_000)
    let id = script.add(spec)
    script.update(id) { $0.notBefore = WallTime(millisecondsSince1970: 0) }
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.spec.notBefore == nil)
  }

  @Test func `changes that a program makes to its task are stored`() {
    var script = SchedulerScript()
    let (id, _) = script.flowingTask(durable: 400)
    script.update(id) {
      $0.programData = "{}"
      $0.title = "Winter"
      $0.subtitle = "Chapter 3"
      $0.priority = .high
      $0.expectedSendByteCount = 10
      $0.expectedReceiveByteCount = 20
    }
    let spec = script.record(id)?.spec
    #expect(spec?.task?.programData == "{}")
    #expect(spec?.title == "Winter")
    #expect(spec?.task?.subtitle == "Chapter 3")
    #expect(spec?.priority == .high)
    #expect(spec?.task?.expectedSendByteCount == 10)
    #expect(spec?.task?.expectedReceiveByteCount == 20)
    #expect(script.state(id) == .running)
    script.update(id) { $0.title = "" }
    #expect(script.record(id)?.spec.title == nil)
    #expect(script.record(id)?.spec.task?.subtitle == "Chapter 3")
  }

  @Test func `a changed priority changes the queue order`() {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var script = SchedulerScript(limits: limits)
    let first = script.add(taskSpec())
    let second = script.add(taskSpec("http://b.example/"))
    let third = script.add(taskSpec("http://c.example/"))
    script.update(third) { $0.priority = .high }
    script.cancel(first, keepsBytes: false)
    script.settled(script.plan?.attempt ?? AttemptID(rawValue: 0), .cancelled)
    #expect(script.state(third) == .running)
    #expect(script.state(second) == .queued)
  }
}
