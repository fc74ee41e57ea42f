import KettleModel
import KettleScheduler
import Testing

/// Requests other than a plain GET, as scripts of events.
struct RequestLifeTests {
  private let file = RequestContent(
    method: "PUT", body: .file(path: "/home/u/film.mov", byteCount: 5000))
  private let form = RequestContent(
    method: "POST", body: .bytes(Base64Bytes([1, 2, 3])))
  private let lost = AttemptOutcome.failed(TransferFailure(.connectionLost, on: "files.example"))

  private func asking(_ content: RequestContent) -> TransferSpec {
    var spec = spec()
    spec.request = content
    return spec
  }

  private func upload() -> TransferSpec {
    var spec = asking(file)
    spec.task = TaskOptions(kind: .upload)
    return spec
  }

  @Test func `an attempt carries the request's body`() throws {
    var script = SchedulerScript()
    script.add(asking(file))
    #expect(script.plan?.content == file)
    #expect(script.plan?.requested == nil)
  }

  @Test func `an explicit GET without a body is a plain GET`() throws {
    var script = SchedulerScript()
    let id = script.add(asking(RequestContent(method: "GET")))
    let attempt = try #require(script.attempt)
    #expect(script.plan?.content == nil)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.settled(attempt, lost, durable: 400)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 400)
  }

  @Test func `bytes of an interrupted POST response are discarded`() throws {
    var script = SchedulerScript()
    let id = script.add(asking(form))
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(first, partial())
    script.settled(first, lost, durable: 400)
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.resumeData?.durable == ByteRangeSet())
    #expect(script.record(id)?.resumeData?.totalByteCount == nil)

    script.advance(milliseconds: 1000)
    script.timePasses()
    let second = try #require(script.plan)
    #expect(second.attempt != first)
    #expect(second.content == form)
    #expect(second.headers.isEmpty)
    script.head(second.attempt, 200, ["Content-Length": "700"])
    guard case .goOn(let data)? = script.bodyPlan else {
      Issue.record("expected the same partial file, got \(String(describing: script.bodyPlan))")
      return
    }
    #expect(data.durable.isEmpty)
    #expect(data.totalByteCount == 700)
    // Without this time the file is truncated when it is opened.
    #expect(data.lastWriteNanoseconds == nil)
  }

  @Test func `the store never records bytes that cannot be resumed`() throws {
    var script = SchedulerScript()
    let id = script.add(asking(form))
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.synced(id, 600)
    script.control(.pause, id)
    script.settled(attempt, .cancelled, durable: 700)
    let heldCounts = script.changes.compactMap { change -> Int64? in
      switch change {
      case .put(let record): record.resumeData?.durable.byteCount
      case .progress(_, let durable): durable.byteCount
      case .remove, .putSession, .removeSession, .clearFinished, .uncover, .bin, .hostServed,
        .rememberHost, .hook, .digests, .forgetDigests, .members, .syncMembers, .leaveOutMembers:
        nil
      }
    }
    #expect(!heldCounts.isEmpty)
    #expect(heldCounts.allSatisfy { $0 == 0 })
  }

  @Test func `a checkpoint is recorded without a notification`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    let output = script.scheduler.handle(
      .body(id, .synced(ByteRangeSet(prefix: 600))), at: script.now)
    #expect(output.changed.isEmpty)
    #expect(output.changes == [.progress(id, ByteRangeSet(prefix: 600))])
    #expect(script.scheduler.machines[id]?.record.resumeData?.durable == ByteRangeSet(prefix: 600))
    let again = script.scheduler.handle(
      .body(id, .synced(ByteRangeSet(prefix: 600))), at: script.now)
    #expect(again.changes.isEmpty)
  }

  // Fault 164
  @Test func `a new sample of the beginning stores the full record, once`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    let sample = FileSample(byteCount: 600, digest: "ab")
    let output = script.scheduler.handle(
      .body(id, .synced(ByteRangeSet(prefix: 600), sample)), at: script.now)
    guard case .put(let record)? = output.changes.first else {
      Issue.record("the record is not put down")
      return
    }
    #expect(record.resumeData?.sample == sample)
    let next = ByteRangeSet(prefix: 700)
    let second = script.scheduler.handle(.body(id, .synced(next, sample)), at: script.now)
    #expect(second.changes == [.progress(id, next)])
    // What is not durable may still change.
    let early = FileSample(byteCount: 900, digest: "cd")
    let last = ByteRangeSet(prefix: 800)
    let third = script.scheduler.handle(.body(id, .synced(last, early)), at: script.now)
    #expect(third.changes == [.progress(id, last)])
  }

  @Test func `bytes after a retry store the full record with a retry count of zero`()
    throws
  {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.settled(first, .failed(TransferFailure(.connectionLost, on: "https://example.org")))
    script.advance(milliseconds: 600_000)
    script.handle(.timePassed)
    let second = try #require(script.attempt)
    #expect(second != first)
    script.head(second, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(second, partial())
    #expect(script.scheduler.machines[id]?.record.retryCount == 1)
    let output = script.scheduler.handle(
      .body(id, .synced(ByteRangeSet(prefix: 600))), at: script.now)
    guard case .put(let record)? = output.changes.first else {
      Issue.record("the record is not put down")
      return
    }
    #expect(record.retryCount == 0)
    #expect(record.resumeData?.durable == ByteRangeSet(prefix: 600))
    #expect(record.state == .queued)
  }

  @Test(arguments: [true, false])
  func `only a plain GET is fetched over several connections`(isPlain: Bool) throws {
    var script = SchedulerScript()
    let total: Int64 = 64 << 20
    let id = script.add(isPlain ? spec() : asking(form))
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
    script.opened(attempt, partial(total: total))
    script.advance(milliseconds: 2000)
    script.handle(.body(id, .progressed([attempt: 1 << 20])))
    let begun = script.actions.count { if case .beginAttempt = $0 { true } else { false } }
    #expect(isPlain ? begun > 1 : begun == 1)
  }

  @Test func `interrupted responses are retried a limited number of times`() throws {
    var script = SchedulerScript()
    let id = script.add(asking(form))
    var tries = 0
    while script.state(id) != .failed, tries < 50 {
      let attempt = try #require(script.attempt)
      script.head(attempt, 200, ["Content-Length": "1000"])
      script.opened(attempt, partial())
      script.settled(attempt, lost, durable: 500)
      tries += 1
      script.advance(milliseconds: 100_000)
      script.timePasses()
    }
    #expect(tries == 11)
  }

  @Test func `a pause does not discard a complete response`() throws {
    var script = SchedulerScript()
    let id = script.add(asking(form))
    let attempt = try #require(script.attempt)
    script.head(attempt, 201, ["Content-Length": "3"])
    script.opened(attempt, partial(total: 3))
    script.ended(attempt, .complete, upTo: 3)
    script.control(.pause, id)
    script.closed(durable: ByteRangeSet(prefix: 3))
    guard case .placeFile(id, _, let data, _)? = script.lastAction else {
      Issue.record("expected the rename, got \(String(describing: script.lastAction))")
      return
    }
    #expect(data.durable.prefixByteCount == 3)
  }

  @Test func `a truncated response is discarded and retried`() throws {
    var script = SchedulerScript()
    let id = script.add(asking(form))
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    script.opened(attempt, partial())
    script.settled(attempt, .complete, durable: 900)
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.failure?.code == .truncated)
    #expect(script.record(id)?.resumeData?.durable.isEmpty == true)
  }

  @Test func `an unusable upload file fails the transfer without a retry`() throws {
    var script = SchedulerScript()
    let id = script.add(upload())
    let attempt = try #require(script.attempt)
    script.settled(attempt, .failed(TransferFailure(.uploadFileUnusable, on: "/home/u/film.mov")))
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .uploadFileUnusable)
  }

  // MARK: Redirects

  @Test func `a redirected POST drops its body and the headers that describe it`() throws {
    var script = SchedulerScript()
    var wanted = asking(form)
    wanted.headers = [
      HeaderField(received: "Content-Type", "text/plain"), HeaderField(received: "X-Own", "1"),
    ]
    script.add(wanted)
    let first = try #require(script.plan)
    #expect(first.headers == wanted.headers)
    script.head(first.attempt, 303, ["Location": "/outcome"])
    script.settled(first.attempt, .cancelled)
    let second = try #require(script.plan)
    #expect(second.url == url("http://files.example/outcome"))
    #expect(second.content == nil)
    #expect(second.headers == [HeaderField(received: "X-Own", "1")])
  }

  @Test func `a redirect that keeps the method sends the body again`() throws {
    var script = SchedulerScript()
    script.add(asking(form))
    let first = try #require(script.attempt)
    script.head(first, 307, ["Location": "/there"])
    script.settled(first, .cancelled)
    #expect(script.plan?.attempt != first)
    #expect(script.plan?.content == form)
  }

  @Test func `a retry after a redirect uses the original method again`() throws {
    var script = SchedulerScript()
    script.add(asking(form))
    let first = try #require(script.attempt)
    script.head(first, 302, ["Location": "/outcome"])
    script.settled(first, .cancelled)
    let second = try #require(script.attempt)
    script.settled(second, lost)
    script.advance(milliseconds: 1000)
    script.timePasses()
    #expect(script.plan?.attempt != second)
    #expect(script.plan?.url == url("http://files.example/a.iso"))
    #expect(script.plan?.content == form)
  }

  // MARK: What was sent

  @Test func `sent bytes are recorded when the attempt ends, and reset with the next one`() throws {
    var script = SchedulerScript()
    let id = script.add(upload())
    let first = try #require(script.attempt)
    script.handle(.attempt(first, .ended(lost, receivedUpTo: nil, sentByteCount: 3000)))
    script.closed(durable: nil)
    #expect(script.record(id)?.task?.sentByteCount == 3000)
    script.advance(milliseconds: 1000)
    script.timePasses()
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.task?.sentByteCount == 0)
  }
}
