import KettleModel
import KettleScheduler
import Testing

/// A new task that resumes from the resume data of an earlier one.
struct TakeoverTests {
  private func setAside(
    _ spec: TransferSpec = taskSpec()
  ) throws -> (SchedulerScript, old: TransferID, ResumeToken) {
    var script = SchedulerScript()
    let old = script.failedTask(durable: 400, spec)
    let token = script.acknowledge(old, secret: "s1")
    return (script, old, try #require(token))
  }

  @Test func `the new task requests the rest and reports its offset`() throws {
    var (script, old, token) = try setAside()
    let id = script.add(taskSpec { $0.resumes = token })
    #expect(script.record(old) == nil)
    #expect(script.plan?.headers.first?.value == "bytes=400-")
    #expect(script.record(id)?.task?.resumedAtByteCount == nil)
    let attempt = try #require(script.attempt)
    script.head(attempt, 206, ["Content-Range": "bytes 400-999/1000", "ETag": "\"v1\""])
    script.opened(attempt, partial(durable: 400))
    #expect(script.record(id)?.task?.resumedAtByteCount == 400)
    #expect(script.record(id)?.freshStart == nil)
    #expect(script.discarded.isEmpty)
  }

  @Test func `the new task inherits the response with the bytes`() throws {
    var (script, _, token) = try setAside()
    let id = script.add(taskSpec { $0.resumes = token })
    let attempt = try #require(script.attempt)
    script.head(attempt, 206, ["Content-Range": "bytes 400-999/1000", "ETag": "\"v1\""])
    #expect(script.record(id)?.task?.reply?.status == 200)
  }

  @Test func `a task whose bytes are complete reports its offset without a request`() {
    var script = SchedulerScript()
    let old = script.failedTask(durable: 1000)
    let token = script.acknowledge(old, secret: "s1")
    #expect(token != nil)
    let asked = script.attempt
    let id = script.add(taskSpec { $0.resumes = token })
    #expect(script.attempt == asked)
    #expect(script.state(id) == .verifying)
    #expect(script.record(id)?.task?.resumedAtByteCount == 1000)
  }

  @Test func `a task that a 416 confirms as complete reports its size as the offset`() throws {
    var script = SchedulerScript()
    let old = script.add(taskSpec())
    let first = try #require(script.attempt)
    script.head(first, 200, ["ETag": "\"v1\""])
    script.opened(first, partial(total: nil))
    script.cancel(old, keepsBytes: true)
    script.settled(first, .cancelled, durable: 400)
    let token = script.acknowledge(old, secret: "s1")
    #expect(token != nil)
    let id = script.add(taskSpec { $0.resumes = token })
    let attempt = try #require(script.attempt)
    script.head(attempt, 416, ["Content-Range": "bytes */400", "ETag": "\"v1\""])
    #expect(script.record(id)?.task?.resumedAtByteCount == 400)
  }

  @Test func `adding the new task acknowledges the old one`() throws {
    var script = SchedulerScript()
    let old = script.failedTask(durable: 400)
    let made = script.makeToken(old, secret: "s1")
    let token = try #require(made)
    script.add(taskSpec { $0.resumes = token })
    #expect(script.record(old) == nil)
    #expect(script.plan?.headers.first?.value == "bytes=400-")
    // The later acknowledgement by the library finds no task.
    #expect(script.acknowledge(old, secret: "s2") == nil)
  }

  @Test func `the reported offset is that of the first attempt`() throws {
    var (script, _, token) = try setAside()
    let id = script.add(taskSpec { $0.resumes = token })
    for durable: Int64 in [400, 700] {
      let attempt = try #require(script.attempt)
      script.head(attempt, 206, ["Content-Range": "bytes \(durable)-999/1000", "ETag": "\"v1\""])
      script.opened(attempt, partial(durable: durable))
      script.control(.pause, id)
      script.settled(attempt, .cancelled, durable: durable + 300)
      script.control(.start, id)
    }
    #expect(script.record(id)?.task?.resumedAtByteCount == 400)
  }

  @Test func `a full response reports no offset, not even after a later resume`() throws {
    var (script, _, token) = try setAside()
    let id = script.add(taskSpec { $0.resumes = token })
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "2000", "ETag": "\"v2\""])
    script.opened(attempt, partial(total: 2000, entityTag: "\"v2\""))
    #expect(script.record(id)?.freshStart == .resourceChanged)
    script.synced(id, 500)
    script.control(.pause, id)
    script.settled(attempt, .cancelled, durable: 500)
    script.control(.start, id)
    let second = try #require(script.attempt)
    script.head(second, 206, ["Content-Range": "bytes 500-1999/2000", "ETag": "\"v2\""])
    script.opened(second, partial(durable: 500, total: 2000, entityTag: "\"v2\""))
    #expect(script.record(id)?.task?.resumedAtByteCount == nil)
  }

  @Test func `the old task is removed in the commit that adds the new one`() throws {
    var (script, old, token) = try setAside()
    let output = script.scheduler.add([taskSpec { $0.resumes = token }], at: script.now).1
    #expect(output.changes.first == .remove(old))
    #expect(output.changes.count == 2)
    #expect(output.removed.map(\.id) == [old])
    #expect(output.afterCommit.isEmpty)
    guard case .put(let record) = output.changes.last else {
      Issue.record("the new one is not put on record")
      return
    }
    #expect(record.resumeData?.durable.byteCount == 400)
  }

  @Test func `a task keeps its resume data if its successor cannot be stored`() throws {
    var (script, old, token) = try setAside()
    let before = script.record(old)
    let (ids, output) = script.scheduler.add([taskSpec { $0.resumes = token }], at: script.now)
    script.scheduler.withdraw(output.changes)
    #expect(script.record(old) == before)
    #expect(script.record(ids[0]) == nil)
    let id = script.add(taskSpec { $0.resumes = token })
    #expect(script.record(id)?.resumeData != nil)
  }

  @Test func `a suspended task keeps its bytes after a crash`() throws {
    var (script, _, token) = try setAside()
    var spec = taskSpec { $0.resumes = token }
    spec.beginning = .idle
    let id = script.add(spec)
    script.restart()
    #expect(script.state(id) == .paused)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 400)
    script.control(.start, id)
    #expect(script.plan?.headers.first?.value == "bytes=400-")
  }

  enum Wrong: CaseIterable { case secret, unknown, session, place, request, usedTwice }

  @Test(arguments: Wrong.allCases)
  func `a task with an invalid token starts from zero and reports it`(wrong: Wrong) throws {
    var (script, old, token) = try setAside()
    var spec = taskSpec()
    switch wrong {
    case .secret: token.secret = "s2"
    case .unknown: token.id = TransferID(rawValue: 99)
    case .session: spec.session = SessionID(rawValue: "other")
    case .place: spec.directory = "/elsewhere"
    case .request: spec.request = RequestContent(method: "POST")
    case .usedTwice:
      spec.task?.resumes = token
      script.add(spec)
    }
    spec.task?.resumes = token
    let id = script.add(spec)
    #expect(script.record(id)?.resumeData == nil)
    #expect(script.record(id)?.freshStart == .partialFileChanged)
    #expect((script.record(old) == nil) == (wrong == .usedTwice))
  }

  @Test func `a different link must prove that it leads to the same file`() throws {
    var (script, _, token) = try setAside()
    let id = script.add(taskSpec("http://mirror.example/a.iso") { $0.resumes = token })
    #expect(script.record(id)?.resumeData?.validatorURL == "http://files.example/a.iso")
  }

  // MARK: Task identifiers

  @Test func `a requested identifier is used only if it is larger than all earlier ones`() {
    var script = SchedulerScript()
    let wanted: [Int64?] = [5, 5, 3, nil, 9, .max, nil]
    let numbers = wanted.map { wanted in
      let id = script.add(taskSpec { $0.taskIdentifier = wanted })
      return script.record(id)?.taskIdentifier ?? 0
    }
    #expect(numbers == [5, 6, 7, 8, 9, 10, 11])
    #expect(script.scheduler.lastTaskIdentifier(of: app) == 11)
    #expect(script.scheduler.lastTaskIdentifier(of: .kettle) == 0)
  }
}
