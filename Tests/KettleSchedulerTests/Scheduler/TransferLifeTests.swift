import KettleModel
import KettleScheduler
import Testing

/// Complete lives of one transfer as scripts of events.
struct TransferLifeTests {
  @Test func `a new transfer completes in one attempt`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    #expect(script.state(id) == .running)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    #expect(
      script.bodyPlan
        == .create(
          BodyPlan.NewFile(
            preferredName: "a.iso", total: 1000,
            validator: Validator(
              entityTag: "\"v1\"", lastModified: nil, isLastModifiedStrong: false))))
    script.opened(attempt, partial())
    #expect(script.lastAction == .acceptBody(id, attempt, ByteRange(lower: 0, upper: 1000)))
    script.settled(attempt, .complete, durable: 1000)
    #expect(script.state(id) == .verifying)
    guard case .placeFile(id, let operation, let resumeData, .rename)? = script.lastAction else {
      Issue.record("expected the file to be placed, got \(String(describing: script.lastAction))")
      return
    }
    #expect(resumeData.isWhole)
    let file = FinishedFile(path: "/downloads/a.iso", identity: nil)
    script.handle(.file(id, .placed(.success(file), by: operation)))
    #expect(script.state(id) == .completed)
    #expect(script.record(id)?.finishedFile == tagged)
    #expect(script.record(id)?.resumeData == nil)
  }

  @Test func `a connection is released while the last bytes are still being written`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsPerHostMax = 5
    var script = SchedulerScript(limits: limits)
    let ids = (0..<6).map { _ in script.add(spec()) }
    let attempt = try #require(script.scheduler.machines[ids[0]]?.download?.attempts.first)
    script.head(attempt, 200, ["Content-Length": "1000"])
    script.opened(attempt, partial())
    #expect(script.state(ids[5]) == .queued)
    script.handle(.attempt(attempt, .exchangeEnded))
    #expect(script.state(ids[5]) == .running)
    let seventh = script.add(spec())
    script.ended(attempt, .complete, upTo: 1000)
    // It is still closing its file, but another transfer already has its connection.
    #expect(script.state(ids[0]) == .running)
    #expect(script.state(seventh) == .queued)
  }

  @Test func `a transfer whose connection was taken waits before another request`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsMax = 1
    var script = SchedulerScript(limits: limits)
    let id = script.add(spec())
    let other = script.add(spec("http://other.example/b.iso"))
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    script.opened(attempt, partial())
    script.handle(.attempt(attempt, .exchangeEnded))
    let taker = try #require(script.attempt)
    #expect(script.state(other) == .running)
    let failure = TransferFailure(.otherVersion, on: spec().url.text)
    script.settled(attempt, .failed(failure), durable: 400)
    #expect(script.state(id) == .queued)
    script.head(taker, 404)
    script.settled(taker, .cancelled)
    #expect(script.state(id) == .running)
    // It is the request that was about to be made: from zero.
    #expect(script.plan?.requested == nil)
  }

  @Test func `the rename waits until the store has recorded the file as complete`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    script.opened(attempt, partial())
    script.ended(attempt, .complete, upTo: 1000)
    guard case .closeBody(id, let operation)? = script.lastAction else {
      Issue.record("the body was not closed")
      return
    }
    let body = ClosedBody(durable: ByteRangeSet(prefix: 1000), modifiedNanoseconds: 0)
    let output = script.scheduler.handle(
      .body(id, .closed(.success(body), by: operation)), at: script.now)
    #expect(output.now.isEmpty)
    guard case .put(let record)? = output.changes.last else {
      Issue.record("nothing was put on record")
      return
    }
    #expect(record.id == id)
    #expect(record.resumeData?.isWhole == true)
    #expect(output.afterCommit.count == 1)
  }

  @Test func `the body is accepted only after the store has recorded the partial file`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    let output = script.scheduler.handle(.body(id, .opened(partial(), by: attempt)), at: script.now)
    #expect(output.now.isEmpty)
    #expect(
      output.afterCommit == [.acceptBody(id, attempt, ByteRange(lower: 0, upper: 1000))])
    #expect(output.changes.count == 2)
    let origin = spec().url.origin
    #expect(output.changes.last == .hostServed(origin, at: script.now.wall))
  }

  @Test func `a body that completes before its partial file is recorded is placed`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    _ = script.scheduler.handle(.body(id, .opened(partial(), by: attempt)), at: script.now)
    script.ended(attempt, .complete, upTo: 1000)
    script.closed(durable: ByteRangeSet(prefix: 1000))
    #expect(script.record(id)?.resumeData?.isWhole == true)
    guard case .placeFile(id, _, _, _)? = script.lastAction else {
      Issue.record("the file gets no name")
      return
    }
  }

  @Test func `pause keeps the bytes, and start requests the rest`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(first, partial())
    script.control(.pause, id)
    #expect(script.state(id) == .paused)
    #expect(script.lastAction == .cancelAttempt(first))
    script.settled(first, .cancelled, durable: 400)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 400)

    script.control(.start, id)
    let plan = try #require(script.plan)
    #expect(plan.attempt != first)
    #expect(plan.headers.contains(HeaderField(received: "Range", "bytes=400-")))
    #expect(plan.headers.contains(HeaderField(received: "If-Range", "\"v1\"")))
    script.head(
      plan.attempt, 206,
      ["Content-Range": "bytes 400-999/1000", "ETag": "\"v1\"", "Content-Length": "600"])
    var kept = partial(durable: 400)
    kept.lastWriteNanoseconds = script.modified
    kept.answer = ChainedURL(given: spec().url)
    #expect(script.bodyPlan == .goOn(kept))
    script.opened(plan.attempt, kept)
    #expect(
      script.lastAction == .acceptBody(id, plan.attempt, ByteRange(lower: 400, upper: 1000)))
  }

  @Test func `a start while a pause is still in progress takes effect afterwards`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(first, partial())
    script.control(.pause, id)
    script.control(.start, id)
    #expect(script.state(id) == .queued)
    #expect(script.attempt == first)
    script.settled(first, .cancelled, durable: 300)
    #expect(script.state(id) == .running)
    #expect(script.plan?.headers.first?.value == "bytes=300-")
  }

  @Test func `stop discards the bytes and the partial file`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.control(.stop, id)
    #expect(script.state(id) == .idle)
    script.settled(attempt, .cancelled, durable: 400)
    script.discards()
    #expect(script.discarded.map(\.durable) == [ByteRangeSet(prefix: 400)])
    #expect(script.record(id)?.resumeData == nil)
    #expect(script.scheduler.machines[id]?.state == .idle)
  }

  @Test func `a start right after a stop waits for the deletion and begins from zero`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(first, partial())
    script.control(.stop, id)
    script.control(.start, id)
    script.settled(first, .cancelled, durable: 400)
    #expect(script.plan?.attempt == first)
    script.discards()
    #expect(script.discarded.map(\.durable) == [ByteRangeSet(prefix: 400)])
    let plan = try #require(script.plan)
    #expect(script.lastAction == .beginAttempt(id, plan))
    #expect(plan.headers.isEmpty)
  }

  @Test func `repeating a control has no effect`() throws {
    for control: TransferScheduler.Control in [.pause, .stop, .start] {
      var script = SchedulerScript()
      let id = script.add(spec())
      script.control(control, id)
      let once = script.scheduler.machines[id]?.state
      script.control(control, id)
      #expect(script.scheduler.machines[id]?.state == once, "\(control)")
    }
  }

  @Test func `a completed transfer is final until reset`() throws {
    var script = SchedulerScript()
    let id = try completed(&script)
    #expect(script.control(.start, id) == .refused(.completed))
    #expect(script.control(.pause, id) == .refused(.completed))
    #expect(script.control(.stop, id) == .refused(.completed))
    #expect(script.state(id) == .completed)
    script.control(.reset, id)
    #expect(script.state(id) == .idle)
    #expect(
      script.lastAction
        == .discardFinishedFile(
          id, tagged, binAction: nil))
  }

  /// The finished file, with the ETag of its responses.
  private var tagged: FinishedFile {
    var file = FinishedFile(path: "/downloads/a.iso", identity: nil)
    file.entityTag = "\"v1\""
    return file
  }

  @Test func `removing a finished transfer keeps its file unless asked`() throws {
    var script = SchedulerScript()
    let kept = try completed(&script)
    let before = script.actions.count
    script.control(.remove(.stays), kept)
    #expect(script.scheduler.machines[kept] == nil)
    #expect(script.actions.count == before)
    #expect(script.changes.last == .remove(kept))

    let gone = try completed(&script)
    script.control(.remove(.goes), gone)
    #expect(
      script.lastAction
        == .discardFinishedFile(
          gone, tagged, binAction: nil))
  }

  @Test func `a removal during the rename waits for it and then deletes the file`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let operation = try whole(&script)
    script.control(.remove(.goes), id)
    #expect(script.scheduler.machines[id] != nil)
    let file = FinishedFile(path: "/downloads/a.iso", identity: nil)
    script.handle(.file(id, .placed(.success(file), by: operation)))
    #expect(script.scheduler.machines[id] == nil)
    #expect(script.lastAction == .discardFinishedFile(id, file, binAction: nil))
  }

  @Test func `a removal during a failing rename deletes the partial file`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let operation = try whole(&script)
    script.control(.remove(.stays), id)
    let failure = TransferFailure(.directoryUnwritable, on: "/downloads")
    script.handle(.file(id, .placed(.failure(failure), by: operation)))
    guard case .discardPartialFile(id, _, _)? = script.lastAction else {
      Issue.record("the partial file stays: \(String(describing: script.lastAction))")
      return
    }
    script.discards()
    #expect(script.scheduler.machines[id] == nil)
  }

  // Fault 26
  @Test func `a body of unknown size that ends before the durable bytes starts afresh`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 200)
    script.opened(first, partial(total: nil, entityTag: nil))
    script.settled(
      first, .failed(TransferFailure(.connectionLost, on: "files.example")), durable: 500)
    script.advance(milliseconds: 2000)
    script.timePasses()
    let second = try #require(script.attempt)
    script.head(second, 200)
    script.opened(second, partial(durable: 500, total: nil, entityTag: nil))
    script.settled(second, .complete, durable: 300)
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.freshStart == .resourceChanged)
    #expect(!script.actions.contains { if case .placeFile = $0 { true } else { false } })
  }

  @Test func `a wrong checksum fails the transfer and discards the bytes`() throws {
    var script = SchedulerScript()
    var wanted = spec()
    wanted.checksum = Checksum(algorithm: .md5, hex: String(repeating: "a", count: 32))
    let id = script.add(wanted)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    script.opened(attempt, partial())
    script.settled(attempt, .complete, durable: 1000)
    guard case .computeDigest(id, let operation, _, .md5)? = script.lastAction else {
      Issue.record("no digest was asked for")
      return
    }
    let found = String(repeating: "b", count: 32)
    script.handle(.file(id, .digestComputed(.success(found), by: operation)))
    script.discards()
    #expect(script.discarded.count == 1)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .checksumMismatch)
    #expect(script.record(id)?.resumeData == nil)
  }

  @Test func `a matching checksum leads to the rename`() throws {
    var script = SchedulerScript()
    var wanted = spec()
    wanted.checksum = Checksum(algorithm: .md5, hex: String(repeating: "a", count: 32))
    let id = script.add(wanted)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    script.opened(attempt, partial())
    script.settled(attempt, .complete, durable: 1000)
    guard case .computeDigest(id, let operation, _, _)? = script.lastAction else {
      Issue.record("no digest was asked for")
      return
    }
    let found = String(repeating: "a", count: 32)
    script.handle(.file(id, .digestComputed(.success(found), by: operation)))
    guard case .placeFile(id, _, let resumeData, _)? = script.lastAction else {
      Issue.record("the file was not placed")
      return
    }
    #expect(resumeData.isWhole)
  }

  @Test func `with skip, an existing file is kept and the transfer completes`() throws {
    var script = SchedulerScript()
    var wanted = spec()
    wanted.onConflict = .skip
    let id = script.add(wanted)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    let taken = TransferFailure(.nameTaken, on: "/downloads/a.iso")
    script.handle(.attempt(attempt, .bodyRefused(taken)))
    #expect(script.lastAction == .cancelAttempt(attempt))
    script.settled(attempt, .cancelled)
    #expect(script.state(id) == .completed)
    #expect(
      script.record(id)?.finishedFile == FinishedFile(path: "/downloads/a.iso", identity: nil))
  }

  private static let shortened = TransferFailure(
    .partialFileChanged, on: "/downloads/a.iso.part")

  /// Makes the running attempt detect that another program truncated the partial file.
  private func findShortened(_ script: inout SchedulerScript, _ id: TransferID) throws {
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.synced(id, 500)
    script.ended(attempt, .failed(Self.shortened), upTo: 500)
    try closeShortened(&script, id)
  }

  private func closeShortened(_ script: inout SchedulerScript, _ id: TransferID) throws {
    guard case .closeBody(id, let operation)? = script.lastAction else {
      Issue.record("the partial file is not closed")
      return
    }
    script.handle(.body(id, .closed(.failure(Self.shortened), by: operation)))
  }

  // Fault 22
  @Test func `a partial file truncated during the download is fetched again from zero`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    try findShortened(&script, id)
    #expect(script.record(id)?.resumeData?.durable == ByteRangeSet())
    #expect(script.record(id)?.freshStart == .partialFileChanged)
    let next = try #require(script.plan)
    #expect(next.headers.isEmpty)
    script.head(next.attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    guard case .create(let new)? = script.bodyPlan else {
      Issue.record("the shortened file is gone on with")
      return
    }
    #expect(new.old?.fate == .leftAlone)
  }

  // Fault 22
  @Test func `a partial file that is truncated every time fails the transfer`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    for _ in 0..<6 { try findShortened(&script, id) }
    #expect(script.state(id) == .failed)
    #expect(
      script.record(id)?.failure?.sentence
        == "Another program changed the partial file \"/downloads/a.iso.part\" (6 times); "
        + "start it again")
  }

  // Fault 22
  @Test func `no byte of a truncated partial file counts after a pause`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.synced(id, 500)
    script.control(.pause, id)
    script.ended(attempt, .cancelled, upTo: 500)
    try closeShortened(&script, id)
    #expect(script.state(id) == .paused)
    #expect(script.record(id)?.resumeData?.durable == ByteRangeSet())
    #expect(script.record(id)?.freshStart == .partialFileChanged)
  }

  @Test func `skip does not apply to an existing name that is not a file`() throws {
    var script = SchedulerScript()
    var wanted = spec()
    wanted.onConflict = .skip
    let id = script.add(wanted)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    let taken = TransferFailure(
      .nameTaken, on: "/downloads/a.iso", detail: "a link that leads to nothing")
    script.handle(.attempt(attempt, .bodyRefused(taken)))
    script.settled(attempt, .cancelled)
    #expect(script.state(id) == .failed)
    #expect(
      script.record(id)?.failure?.sentence
        == "\"/downloads/a.iso\" already exists (a link that leads to nothing); "
        + "choose another name with -o, or use --on-conflict rename")
  }

  @Test func `a partial file changed by another program is not deleted`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(first, partial())
    script.settled(
      first, .failed(TransferFailure(.connectionLost, on: "files.example")), durable: 500)
    script.advance(milliseconds: 2000)
    script.timePasses()
    let second = try #require(script.attempt)
    script.head(
      second, 206, ["Content-Range": "bytes 500-999/1000", "ETag": "\"v1\""])
    let changed = TransferFailure(.partialFileChanged, on: "/downloads/a.iso.part")
    script.handle(.attempt(second, .bodyRefused(changed)))
    script.settled(second, .cancelled)
    let plan = try #require(script.plan)
    #expect(plan.attempt != second)
    #expect(plan.headers.isEmpty)
    #expect(script.record(id)?.freshStart == .partialFileChanged)
    #expect(!script.actions.contains { if case .discardPartialFile = $0 { true } else { false } })
  }

  // Fault 77
  @Test func `a missing empty partial file is replaced and not looked up again`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(first, partial())
    script.settled(
      first, .failed(TransferFailure(.connectionLost, on: "files.example")), durable: 0)
    script.advance(milliseconds: 2000)
    script.timePasses()
    let second = try #require(script.attempt)
    script.head(second, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    let gone = TransferFailure(.partialFileChanged, on: "/downloads/a.iso.part")
    script.handle(.attempt(second, .bodyRefused(gone)))
    script.settled(second, .cancelled)
    let third = try #require(script.attempt)
    script.head(third, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    guard case .create(let new)? = script.bodyPlan else {
      Issue.record("the file that is gone was looked for again")
      return
    }
    #expect(new.old?.resumeData.finalName == "a.iso")
    #expect(script.state(id) == .running)
  }

  private func whole(_ script: inout SchedulerScript) throws -> OperationID {
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    script.opened(attempt, partial())
    script.settled(attempt, .complete, durable: 1000)
    guard case .placeFile(_, let operation, _, _)? = script.lastAction else {
      throw ScriptError.notPlaced
    }
    return operation
  }

  private func completed(_ script: inout SchedulerScript) throws -> TransferID {
    let id = script.add(spec())
    let operation = try whole(&script)
    let file = FinishedFile(path: "/downloads/a.iso", identity: nil)
    script.handle(.file(id, .placed(.success(file), by: operation)))
    return id
  }

  private enum ScriptError: Error { case notPlaced }
}
