import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Small bodies, which flow before their partial file is made.
@Suite(.timeLimit(.minutes(1)))
struct LateFileTests {
  private let part = "/home/u/Downloads/a.iso.part"
  private let whole = "/home/u/Downloads/a.iso"

  private func world(after: EngineWorld? = nil) async throws -> EngineWorld {
    try await EngineWorld(after: after) { $0.lateFileByteCountMax = 1000 }
  }

  @Test func `a small body flows before there is a file, and ends under its name`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 6)
    world.transport.body(attempt, [1, 2, 3, 4, 5, 6])
    #expect(world.files.paths.isEmpty)
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.paths == [whole])
    #expect(world.files.bytes(at: whole) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `the length that the server said is shown while there is no file`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 6)
    world.transport.body(attempt, [1, 2])
    #expect(world.files.paths.isEmpty)
    let row = await world.engine.details(of: id)?.snapshot
    #expect(row?.bytesReceived == 2)
    #expect(row?.bytesExpected == 6)
  }

  /// What the store is to keep of a body that came whole, and is held before it does.
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
      if case .hostServed = $0 { false } else { true }
    }
    return (id, changes)
  }

  @Test func `it takes two commits, and the name comes after the first`() async throws {
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
    // The add, the whole file, the name.
    #expect(world.journal.commits.count == 3)
  }

  @Test func `one byte more than may flow early waits for the record as before`() async throws {
    let world = try await world()
    let (_, attempt) = try await world.flowing(total: 1001)
    #expect(world.transport.calls.contains(.accept(attempt)))
    #expect(world.files.paths == [part])
  }

  @Test func `where a taken name ends it, it is looked at before a byte flows`() async throws {
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

  @Test func `a name that is taken meanwhile is left to others`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    world.transport.body(attempt, [1, 2, 3])
    world.files.put([9], at: whole)
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: whole) == [9])
    #expect(world.files.bytes(at: "/home/u/Downloads/a (2).iso") == [1, 2, 3])
  }

  @Test func `a pause keeps what came and the next start asks for the rest`() async throws {
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

  @Test func `a pause before the first byte makes no file, and leaves no length`() async throws {
    let world = try await world()
    let (id, _) = try await world.flowing(total: 10)
    #expect(await world.engine.control(.pause, [id]) == [.applied])
    #expect(world.files.paths.isEmpty)
    #expect(world.journal.records[id]?.state == .paused)
    // Nothing is told after it, so what was told has to be what the record has.
    let told = world.told.all.last {
      if case .changed(let row) = $0 { row.id == id } else { false }
    }
    guard case .changed(let row)? = told else { return #expect(Bool(false), "nothing was told") }
    #expect(row.state == .paused)
    #expect(row.bytesExpected == nil)
  }

  @Test func `when stop returns nothing is left`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.control(.stop, [id])
    #expect(world.files.paths.isEmpty)
    #expect(world.journal.records[id]?.resumeData == nil)
    #expect(world.journal.records[id]?.state == .idle)
  }

  @Test func `a connection that breaks keeps what came`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    world.transport.end(attempt, .failed(TransferFailure(.connectionLost, on: "files.example")))
    await world.told.wait(for: .waiting, of: id)
    _ = await world.engine.control(.pause, [id])
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 4)
  }

  @Test func `more bytes than were announced are not kept`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    #expect(world.transport.body(attempt, [1, 2, 3, 4]) == .failed)
    world.transport.end(attempt, .sinkFailed)
    await world.told.wait(for: .failed, of: id)
    #expect(!world.files.paths.contains(whole))
  }

  @Test func `a file that cannot be made fails the transfer with the reason`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    world.files.fail(.create, with: TransferFailure(.directoryUnwritable, on: "/home/u/Downloads"))
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .failed, of: id)
    #expect(world.journal.records[id]?.failure?.code == .directoryUnwritable)
    #expect(world.files.paths.isEmpty)
  }

  @Test func `a failed sync is not believed`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 3)
    world.files.fail(.sync, with: TransferFailure(.fileProblem, on: part, detail: "EIO"))
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .failed, of: id)
    #expect(!world.files.paths.contains(whole))
  }

  @Test func `a small body that takes long goes on record before it is whole`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    let journal = world.journal
    var attempts = journal.attempts.makeAsyncIterator()
    _ = await attempts.next()
    world.clock.advance(milliseconds: 6000)
    // The record that names the file, and then it goes on as any other.
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
    world.clock.advance(milliseconds: 6000)
    await creation.reached()
    // Nothing is written: the body is too long.
    #expect(world.transport.body(attempt, [3, 4]) == .failed)
    world.transport.end(attempt, .sinkFailed)
    // The end is handled within the first few of these.
    for _ in 0..<200 { #expect(await world.engine.details(of: id)?.snapshot.state == .running) }
    creation.open()
    await world.told.wait(for: .failed, of: id)
    _ = await world.engine.control(.stop, [id])
    #expect(world.files.paths.isEmpty)
  }

  // MARK: Crashes

  @Test func `a crash while it is in memory leaves nothing, and it is fetched again`() async throws
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
  func `a kill between the file and its record leaves no file that nobody knows of`(
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

  @Test func `what is on record is not taken for what a kill left`() async throws {
    let world = try await world()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.control(.pause, [id])
    let identity = try #require(world.journal.records[id]?.resumeData?.partialIdentity)
    #expect(world.files.leftUnrecorded.isEmpty)
    // A kill right after the commit leaves the note.
    world.files.noteUnrecorded(identity, of: id)
    let next = try await self.world(after: world)
    #expect(next.files.paths == [part])
    #expect(next.files.leftUnrecorded.isEmpty)
  }

  @Test func `a crash between the record and the name gives it its name`() async throws {
    let world = try await world()
    let (id, durable) = try await commitOfWhole(world)
    guard case .put(let record)? = durable?.first else {
      Issue.record("expected the record with the partial file")
      return
    }
    // What the store would have if the power went after this commit.
    world.files.cutPower()
    #expect(world.files.bytes(at: part) == [1, 2, 3])
    let next = try await EngineWorld(
      after: world, kept: InMemoryJournal(JournalContents(records: [record], lastID: id)))
    await next.told.wait(for: .completed, of: id)
    #expect(next.files.paths == [whole])
    #expect(next.transport.requests.isEmpty)
    world.journal.release()
  }

  @Test func `a file that got its name before a crash goes with the bytes on record`() async throws
  {
    let world = try await world()
    let (id, durable) = try await commitOfWhole(world)
    guard case .put(var record)? = durable?.first, let resumeData = record.resumeData else {
      Issue.record("expected the record with the partial file")
      return
    }
    _ = try world.files.finish(resumeData, onConflict: .rename)
    #expect(world.files.paths == [whole])
    // It had no time to be looked for: others run.
    record.state = .paused
    let next = try await EngineWorld(
      after: world, kept: InMemoryJournal(JournalContents(records: [record], lastID: id)))
    #expect(await next.engine.control(.remove(.goes), [id]) == [.applied])
    #expect(next.files.paths.isEmpty)
    world.journal.release()
  }
}
