import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

/// Files that arrive compressed and are unpacked before they get their names.
@Suite(.timeLimit(.minutes(5)))
struct UnpackingEngineTests {
  private let packed: [UInt8] = [1, 2, 3, 4]
  private let unpacked: [UInt8] = [1, 1, 2, 2, 3, 3, 4, 4]
  private let path = EngineWorld.documents + "/a.iso"

  /// A transfer whose compressed bytes have all arrived.
  private func arrived(
    in world: EngineWorld, _ headers: [String: String] = [:],
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferID {
    var spec = EngineWorld.spec()
    spec.options.unpacks = true
    change(&spec)
    let id = try await world.engine.add([spec])[0]
    let attempt = await world.transport.request(1).id
    let usual = ["Content-Length": "4", "ETag": "\"v1\"", "Content-Encoding": "gzip"]
    world.transport.head(attempt, 200, usual.merging(headers) { $1 })
    await world.transport.called { $0.contains(.accept(attempt)) }
    world.transport.body(attempt, packed)
    world.transport.end(attempt, .complete)
    return id
  }

  private func sha256(_ bytes: [UInt8]) throws -> Checksum {
    let hex = try #require(TestDigest.hex(of: bytes, .sha256))
    return try #require(Checksum(algorithm: .sha256, hex: hex))
  }

  /// Files are removed on other threads.
  private func settle(_ world: EngineWorld, until paths: [String]) async {
    while world.files.paths != paths { _ = await world.engine.details(of: TransferID(rawValue: 1)) }
  }

  @Test func `the unpacked file gets the name, and the compressed one goes`() async throws {
    let world = try await EngineWorld()
    let id = try await arrived(in: world)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.paths == [path])
    #expect(world.files.bytes(at: path) == unpacked)
    let details = try #require(await world.engine.details(of: id))
    #expect(details.snapshot.contentCoding == nil)
    #expect(details.snapshot.bytesReceived == 8)
    #expect(details.snapshot.bytesExpected == 8)
    #expect(details.history.contains { $0.text == "Unpacked (gzip)" })
  }

  @Test func `without the option the bytes stay as they were sent`() async throws {
    let world = try await EngineWorld()
    let id = try await arrived(in: world) { $0.options.unpacks = false }
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: path) == packed)
    #expect(world.files.callCount(.unpack) == 0)
  }

  @Test func `a file that is not compressed is not unpacked`() async throws {
    let world = try await EngineWorld()
    let id = try await arrived(in: world, ["Content-Encoding": "identity"])
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: path) == packed)
    #expect(world.files.callCount(.unpack) == 0)
  }

  @Test func `the server's digest is of the sent bytes, the user's of the unpacked file`()
    async throws
  {
    let world = try await EngineWorld()
    let md5 = ["Content-MD5": "CNbAWiFRKnmh3+udKo8mLw=="]
    let sum = try sha256(unpacked)
    let id = try await arrived(in: world, md5) { $0.checksum = sum }
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: path) == unpacked)
    #expect(await world.engine.details(of: id)?.snapshot.verifiedBy == .sha256)
    #expect(world.files.callCount(.digest) == 2)
  }

  @Test func `a user's checksum of the sent bytes does not match`() async throws {
    let world = try await EngineWorld()
    let sum = try sha256(packed)
    let id = try await arrived(in: world) { $0.checksum = sum }
    await world.told.wait(for: .failed, of: id)
    #expect(await world.engine.details(of: id)?.snapshot.error?.code == .checksumMismatch)
    await settle(world, until: [])
  }

  @Test func `damaged bytes fail the transfer and are kept`() async throws {
    let world = try await EngineWorld()
    let damaged = TransferFailure(.unpackingFailed, on: "a.iso", detail: "it ends in the middle")
    world.files.fail(.unpack, with: damaged)
    let id = try await arrived(in: world)
    await world.told.wait(for: .failed, of: id)
    #expect(await world.engine.details(of: id)?.snapshot.error == damaged)
    #expect(world.files.paths == [path + ".part"])
    // Nothing is fetched again.
    _ = await world.engine.control(.start, [id])
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: path) == unpacked)
    #expect(world.files.paths == [path])
  }

  @Test func `a pause stops it and leaves no other file`() async throws {
    let world = try await EngineWorld()
    let gate = world.files.holdUnpacking()
    let id = try await arrived(in: world)
    await gate.reached()
    #expect(world.files.paths.count == 2)
    #expect(await world.engine.control(.pause, [id]) == [.applied])
    gate.open()
    await settle(world, until: [path + ".part"])
    let details = try #require(await world.engine.details(of: id))
    #expect(details.snapshot.state == .paused)
    #expect(details.snapshot.contentCoding == "gzip")
    _ = await world.engine.control(.start, [id])
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: path) == unpacked)
    await settle(world, until: [path])
  }

  @Test func `a removal during it leaves no file`() async throws {
    let world = try await EngineWorld()
    let gate = world.files.holdUnpacking()
    let id = try await arrived(in: world)
    await gate.reached()
    #expect(await world.engine.control(.stop, [id]) == [.applied])
    gate.open()
    let action = try #require(try await world.engine.binContents().first)
    let binned = EngineWorld.documents + "/" + BinEntry.fileName(of: id, in: action.number)
    await settle(world, until: [binned])
    #expect(world.files.bytes(at: binned) == packed)
  }

  @Test func `the end of the service during it is no failure`() async throws {
    let world = try await EngineWorld()
    let gate = world.files.holdUnpacking()
    let id = try await arrived(in: world)
    await gate.reached()
    // The engine waits for the last sync of another transfer, and still handles what happens.
    let other = try await world.engine.add([EngineWorld.spec("http://files.example/b.iso")])[0]
    let attempt = await world.transport.request(2).id
    world.transport.head(attempt, 200, ["Content-Length": "4", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(attempt)) }
    world.transport.body(attempt, [1, 2])
    let sync = world.files.holdSyncs()
    async let end: Void = world.engine.shutDown()
    await sync.reached()
    gate.open()
    for _ in 0..<200 { _ = await world.engine.details(of: other) }
    #expect(await world.engine.details(of: id)?.snapshot.state == .verifying)
    world.files.releaseSyncs()
    await end
    #expect(world.journal.records[id]?.state != .failed)
  }

  @Test func `a full disk is waited for, with more room than there was`() async throws {
    let world = try await EngineWorld()
    world.files.setFreeBytes(1000)
    world.files.fail(.unpack, with: TransferFailure(.diskFull, on: path, detail: "ENOSPC"))
    let id = try await arrived(in: world)
    await world.told.wait(for: .waiting, of: id)
    #expect(await world.engine.details(of: id)?.snapshot.reason == .diskSpace)
    await settle(world, until: [path + ".part"])
    for round in 2...3 {
      await world.advance(milliseconds: 10_000)
      await world.told.wait { Self.waitCount(of: id, in: $0) >= round }
    }
    #expect(world.files.callCount(.unpack) == 1)
    world.files.setFreeBytes(1001)
    await world.advance(milliseconds: 10_000)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: path) == unpacked)
  }

  @Test func `the space that was too small is forgotten when the transfer leaves memory`()
    async throws
  {
    let world = try await EngineWorld { $0.hold.evictableCountMax = 0 }
    world.files.setFreeBytes(1000)
    world.files.fail(.unpack, with: TransferFailure(.diskFull, on: path, detail: "ENOSPC"))
    let id = try await arrived(in: world)
    await world.told.wait(for: .waiting, of: id)
    #expect(await world.engine.control(.pause, [id]) == [.applied])
    var other = EngineWorld.spec("http://files.example/b.iso")
    other.beginning = .paused
    _ = try await world.engine.add([other])
    await world.told.wait { events in
      events.contains { if case .evicted(let ids) = $0 { ids.contains(id) } else { false } }
    }
    let waitCount = Self.waitCount(of: id, in: world.told.all)
    #expect(await world.engine.control(.start, [id]) == [.applied])
    await world.told.wait { events in
      Self.waitCount(of: id, in: events) > waitCount
        || events.contains { event in
          if case .changed(let row) = event {
            row.id == id && row.state == .completed
          } else {
            false
          }
        }
    }
    #expect(world.files.callCount(.unpack) == 2)
  }

  private static func waitCount(of id: TransferID, in events: [EngineEvent]) -> Int {
    events.filter { event in
      if case .changed(let row) = event { row.id == id && row.state == .waiting } else { false }
    }.count
  }

  // MARK: Crashes

  private func journal(_ record: TransferRecord) -> InMemoryJournal {
    var record = record
    // As the store has it.
    record.state = .queued
    return InMemoryJournal(JournalContents(records: [record], lastID: record.id))
  }

  @Test func `after a crash during it the compressed file is unpacked again`() async throws {
    let world = try await EngineWorld()
    let gate = world.files.holdUnpacking()
    let id = try await arrived(in: world)
    await gate.reached()
    let record = try #require(await world.engine.details(of: id)?.record)
    #expect(record.resumeData?.contentCoding == "gzip")
    await world.engine.shutDown()
    let after = try await EngineWorld(after: world, kept: journal(record))
    gate.open()
    await after.told.wait(for: .completed, of: id)
    #expect(after.files.bytes(at: path) == unpacked)
    await settle(after, until: [path])
  }

  @Test func `after a crash between unpacking and naming the unpacked file gets the name`()
    async throws
  {
    let world = try await EngineWorld()
    world.files.holdFinishes()
    var finishes = world.files.finishes.makeAsyncIterator()
    let id = try await arrived(in: world)
    #expect(await finishes.next() == ["a.iso"])
    let record = try #require(await world.engine.details(of: id)?.record)
    #expect(record.resumeData?.contentCoding == nil)
    #expect(record.resumeData?.isWhole == true)
    #expect(record.resumeData?.setAside?.path == path + ".part")
    await world.engine.shutDown()
    let after = try await EngineWorld(after: world, kept: journal(record))
    world.files.releaseFinishes()
    await after.told.wait(for: .completed, of: id)
    #expect(after.files.bytes(at: path) == unpacked)
    #expect(after.files.callCount(.unpack) == 1)
    await settle(after, until: [path])
  }
}
