import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// Small bodies, which are received before their partial file is created.
@Suite(.timeLimit(.minutes(5)))
struct LateFileTests {
  private let part = "/home/u/Downloads/a.iso.part"
  private let whole = "/home/u/Downloads/a.iso"

  private func world(after: EngineWorld? = nil) async throws -> EngineWorld {
    try await EngineWorld(after: after) { $0.lateFileByteCountMax = 1000 }
  }

  @Test func `a small body is received before its file exists and ends under its final name`()
    async throws
  {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 6)
    world.transport.body(attempt, [1, 2, 3, 4, 5, 6])
    #expect(world.files.paths.isEmpty)
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.paths == [whole])
    #expect(world.files.bytes(at: whole) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `the length reported by the server is shown before the file exists`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 6)
    world.transport.body(attempt, [1, 2])
    #expect(world.files.paths.isEmpty)
    let row = await world.engine.details(of: id)?.snapshot
    #expect(row?.bytesReceived == 2)
    #expect(row?.bytesExpected == 6)
  }

  /// The commit of a body that was received completely; the journal holds it back.
  private func commitOfWhole(
    _ world: EngineWorld
  ) async throws -> (TransferID, [JournalChange]?) {
    let (id, attempt) = try await world.flowing(total: 3)
    var attempts = world.journal.attempts.makeAsyncIterator()
    _ = await attempts.next()
    world.journal.hold()
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    let changes = await attempts.next()?.filter {
      switch $0 {
      case .hostServed, .digests, .forgetDigests, .members, .syncMembers, .leaveOutMembers: false
      case .put, .progress, .remove, .putSession, .removeSession, .clearFinished, .uncover,
        .rememberHost, .bin, .hook:
        true
      }
    }
    return (id, changes)
  }

  @Test func `a small body takes two commits and is renamed after the first`() async throws {
    let world = try await world()
    let (id, durable) = try await commitOfWhole(world)
    guard case .put(let record)? = durable?.first else {
      Issue.record("expected the record with the partial file")
      return
    }
    #expect(durable?.count == 1)
    #expect(record.resumeData?.isWhole == true)
    #expect(record.resumeData?.durable.byteCount == 3)
    #expect(world.files.paths == [part])
    world.journal.release()
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.paths == [whole])
    // The add, the complete file and the final name.
    #expect(world.journal.commits.count == 3)
  }

  @Test func `while the disk is full, a small body is not fetched again`() async throws {
    let world = try await world()
    world.files.setFreeBytes(2)
    let (id, attempt) = try await world.flowing(total: 6)
    world.transport.body(attempt, [1, 2, 3, 4, 5, 6])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .waiting, of: id)
    await world.advance(milliseconds: 20_000)
    let second = await world.transport.request(2).id
    world.transport.head(second, 200, ["Content-Length": "6", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.cancel(second)) }
    #expect(!world.transport.calls.contains(.accept(second)))
  }

  @Test func `a body one byte over the limit has its partial file before it is accepted`()
    async throws
  {
    let world = try await world()
    let (_, attempt) = try await world.flowing(total: 1001)
    #expect(world.transport.calls.contains(.accept(attempt)))
    #expect(world.files.paths == [part])
  }

  @Test func `skip completes the transfer for an existing file before any byte is accepted`()
    async throws
  {
    let world = try await world()
    world.files.put([9], at: whole)
    var spec = EngineWorld.spec()
    spec.onConflict = .skip
    let id = try await world.engine.add([spec])[0]
    let attempt = await world.transport.request(1).id
    world.transport.head(attempt, 200, ["Content-Length": "3"])
    await world.told.wait(for: .completed, of: id)
    #expect(!world.transport.calls.contains(.accept(attempt)))
    #expect(world.files.bytes(at: whole) == [9])
  }

  @Test func `a file created during the download keeps its name`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    world.transport.body(attempt, [1, 2, 3])
    world.files.put([9], at: whole)
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: whole) == [9])
    #expect(world.files.bytes(at: "/home/u/Downloads/a (2).iso") == [1, 2, 3])
  }

  @Test func `a pause keeps the received bytes and the next start requests the rest`() async throws
  {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    #expect(await world.engine.control(.pause, [id]) == [.applied])
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 4)
    #expect(world.files.bytes(at: part) == [1, 2, 3, 4])
    _ = await world.engine.control(.start, [id])
    let second = await world.transport.request(2)
    #expect(second.headers.contains(HeaderField(received: "Range", "bytes=4-")))
  }

  @Test func `a pause before the first byte creates no file and clears the expected length`()
    async throws
  {
    let world = try await world()
    let (id, _) = try await world.flowing(total: 10)
    #expect(await world.engine.control(.pause, [id]) == [.applied])
    #expect(world.files.paths.isEmpty)
    #expect(world.journal.records[id]?.state == .paused)
    // No report follows, so the last one has to match the record.
    let told = world.told.all.last {
      if case .changed(let row) = $0 { row.id == id } else { false }
    }
    guard case .changed(let row)? = told else { return #expect(Bool(false), "nothing was told") }
    #expect(row.state == .paused)
    #expect(row.bytesExpected == nil)
  }

  @Test func `a stop discards the received bytes before it returns`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.control(.stop, [id])
    #expect(world.files.paths.isEmpty)
    #expect(world.journal.records[id]?.resumeData == nil)
    #expect(world.journal.records[id]?.state == .idle)
  }

  @Test func `a lost connection keeps the received bytes`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    world.transport.end(attempt, .failed(TransferFailure(.connectionLost, on: "files.example")))
    await world.told.wait(for: .waiting, of: id)
    _ = await world.engine.control(.pause, [id])
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 4)
  }

  @Test func `more bytes than announced fail the transfer`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    #expect(world.transport.body(attempt, [1, 2, 3, 4]) == .failed)
    world.transport.end(attempt, .sinkFailed)
    await world.told.wait(for: .failed, of: id)
    #expect(!world.files.paths.contains(whole))
  }

  @Test func `a file that cannot be created fails the transfer with the cause`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    world.files.fail(.create, with: TransferFailure(.directoryUnwritable, on: "/home/u/Downloads"))
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .failed, of: id)
    await world.engine.kept()
    #expect(world.journal.records[id]?.failure?.code == .directoryUnwritable)
    #expect(world.files.paths.isEmpty)
  }

  @Test func `a failed sync fails the transfer`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    world.files.fail(.sync, with: TransferFailure(.fileProblem, on: part, detail: "EIO"))
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .failed, of: id)
    #expect(!world.files.paths.contains(whole))
  }

  @Test func `a slow small body is recorded before it is complete`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    let journal = world.journal
    var attempts = journal.attempts.makeAsyncIterator()
    _ = await attempts.next()
    await world.advance(milliseconds: 6000)
    // The record that names the file; from then on it is a transfer like any other.
    let named = await attempts.next()
    guard case .put(let record)? = named?.first else {
      Issue.record("expected the record with the partial file")
      return
    }
    #expect(record.resumeData?.partialPath == part)
    world.transport.body(attempt, [5, 6, 7, 8, 9, 10])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: whole) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    #expect(world.transport.calls.count { $0 == .accept(attempt) } == 1)
  }

  @Test func `a connection that fails while its file is created does not block the engine`()
    async throws
  {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    let creation = world.files.holdCreations()
    world.transport.body(attempt, [1, 2])
    await world.advance(milliseconds: 6000)
    await creation.reached()
    // Nothing is written, because the body is too long.
    #expect(world.transport.body(attempt, [3, 4]) == .failed)
    world.transport.end(attempt, .sinkFailed)
    // The end is processed within the first few of these calls.
    for _ in 0..<200 { #expect(await world.engine.details(of: id)?.snapshot.state == .running) }
    creation.open()
    await world.told.wait(for: .failed, of: id)
    _ = await world.engine.control(.stop, [id])
    await world.engine.emptyBin()
    #expect(world.files.paths.isEmpty)
  }

  // MARK: Crashes

  @Test func `a crash while the body is in memory leaves no file and it is downloaded again`()
    async throws
  {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    world.transport.body(attempt, [1, 2, 3])
    world.files.cutPower()
    let next = try await self.world(after: world)
    #expect(next.files.paths.isEmpty)
    let again = await next.transport.request(1)
    #expect(!again.headers.contains { $0.name == "Range" })
    next.transport.head(again.id, 200, ["Content-Length": "3"])
    await next.transport.called { $0.contains(.accept(again.id)) }
    next.transport.body(again.id, [1, 2, 3])
    next.transport.end(again.id, .complete)
    await next.told.wait(for: .completed, of: id)
    #expect(next.files.paths == [whole])
  }

  // Fault 76
  @Test(arguments: [Int64(0), 1000])
  func `a kill between the creation of a file and its record leaves no orphaned file`(
    lateFileByteCountMax: Int64
  ) async throws {
    let world = try await EngineWorld { $0.lateFileByteCountMax = lateFileByteCountMax }
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    let attempt = await world.transport.request(1).id
    let added = try #require(world.journal.records[id])
    var attempts = world.journal.attempts.makeAsyncIterator()
    _ = await attempts.next()
    world.journal.hold()
    world.transport.head(attempt, 200, ["Content-Length": "3"])
    if lateFileByteCountMax > 0 {
      await world.transport.called { $0.contains(.accept(attempt)) }
      world.transport.body(attempt, [1, 2, 3])
      world.transport.end(attempt, .complete)
    }
    _ = await attempts.next()
    #expect(world.files.paths == [part])
    let next = try await EngineWorld(
      after: world, kept: InMemoryJournal(JournalContents(records: [added], lastID: id)))
    #expect(next.files.paths.isEmpty)
    #expect(next.files.leftUnrecorded.isEmpty)
    world.journal.release()
  }

  @Test func `a recorded partial file is not treated as an orphan`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.control(.pause, [id])
    let identity = try #require(world.journal.records[id]?.resumeData?.partialIdentity)
    #expect(world.files.leftUnrecorded.isEmpty)
    // A kill right after the commit leaves the entry in the list of unrecorded files.
    world.files.noteUnrecorded(identity, of: id)
    let next = try await self.world(after: world)
    #expect(next.files.paths == [part])
    #expect(next.files.leftUnrecorded.isEmpty)
  }

  @Test func `a restart completes the rename after a crash between record and rename`() async throws
  {
    let world = try await world()
    let (id, durable) = try await commitOfWhole(world)
    guard case .put(let record)? = durable?.first else {
      Issue.record("expected the record with the partial file")
      return
    }
    // The contents of the store after a power cut right after this commit.
    world.files.cutPower()
    #expect(world.files.bytes(at: part) == [1, 2, 3])
    let next = try await EngineWorld(
      after: world, kept: InMemoryJournal(JournalContents(records: [record], lastID: id)))
    await next.told.wait(for: .completed, of: id)
    #expect(next.files.paths == [whole])
    #expect(next.transport.requests.isEmpty)
    world.journal.release()
  }

  @Test func `removing the transfer deletes a file that was renamed before a crash`() async throws {
    let world = try await world()
    let (id, durable) = try await commitOfWhole(world)
    guard case .put(var record)? = durable?.first, let resumeData = record.resumeData else {
      Issue.record("expected the record with the partial file")
      return
    }
    _ = try world.files.finish(resumeData, onConflict: .rename)
    #expect(world.files.paths == [whole])
    // The renamed file has not been looked for, because other transfers run.
    record.state = .paused
    let next = try await EngineWorld(
      after: world, kept: InMemoryJournal(JournalContents(records: [record], lastID: id)))
    #expect(await next.engine.control(.remove(.goes), [id]) == [.applied])
    #expect(next.files.paths.isEmpty)
    world.journal.release()
  }
}
