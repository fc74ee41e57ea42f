import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// Durable bytes after a crash, and finished files: both are compared with their digests.
struct VerificationTests {
  private static let block = Int(BlockDigests.blockByteCount)
  private static let path = EngineWorld.documents + "/a.iso"

  private static func piece(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(number), count: block)
  }

  private static func range(_ request: AttemptRequest) -> String? {
    request.headers.first { $0.name == "Range" }?.value
  }

  /// A download that was interrupted by a crash when its first blocks were durable.
  private func crashed(blockCount: Int, of total: Int) async throws -> (EngineWorld, TransferID) {
    let world = try await EngineWorld()
    world.files.beginBlockDigests()
    let (id, attempt) = try await world.flowing(total: total * Self.block)
    for number in 0..<blockCount { world.transport.body(attempt, Self.piece(number)) }
    await world.advance(milliseconds: 6000)
    for await _ in world.journal.attempts
    where world.journal.records[id]?.resumeData?.durable.isEmpty == false { break }
    return (world, id)
  }

  @Test func `after a crash, bytes that the disk has changed are fetched again`() async throws {
    let (world, id) = try await crashed(blockCount: 9, of: 16)
    var bytes = try #require(world.files.bytes(at: Self.path + ".part"))
    bytes[4 * Self.block + 100] ^= 1
    world.files.overwrite(Self.path + ".part", with: bytes)
    let next = try await EngineWorld(after: world)
    await next.told.wait(for: .verifying, of: id)
    let request = await next.transport.request(1)
    #expect(Self.range(request) == "bytes=\(4 * Self.block)-\(5 * Self.block - 1)")
    let history = await next.engine.details(of: id)?.history.map(\.event)
    #expect(history?.contains(.damaged(byteCount: 1 << 20)) == true)
  }

  @Test func `after a crash, bytes that are as they were stay`() async throws {
    let (world, _) = try await crashed(blockCount: 9, of: 16)
    let next = try await EngineWorld(after: world)
    let request = await next.transport.request(1)
    #expect(Self.range(request) == "bytes=\(9 * Self.block)-")
  }

  @Test func `a pause in the middle of the comparison continues with another one`() async throws {
    let (world, id) = try await crashed(blockCount: 9, of: 16)
    var bytes = try #require(world.files.bytes(at: Self.path + ".part"))
    bytes[0] ^= 1
    world.files.overwrite(Self.path + ".part", with: bytes)
    let next = try await EngineWorld(after: world) { $0.limits.runningMax = 0 }
    #expect(await next.engine.control(.pause, [id]) == [.applied])
    await next.engine.setLimits(TransferQueue.Limits())
    #expect(await next.engine.control(.start, [id]) == [.applied])
    let request = await next.transport.request(1)
    #expect(Self.range(request) == "bytes=0-\(Self.block - 1)")
  }

  // MARK: Finished files

  private func finished(blockCount: Int) async throws -> (EngineWorld, TransferID) {
    let world = try await EngineWorld()
    world.files.beginBlockDigests()
    let (id, attempt) = try await world.flowing(total: blockCount * Self.block)
    for number in 0..<blockCount { world.transport.body(attempt, Self.piece(number)) }
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    return (world, id)
  }

  /// Compares the file, and returns what was found.
  private func check(
    _ id: TransferID, in world: EngineWorld, _ consequence: VerificationConsequence = .report
  ) async throws -> VerificationProgress? {
    let since = world.clock.now().wall.advanced(byMilliseconds: 1)
    world.clock.advance(milliseconds: 1)
    // The result of an earlier comparison is shown before that has ended.
    var first: [VerificationProgress] = []
    for _ in 0..<10_000 where first != [.waiting] {
      await Task.yield()
      first = await world.engine.verify(
        [id], since: since, repairsSince: since, consequence)
    }
    #expect(first == [.waiting])
    await world.told.wait { events in
      events.contains { event in
        if case .changed(let row) = event {
          (row.check?.at ?? .init(millisecondsSince1970: 0)) >= since
        } else {
          false
        }
      }
    }
    return await world.engine.verify([id], since: since, repairsSince: since, consequence).first
  }

  @Test func `a file that is as it was finished is intact`() async throws {
    let (world, id) = try await finished(blockCount: 3)
    #expect(
      world.journal.digests[id]?.entries
        == FakeBlockDigest.digests(of: (0..<3).flatMap(Self.piece)))
    let now = world.clock.now().wall.advanced(byMilliseconds: 1)
    #expect(try await check(id, in: world) == .ended(FileCheck(.intact, at: now)))
    #expect(world.journal.records[id]?.finishedFile?.check?.finding == .intact)
  }

  private func rot(_ blocks: [Int], in world: EngineWorld) throws {
    let modified = try #require(world.files.modifiedNanoseconds(Self.path))
    var bytes = try #require(world.files.bytes(at: Self.path))
    for block in blocks { bytes[block * Self.block + 9] ^= 1 }
    world.files.overwrite(Self.path, with: bytes)
    world.files.setModified(Self.path, nanoseconds: modified)
  }

  @Test func `damage is found, edits are told from it, and so is a missing file`() async throws {
    let (world, id) = try await finished(blockCount: 8)
    try rot([2], in: world)
    guard case .ended(let damaged) = try await check(id, in: world) else {
      Issue.record("the comparison has not ended")
      return
    }
    #expect(damaged.finding == .damaged)
    #expect(damaged.damaged?.ranges.map(\.lower) == [Int64(2 * Self.block)])
    try rot([0, 1, 3, 4, 5], in: world)
    world.files.setModified(Self.path, nanoseconds: .max)
    guard case .ended(let edited) = try await check(id, in: world) else {
      Issue.record("the comparison has not ended")
      return
    }
    #expect(edited.finding == .edited)
    world.files.remove(Self.path)
    guard case .ended(let missing) = try await check(id, in: world) else {
      Issue.record("the comparison has not ended")
      return
    }
    #expect(missing.finding == .missing)
  }

  @Test func `a transfer without a finished file is refused`() async throws {
    let (world, id) = try await crashed(blockCount: 9, of: 16)
    let now = world.clock.now().wall
    let unknown = TransferID(rawValue: 99)
    #expect(
      await world.engine.verify([id, unknown], since: now, repairsSince: now, .report) == [
        .refused, .refused,
      ])
  }

  @Test func `a repair fetches only the damaged blocks, and mends the file in its place`()
    async throws
  {
    let (world, id) = try await finished(blockCount: 8)
    let good = try #require(world.files.bytes(at: Self.path))
    try rot([2, 6], in: world)
    guard case .repairing(let repair)? = try await check(id, in: world, .repair) else {
      Issue.record("nothing is repaired")
      return
    }
    let since = WallTime(millisecondsSince1970: 0)
    for (number, block) in [(2, 2), (3, 6)] {
      let request = await world.transport.request(number)
      let (lower, upper) = (block * Self.block, (block + 1) * Self.block)
      #expect(Self.range(request) == "bytes=\(lower)-\(upper - 1)")
      #expect(request.headers.contains { $0.name == "If-Range" && $0.value == "\"v1\"" })
      world.transport.head(
        request.id, 206,
        [
          "Content-Range": "bytes \(lower)-\(upper - 1)/\(8 * Self.block)", "ETag": "\"v1\"",
          "Content-Length": "\(Self.block)",
        ])
      await world.transport.called { $0.contains(.accept(request.id)) }
      world.transport.body(request.id, Self.piece(block))
      world.transport.end(request.id, .complete)
    }
    // A client that asks all the time sees one repair, and then its result.
    var progress: VerificationProgress?
    for _ in 0..<100_000 {
      await Task.yield()
      progress =
        await world.engine.verify([id], since: since, repairsSince: since, .repair).first
      if case .ended(let check)? = progress, check.finding == .intact { break }
      if case .repairing(let other)? = progress { #expect(other == repair) }
    }
    await world.told.wait { events in
      events.contains { event in
        if case .removed(let row) = event { row.id == repair } else { false }
      }
    }
    #expect(repairs(in: world).isEmpty)
    #expect(world.files.bytes(at: Self.path) == good)
    #expect(world.files.paths == [Self.path])
    #expect(world.journal.records[id]?.finishedFile?.path == Self.path)
  }

  @Test(arguments: [1, 2])
  func `a repair of a file that is damaged as a whole asks for a part, too`(
    blockCount: Int
  ) async throws {
    let (world, id) = try await finished(blockCount: blockCount)
    let good = try #require(world.files.bytes(at: Self.path))
    try rot(Array(0..<blockCount), in: world)
    guard case .repairing(let repair)? = try await check(id, in: world, .repair) else {
      Issue.record("nothing is repaired")
      return
    }
    let request = await world.transport.request(2)
    #expect(Self.range(request) == "bytes=0-")
    let total = blockCount * Self.block
    world.transport.head(
      request.id, 206,
      [
        "Content-Range": "bytes 0-\(total - 1)/\(total)", "ETag": "\"v1\"",
        "Content-Length": "\(total)",
      ])
    await world.transport.called { $0.contains(.accept(request.id)) }
    for block in 0..<blockCount { world.transport.body(request.id, Self.piece(block)) }
    world.transport.end(request.id, .complete)
    await world.told.wait { events in
      events.contains { event in
        if case .removed(let row) = event { row.id == repair } else { false }
      }
    }
    #expect(world.files.bytes(at: Self.path) == good)
    #expect(world.files.paths == [Self.path])
  }

  @Test func `a repair whose bytes are not proved changes nothing`() async throws {
    let (world, id) = try await finished(blockCount: 8)
    try rot([2], in: world)
    let bad = try #require(world.files.bytes(at: Self.path))
    guard case .repairing(let repair)? = try await check(id, in: world, .repair) else {
      Issue.record("nothing is repaired")
      return
    }
    let request = await world.transport.request(2)
    world.transport.head(
      request.id, 206,
      [
        "Content-Range": "bytes \(2 * Self.block)-\(3 * Self.block - 1)/\(8 * Self.block)",
        "ETag": "\"v1\"",
      ])
    await world.transport.called { $0.contains(.accept(request.id)) }
    world.transport.body(request.id, Self.piece(77))
    world.transport.end(request.id, .complete)
    await world.told.wait(for: .failed, of: repair)
    #expect(world.files.bytes(at: Self.path) == bad)
    let since = WallTime(millisecondsSince1970: 0)
    guard
      case .unrepaired(_, let failure)? = await world.engine.verify(
        [id], since: since, repairsSince: since, .repair
      )
      .first
    else {
      Issue.record("the failure is not told")
      return
    }
    #expect(failure.code == .checksumMismatch)
  }

  @Test func `a repair gives up on a server that has another version, or sends no parts`()
    async throws
  {
    let (world, id) = try await finished(blockCount: 8)
    try rot([2], in: world)
    guard case .repairing(let repair)? = try await check(id, in: world, .repair) else {
      Issue.record("nothing is repaired")
      return
    }
    let first = await world.transport.request(2)
    world.transport.head(
      first.id, 200, ["Content-Length": "\(8 * Self.block)", "ETag": "\"v2\""])
    // The digests decide, so the validator is not asked for again.
    let second = await world.transport.request(3)
    #expect(Self.range(second) == Self.range(first))
    #expect(!second.headers.contains { $0.name == "If-Range" })
    world.transport.head(second.id, 200, ["Content-Length": "\(8 * Self.block)"])
    await world.told.wait(for: .failed, of: repair)
    let failure = await world.engine.details(of: repair)?.snapshot.error
    #expect(failure?.code == .rangeReplyWrong)
  }

  @Test func `a comparison counts only for the file that was compared`() async throws {
    let (world, id) = try await finished(blockCount: 2)
    let digests = world.journal.digests[id]
    let identity = try #require(world.journal.records[id]?.finishedFile?.identity)
    var other = identity
    other.inode += 1
    let check = FileCheck(.damaged, at: world.clock.now().wall)
    await world.engine.record(.init(check: check, file: other, digests: []), of: id)
    #expect(world.journal.records[id]?.finishedFile?.check == nil)
    let first = try #require(ByteRange(lower: 0, upper: 9))
    let entry = try #require(DigestedBytes(first, BlockDigest(high: 1, low: 2)))
    await world.engine.record(.init(check: check, file: other, digests: [entry]), of: id)
    #expect(world.journal.digests[id] == digests)
    await world.engine.record(.init(check: check, file: identity, digests: []), of: id)
    #expect(world.journal.records[id]?.finishedFile?.check == check)
  }

  /// The repairs among the records.
  private func repairs(in world: EngineWorld) -> [TransferID] {
    world.journal.records.values.filter { $0.spec.options.repairs != nil }.map(\.id)
  }

  @Test func `clients that ask at the same time begin one repair`() async throws {
    let (world, id) = try await finished(blockCount: 8)
    try rot([2], in: world)
    _ = try await check(id, in: world)
    let since = WallTime(millisecondsSince1970: 0)
    async let first = world.engine.verify([id], since: since, repairsSince: since, .repair)
    async let second = world.engine.verify([id], since: since, repairsSince: since, .repair)
    let begun = await [first, second].flatMap(\.self).filter { $0 != .waiting }
    let repair = try #require(repairs(in: world).first)
    #expect(repairs(in: world) == [repair])
    #expect(Set(begun) == [.repairing(by: repair)])
  }

  @Test func `a repair that only the store has is not begun again`() async throws {
    let (world, id) = try await finished(blockCount: 8)
    try rot([2], in: world)
    guard case .repairing(let repair)? = try await check(id, in: world, .repair) else {
      Issue.record("nothing is repaired")
      return
    }
    #expect(await world.engine.control(.pause, [repair]) == [.applied])
    let next = try await EngineWorld(after: world) { $0.hold.evictableCountMax = 0 }
    let since = WallTime(millisecondsSince1970: 0)
    #expect(
      await next.engine.verify([id], since: since, repairsSince: since, .repair)
        == [.repairing(by: repair)])
    // A comparison alone does not wait for it.
    let later = next.clock.now().wall.advanced(byMilliseconds: 1)
    #expect(
      await next.engine.verify([id], since: later, repairsSince: later, .report) == [.waiting])
  }

  @Test func `a repair that was stopped is begun again by a later request only`() async throws {
    let (world, id) = try await finished(blockCount: 8)
    try rot([2], in: world)
    guard case .repairing(let repair)? = try await check(id, in: world, .repair) else {
      Issue.record("nothing is repaired")
      return
    }
    #expect(await world.engine.control(.stop, [repair]) == [.applied])
    let since = WallTime(millisecondsSince1970: 0)
    guard
      case .ended(let left)? = await world.engine.verify(
        [id], since: since, repairsSince: since, .repair
      ).first
    else {
      Issue.record("a stopped repair has not ended")
      return
    }
    #expect(left.finding == .damaged)
    let later = world.clock.now().wall.advanced(byMilliseconds: 1)
    guard
      case .repairing(let next)? = await world.engine.verify(
        [id], since: since, repairsSince: later, .repair
      ).first
    else {
      Issue.record("nothing is repaired")
      return
    }
    #expect(next != repair)
    #expect(repairs(in: world) == [next])
  }

  @Test func `a repair without space for its bytes leaves no transfer`() async throws {
    let (world, id) = try await finished(blockCount: 8)
    try rot([2], in: world)
    _ = try await check(id, in: world)
    world.files.fail(.create, with: TransferFailure(.diskFull, on: EngineWorld.documents))
    let since = WallTime(millisecondsSince1970: 0)
    guard
      case .unrepaired(_, let failure)? = await world.engine.verify(
        [id], since: since, repairsSince: since, .repair
      ).first
    else {
      Issue.record("the failure is not reported")
      return
    }
    #expect(failure.code == .diskFull)
    #expect(repairs(in: world).isEmpty)
  }

  @Test func `a comparison that a client waits for goes before scheduled ones`() throws {
    let ids = (1...3).map { TransferID(rawValue: $0) }
    var verifications = Verifications()
    verifications.add(ids[0], .leisurely)
    verifications.add(ids[1], .leisurely)
    let begun = verifications.begin()
    let scheduled = try #require(begun)
    #expect(scheduled.id == ids[0])
    #expect(scheduled.progress.advance(to: 1))
    verifications.add(ids[2])
    #expect(!scheduled.progress.advance(to: 2))
    verifications.end()
    var order: [TransferID?] = []
    for _ in 0..<4 {
      order.append(verifications.begin()?.id)
      verifications.end()
    }
    #expect(order == [ids[2], ids[1], ids[0], nil])
  }
}
