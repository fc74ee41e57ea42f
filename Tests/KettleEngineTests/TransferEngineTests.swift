import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// The engine over fake ports: the order of its operations.
@Suite(.timeLimit(.minutes(5)))
struct TransferEngineTests {
  @Test func `a download ends under its final name with the correct bytes`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 6)
    #expect(world.files.paths == ["/home/u/Downloads/a.iso.part"])
    world.transport.body(attempt, [1, 2, 3])
    world.transport.body(attempt, [4, 5, 6])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.paths == ["/home/u/Downloads/a.iso"])
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso") == [1, 2, 3, 4, 5, 6])
    #expect(world.journal.records[id]?.state == .completed)
  }

  @Test func `completion is reported only after it is committed`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 3)
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.journal.commits.last?.first.map(Self.stateOfPut) == .completed)
  }

  private static func stateOfPut(_ change: JournalChange) -> TransferState? {
    if case .put(let record) = change { record.state } else { nil }
  }

  @Test func `a transfer frees its connection while its last bytes are synced`()
    async throws
  {
    let world = try await EngineWorld { $0.limits.connectionsPerHostMax = 1 }
    let (first, attempt) = try await world.flowing(total: 3)
    let second = try await world.engine.add([EngineWorld.spec("http://files.example/b.iso")])[0]
    #expect(world.transport.requests.count == 1)
    world.files.holdSyncs()
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    // The results of the end are committed after two more commits.
    try await world.engine.keep([])
    try await world.engine.keep([])
    #expect(world.transport.requests.map(\.transfer) == [first, second])
    #expect(world.told.states(of: first).last == .running)
    world.files.releaseSyncs()
    await world.told.wait(for: .completed, of: first)
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso") == [1, 2, 3])
  }

  @Test func `a failed commit of an add queues nothing`() async throws {
    let world = try await EngineWorld()
    world.journal.failNextCommits(1, with: DiskFull())
    await #expect(throws: EngineError.self) {
      _ = try await world.engine.add([EngineWorld.spec()])
    }
    #expect(world.transport.requests.isEmpty)
    #expect(world.told.all == [.recovered(EvictedTally(), clearedUpTo: nil)])
    // The next add succeeds.
    let ids = try await world.engine.add([EngineWorld.spec()])
    #expect(world.journal.records[ids[0]] != nil)
  }

  @Test func `an add is processed while the previous one is still being committed`()
    async throws
  {
    let world = try await EngineWorld()
    let (first, second) = try await addTwo(to: world)
    world.journal.release()
    let ids = try await first.value + second.value
    #expect(ids.map(\.rawValue) == [1, 2])
    #expect(world.journal.commits.map(\.count) == [1, 1])
    #expect(world.journal.records.keys.sorted() == ids)
  }

  @Test func `a failed commit fails only its own add when two are in progress`()
    async throws
  {
    let world = try await EngineWorld()
    let (first, second) = try await addTwo(to: world)
    world.journal.failNextCommits(1, with: DiskFull())
    world.journal.release()
    await #expect(throws: EngineError.self) { _ = try await first.value }
    let ids = try await second.value
    #expect(world.journal.records.keys.sorted() == ids)
    #expect(await world.transport.request(1).transfer == ids[0])
    let added = world.told.all.filter { if case .added = $0 { true } else { false } }
    #expect(added.count == 1)
  }

  /// Two processed adds; the commit of the first is in progress.
  private func addTwo(
    to world: EngineWorld
  ) async throws -> (first: Task<[TransferID], any Error>, second: Task<[TransferID], any Error>) {
    func begin() async -> Task<[TransferID], any Error> {
      let decided = Completion<Void>()
      let adding = Task {
        try await world.engine.add([EngineWorld.spec()]) { decided.finish() }
      }
      await decided.value()
      return adding
    }
    var attempts = world.journal.attempts.makeAsyncIterator()
    world.journal.hold()
    let first = await begin()
    _ = await attempts.next()
    let second = await begin()
    #expect(world.journal.records.isEmpty)
    return (first, second)
  }

  private struct DiskFull: Error {}

  @Test func `no byte is accepted before the partial file is recorded`() async throws {
    let world = try await EngineWorld()
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    let attempt = await world.transport.request(1).id
    var attempts = world.journal.attempts.makeAsyncIterator()
    _ = await attempts.next()
    world.journal.hold()
    world.transport.head(attempt, 200, ["Content-Length": "3"])
    // The commit that names the partial file is in progress and held.
    let held = await attempts.next()
    guard case .put(let record)? = held?.first else {
      Issue.record("expected the record with the partial file")
      return
    }
    #expect(record.resumeData?.partialPath == "/home/u/Downloads/a.iso.part")
    #expect(!world.transport.calls.contains(.accept(attempt)))
    world.journal.release()
    await world.transport.called { $0.contains(.accept(attempt)) }
    #expect(world.journal.records[id]?.resumeData != nil)
  }

  @Test func `a held-back attempt continues when the disk has caught up`() async throws {
    let world = try await EngineWorld()
    let (_, attempt) = try await world.flowing(total: 64 << 20)
    let gate = world.files.holdWrites()
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    while world.transport.body(attempt, piece) == .taken {}
    #expect(!world.transport.calls.contains(.resumeReceiving(attempt)))
    gate.open()
    await world.transport.called { $0.contains(.resumeReceiving(attempt)) }
    #expect(world.transport.body(attempt, piece) == .taken)
  }

  @Test func `the first checkpoint after a retry is a record with a retry count of zero`()
    async throws
  {
    let world = try await EngineWorld()
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    let refused = await world.transport.request(1).id
    world.transport.head(refused, 500)
    world.transport.end(refused, .complete)
    await world.told.wait { events in
      events.contains { if case .changed(let row) = $0 { row.state == .waiting } else { false } }
    }
    await world.advance(milliseconds: 600_000)
    let attempt = await world.transport.request(2).id
    world.transport.head(attempt, 200, ["Content-Length": "\(64 << 20)", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(attempt)) }
    #expect(world.journal.records[id]?.retryCount == 1)
    var attempts = world.journal.attempts.makeAsyncIterator()
    for _ in world.journal.commits { _ = await attempts.next() }
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<9 { _ = world.transport.body(attempt, piece) }
    await world.advance(milliseconds: 1000)
    guard case .put(let record)? = await attempts.next()?.first else {
      Issue.record("the checkpoint is not a record")
      return
    }
    #expect(record.id == id && record.retryCount == 0)
    #expect(record.resumeData?.durable == ByteRangeSet(prefix: 9 << 20))
  }

  @Test func `a pause keeps the received bytes and a start requests the rest`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    let results = await world.engine.control(.pause, [id])
    #expect(results == [.applied])
    // When the pause returns, the bytes are synced and recorded.
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 4)
    #expect(world.journal.records[id]?.state == .paused)
    _ = await world.engine.control(.start, [id])
    let second = await world.transport.request(2)
    #expect(second.headers.contains(HeaderField(received: "Range", "bytes=4-")))
    world.transport.head(
      second.id, 206,
      ["Content-Range": "bytes 4-9/10", "Content-Length": "6", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(second.id)) }
    world.transport.body(second.id, [5, 6, 7, 8, 9, 10])
    world.transport.end(second.id, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(
      world.files.bytes(at: "/home/u/Downloads/a.iso") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  }

  /// The files in the bin.
  private func isBinned(_ id: TransferID, in world: EngineWorld) async throws -> Bool {
    let number = try #require(try await world.engine.binContents().first?.number)
    return world.files.paths == [
      EngineWorld.documents + "/" + BinEntry.fileName(of: id, in: number)
    ]
  }

  @Test func `a stop moves the partial file to the bin before it returns`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.control(.stop, [id])
    #expect(try await isBinned(id, in: world))
    #expect(world.journal.records[id]?.state == .idle)
    #expect(world.journal.records[id]?.resumeData == nil)
  }

  @Test func `a remove deletes the transfer from the store before it returns`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.control(.remove(.stays), [id])
    #expect(try await isBinned(id, in: world))
    #expect(world.journal.records[id] == nil)
    #expect(world.told.all.contains { if case .removed = $0 { true } else { false } })
  }

  @Test func `a shutdown keeps every byte and the next start resumes from there`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3])
    await world.engine.shutDown()
    #expect(world.transport.calls.last == .shutDown)
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 3)

    let next = try await EngineWorld(after: world)
    let request = await next.transport.request(1)
    #expect(request.headers.contains(HeaderField(received: "Range", "bytes=3-")))
  }

  @Test(.timeLimit(.minutes(5)))
  func `a control after the shutdown does not wait`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3])
    await world.engine.shutDown()
    // Its partial file is deleted, which is no longer reported.
    #expect(await world.engine.control(.stop, [id]) == [.applied])
  }

  @Test func `a crash loses only the bytes since the last checkpoint`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 64 << 20)
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<9 { world.transport.body(attempt, piece) }
    await world.advance(milliseconds: 1000)
    await Self.committed(world.journal) { $0[id]?.resumeData?.durable.byteCount == 9 << 20 }
    // Not recorded yet.
    world.transport.body(attempt, piece)
    let next = try await EngineWorld(after: world)
    let request = await next.transport.request(1)
    #expect(request.headers.contains(HeaderField(received: "Range", "bytes=\(9 << 20)-")))
  }

  /// Returns when the records of the store meet the condition.
  private static func committed(
    _ journal: InMemoryJournal, _ isMet: ([TransferID: TransferRecord]) -> Bool
  ) async {
    for await _ in journal.attempts {
      if isMet(journal.records) { return }
      // The attempt is reported before its commit; the second check follows the commit.
      await Task.yield()
      if isMet(journal.records) { return }
    }
  }

  @Test func `a partial file that was replaced is not touched`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.control(.pause, [id])
    world.files.put([9, 9, 9, 9, 9], at: "/home/u/Downloads/a.iso.part")
    _ = await world.engine.control(.start, [id])
    let second = await world.transport.request(2)
    world.transport.head(
      second.id, 206, ["Content-Range": "bytes 4-9/10", "ETag": "\"v1\""])
    let third = await world.transport.request(3)
    #expect(!third.headers.contains { $0.name == "Range" })
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso.part") == [9, 9, 9, 9, 9])
  }

  @Test func `a failed sync fails the transfer`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 3)
    world.files.fail(
      .sync, with: TransferFailure(.fileProblem, on: "/home/u/Downloads/a.iso.part", detail: "EIO"))
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await Self.committed(world.journal) { $0[id]?.state == .failed }
    #expect(world.files.paths == ["/home/u/Downloads/a.iso.part"])
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 0)
  }

  @Test func `insufficient disk space is detected before the first byte`() async throws {
    let world = try await EngineWorld()
    world.files.setFreeBytes(5)
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    let attempt = await world.transport.request(1).id
    world.transport.head(attempt, 200, ["Content-Length": "6"])
    await Self.committed(world.journal) { $0[id]?.reason == .diskSpace }
    #expect(world.files.paths.isEmpty)
    world.files.setFreeBytes(1 << 30)
    await world.advance(milliseconds: 10_000)
    let second = await world.transport.request(2).id
    world.transport.head(second, 200, ["Content-Length": "6"])
    await world.transport.called { $0.contains(.accept(second)) }
  }

  @Test func `more bytes than announced fail the transfer`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 3)
    #expect(world.transport.body(attempt, [1, 2, 3, 4]) == .failed)
    world.transport.end(attempt, .sinkFailed)
    await Self.committed(world.journal) { $0[id]?.failure?.code == .tooLong }
  }

  // Fault 146
  @Test func `announced bytes that more follow are not the file, now or at the next start`()
    async throws
  {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 3)
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .failed(TransferFailure(.tooLong, on: "files.example")))
    await Self.committed(world.journal) { $0[id]?.failure?.code == .tooLong }
    #expect(world.journal.records[id]?.resumeData?.durable.isEmpty != false)
    _ = await world.engine.control(.start, [id])
    let second = await world.transport.request(2)
    #expect(second.headers.allSatisfy { $0.name != "Range" })
  }

  @Test func `reset moves finished files to the bin and keeps those that other programs changed`()
    async throws
  {
    let world = try await EngineWorld()
    let (first, attempt) = try await world.flowing(total: 1)
    world.transport.body(attempt, [1])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: first)
    let second = try await world.engine.add([EngineWorld.spec("http://files.example/b.iso")])[0]
    let other = await world.transport.request(2).id
    world.transport.head(other, 200, ["Content-Length": "1"])
    await world.transport.called { $0.contains(.accept(other)) }
    world.transport.body(other, [2])
    world.transport.end(other, .complete)
    await world.told.wait(for: .completed, of: second)
    world.files.overwrite("/home/u/Downloads/b.iso", with: [7, 7])
    let outcome = await world.engine.reset()
    #expect(outcome.discardedPaths == ["/home/u/Downloads/a.iso"])
    #expect(outcome.keptPaths == ["/home/u/Downloads/b.iso"])
    let action = try #require(try await world.engine.binContents().first)
    let binned = BinEntry.fileName(of: first, in: action.number)
    #expect(world.files.paths == ["/home/u/Downloads/" + binned, "/home/u/Downloads/b.iso"])
    #expect(world.journal.records[first]?.state == .idle)
    #expect(world.journal.records[second]?.state == .idle)
  }

  // Fault 167
  @Test func `a removal with files names the files that stay`() async throws {
    let world = try await EngineWorld()
    let (first, attempt) = try await world.flowing(total: 1)
    world.transport.body(attempt, [1])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: first)
    let second = try await world.engine.add([EngineWorld.spec("http://files.example/b.iso")])[0]
    let other = await world.transport.request(2).id
    world.transport.head(other, 200, ["Content-Length": "1"])
    await world.transport.called { $0.contains(.accept(other)) }
    world.transport.body(other, [2])
    world.transport.end(other, .complete)
    await world.told.wait(for: .completed, of: second)
    world.files.overwrite("/home/u/Downloads/a.iso", with: [7, 7])
    world.files.remove("/home/u/Downloads/b.iso")
    let outcome = await world.engine.removeWithFiles([first, second])
    #expect(outcome.results == [.applied, .applied])
    // What is gone already did not stay.
    #expect(outcome.kept.map(\.id) == [first])
    #expect(outcome.kept.map(\.path) == ["/home/u/Downloads/a.iso"])
    #expect(world.files.paths == ["/home/u/Downloads/a.iso"])
    #expect(await world.engine.removeWithFiles(nil).ids.isEmpty)
  }

  @Test func `progress reports the bytes since the last report`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 100)
    await world.engine.setCadence(.live)
    for round in 1...3 {
      world.transport.body(attempt, [UInt8](repeating: 0, count: 10))
      await world.advance(milliseconds: 100)
      await world.told.wait { Self.progress(in: $0, of: id).count >= round }
    }
    let progress = Self.progress(in: world.told.all, of: id)
    #expect(progress.map(\.written) == [10, 10, 10])
    #expect(progress.map(\.total) == [10, 20, 30])
  }

  private static func progress(
    in events: [EngineEvent], of id: TransferID
  ) -> [(written: Int64, total: Int64)] {
    events.compactMap { event in
      guard case .progress(let row, let written) = event, row.id == id else { return nil }
      return (written, row.bytesReceived)
    }
  }

  @Test func `a request in progress completes when the inbox ends`() async throws {
    let world = try await EngineWorld()
    let durable = await world.engine.runAndEndInput()
    await durable.value()
  }

  @Test func `no alarm is set when nothing runs`() async throws {
    let world = try await EngineWorld()
    #expect(world.clock.deadline == nil)
    let (id, _) = try await world.flowing(total: 100)
    _ = await world.engine.control(.pause, [id])
    #expect(world.clock.deadline == nil)
  }
}

extension TransferEngine {
  /// Runs a turn and ends the input before the inbox delivers the end of the turn.
  fileprivate func runAndEndInput() -> Completion<Void> {
    let durable = runDurably(SchedulerOutput(), at: clock.now())
    endInput()
    return durable
  }
}
