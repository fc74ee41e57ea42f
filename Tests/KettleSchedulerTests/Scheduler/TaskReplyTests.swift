import KettleModel
import KettleScheduler
import Testing

/// What the programs of sessions receive of a server's response, as scripts of events.
struct TaskReplyTests {
  /// Without a directory the file is kept for the program.
  private func task(in directory: String? = nil) -> TransferSpec {
    var spec = spec()
    spec.directory = directory
    spec.task = TaskOptions(kind: .download)
    return spec
  }

  private let lost = AttemptOutcome.failed(TransferFailure(.connectionLost, on: "files.example"))

  private func fetched(_ spec: TransferSpec, _ status: Int) throws -> (SchedulerScript, TransferID)
  {
    var script = SchedulerScript()
    let id = script.add(spec)
    let attempt = try #require(script.attempt)
    script.head(attempt, status, ["Content-Length": "9", "Server": "s"])
    if script.bodyPlan != nil {
      script.opened(attempt, partial(total: 9, entityTag: nil))
      script.settled(attempt, .complete, durable: 9)
    } else {
      script.settled(attempt, .cancelled)
    }
    return (script, id)
  }

  @Test(arguments: [200, 201, 400, 403, 404, 410, 416, 418, 429, 500, 501, 503])
  func `a task without a directory accepts every status and its body`(_ status: Int) throws {
    let (script, id) = try fetched(task(), status)
    guard case .placeFile(id, _, _, _)? = script.lastAction else {
      Issue.record("expected the rename, got \(String(describing: script.lastAction))")
      return
    }
    let reply = try #require(script.record(id)?.task?.reply)
    #expect(reply.status == status)
    #expect(reply.url == "http://files.example/a.iso")
    #expect(reply.headers.contains(HeaderField(received: "Server", "s")))
  }

  @Test(arguments: [404, 501])
  func `a task with a directory fails and records the response`(_ status: Int) throws {
    let (script, id) = try fetched(task(in: "/downloads"), status)
    #expect(script.bodyPlan == nil)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .httpStatus)
    #expect(script.record(id)?.task?.reply?.status == status)
  }

  @Test func `a user's transfer records no response`() throws {
    let (script, id) = try fetched(spec(), 404)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.task == nil)
  }

  @Test func `a temporary error fails a task with a directory only after its retries`() throws {
    var script = SchedulerScript()
    let id = script.add(task(in: "/downloads"))
    var tries = 0
    while script.state(id) != .failed, tries < 50 {
      #expect(script.record(id)?.task?.reply == nil)
      let attempt = try #require(script.attempt)
      script.head(attempt, 502)
      script.settled(attempt, .cancelled)
      tries += 1
      script.advance(milliseconds: 100_000)
      script.timePasses()
    }
    #expect(tries == 11)
    #expect(script.record(id)?.task?.reply?.status == 502)
  }

  @Test func `a redirect is followed, and the final response is recorded`() throws {
    var script = SchedulerScript()
    let id = script.add(task())
    let first = try #require(script.attempt)
    script.head(first, 302, ["Location": "http://other.example/b"])
    script.settled(first, .cancelled)
    let second = try #require(script.attempt)
    script.head(second, 404, ["Content-Length": "9"])
    #expect(script.record(id)?.task?.reply?.url == "http://other.example/b")
  }

  @Test func `a forbidden redirect fails a task like any other transfer`() throws {
    var script = SchedulerScript()
    let id = script.add(task())
    let attempt = try #require(script.attempt)
    script.head(attempt, 302, ["Location": "file:///etc/passwd"])
    script.settled(attempt, .cancelled)
    #expect(script.record(id)?.failure?.code == .redirectRefused)
    #expect(script.record(id)?.task?.reply?.status == 302)
  }

  // MARK: With bytes from before

  private func holding(_ byteCount: Int64) throws -> (SchedulerScript, TransferID, AttemptID) {
    var script = SchedulerScript()
    let id = script.add(task())
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(first, partial())
    script.settled(first, lost, durable: byteCount)
    script.advance(milliseconds: 1000)
    script.timePasses()
    return (script, id, try #require(script.attempt))
  }

  @Test func `a new version of the file replaces the recorded response`() throws {
    var (script, id, second) = try holding(400)
    script.head(second, 200, ["Content-Length": "2000", "ETag": "\"v2\""])
    let reply = try #require(script.record(id)?.task?.reply)
    #expect(reply.headers.contains(HeaderField(received: "Content-Length", "2000")))
  }

  @Test func `a range response is recorded as the response to the whole file`() throws {
    var (script, id, second) = try holding(400)
    let rest = [
      "Content-Range": "bytes 400-999/1000", "Content-Length": "600", "ETag": "\"v1\"", "Age": "7",
    ]
    script.head(second, 206, rest)
    let reply = try #require(script.record(id)?.task?.reply)
    #expect(reply.status == 200)
    #expect(
      Set(reply.headers.map { "\($0.name): \($0.value)" })
        == ["Content-Length: 1000", "ETag: \"v1\"", "Age: 7"])
  }

  @Test func `a temporary error does not replace durable bytes`() throws {
    var (script, id, second) = try holding(400)
    #expect(script.plan?.headers.first?.value == "bytes=400-")
    script.head(second, 503, ["Retry-After": "7"])
    script.settled(second, .cancelled)
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .retryAfter)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 400)
    #expect(script.record(id)?.task?.reply?.status == 200)
  }

  @Test func `a final status replaces durable bytes and records the reason`() throws {
    var (script, id, second) = try holding(400)
    script.head(second, 404, ["Content-Length": "9"])
    guard case .create(let new)? = script.bodyPlan else {
      Issue.record("expected a new file, got \(String(describing: script.bodyPlan))")
      return
    }
    #expect(new.old?.fate == .setAside)
    #expect(new.validator == nil)
    #expect(script.record(id)?.freshStart == .resourceChanged)
  }

  @Test func `the rest of an interrupted page is not requested`() throws {
    var script = SchedulerScript()
    let id = script.add(task())
    let first = try #require(script.attempt)
    script.head(first, 404, ["Content-Length": "9000", "ETag": "\"page\""])
    script.opened(first, partial(total: 9000, entityTag: nil))
    script.synced(id, 4000)
    script.settled(first, lost, durable: 5000)
    #expect(script.record(id)?.resumeData?.durable.isEmpty == true)
    script.advance(milliseconds: 1000)
    script.timePasses()
    #expect(script.plan?.attempt != first)
    #expect(script.plan?.headers.isEmpty == true)
  }

  @Test func `an error page is not verified against the file's checksum`() throws {
    var wanted = task()
    wanted.checksum = Checksum(algorithm: .md5, hex: String(repeating: "0", count: 32))
    let (page, _) = try fetched(wanted, 404)
    guard case .placeFile? = page.lastAction else {
      Issue.record("expected the rename, got \(String(describing: page.lastAction))")
      return
    }
    let (file, _) = try fetched(wanted, 200)
    guard case .computeDigest? = file.lastAction else {
      Issue.record("expected the digest, got \(String(describing: file.lastAction))")
      return
    }
  }

  @Test func `a stop discards the recorded response`() throws {
    var (script, id, _) = try holding(400)
    script.control(.stop, id)
    script.settled(try #require(script.attempt), .cancelled)
    script.discards()
    #expect(script.state(id) == .idle)
    #expect(script.record(id)?.task == TaskStatus())
  }
}
