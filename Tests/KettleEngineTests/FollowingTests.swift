import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

/// Requests for URLs that are on the list already.
@Suite(.timeLimit(.minutes(5)))
struct FollowingTests {
  private let bytes: [UInt8] = [1, 2, 3]

  private func checksum(of bytes: [UInt8]) throws -> Checksum {
    try #require(
      TestDigest.hex(of: bytes, .sha256).flatMap { Checksum(algorithm: .sha256, hex: $0) })
  }

  private func asked(_ change: (inout TransferSpec) -> Void) -> TransferSpec {
    var spec = EngineWorld.spec()
    change(&spec)
    return spec
  }

  private func completed(in world: EngineWorld) async throws -> (TransferID, path: String) {
    let (id, attempt) = try await world.flowing(total: 3)
    world.transport.body(attempt, bytes)
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    return (id, try #require(await world.engine.details(of: id)?.snapshot.path))
  }

  // Fault 183
  @Test func `a finished file is compared with a checksum that is asked later`() async throws {
    let world = try await EngineWorld()
    let (id, path) = try await completed(in: world)
    let right = try checksum(of: bytes)
    let wrong = try checksum(of: [9])
    #expect(
      await world.engine.follow(id, as: asked { $0.checksum = wrong })
        == .mismatch(path: path, found: right.hex))
    #expect(await world.engine.details(of: id)?.record.spec.checksum == nil)
    #expect(
      await world.engine.follow(id, as: asked { $0.checksum = right }) == .follows([.checksum]))
    let record = try #require(await world.engine.details(of: id)?.record)
    #expect(record.spec.checksum == right)
    #expect(record.finishedFile?.verifiedBy == .sha256)
  }

  // Fault 184
  @Test func `a finished file that was changed or deleted is not followed`() async throws {
    let world = try await EngineWorld()
    let (id, path) = try await completed(in: world)
    let right = try checksum(of: bytes)
    world.files.overwrite(path, with: [1, 2, 4])
    #expect(await world.engine.follow(id, as: asked { _ in }) == .needsAnother(.fileChanged))
    #expect(
      await world.engine.follow(id, as: asked { $0.checksum = right })
        == .needsAnother(.fileChanged))
    // The checksum of what is there now says that the change is wanted.
    let present = try checksum(of: [1, 2, 4])
    #expect(
      await world.engine.follow(id, as: asked { $0.checksum = present }) == .follows([.checksum]))
    world.files.remove(path)
    #expect(await world.engine.follow(id, as: asked { _ in }) == .needsAnother(.fileGone))
  }

  // Fault 183
  @Test func `what comes too late for a complete file is refused, and nothing is applied`()
    async throws
  {
    let world = try await EngineWorld()
    let (id, _) = try await completed(in: world)
    let request = asked { ($0.limitBytesPerSecond, $0.title) = (512, "T") }
    #expect(
      await world.engine.follow(id, as: request) == .tooLate([.limitBytesPerSecond], .completed))
    #expect(await world.engine.details(of: id)?.record.spec.title == nil)
    #expect(await world.engine.follow(id, as: asked { $0.title = "T" }) == .follows([.title]))
  }

  // Fault 183
  @Test func `a running transfer takes over options, and makes its requests again for a header`()
    async throws
  {
    let world = try await EngineWorld()
    let (id, attempt) = try await world.flowing(total: 3)
    #expect(
      await world.engine.follow(id, as: asked { $0.limitBytesPerSecond = 512 })
        == .follows([.limitBytesPerSecond]))
    await world.transport.called { $0.contains(.limit(id, bytesPerSecond: 512)) }
    let header = try #require(HeaderField("A: b"))
    #expect(
      await world.engine.follow(id, as: asked { $0.headers = [header] }) == .follows([.headers]))
    let again = await world.transport.request(2)
    #expect(again.id != attempt)
    #expect(again.headers.contains(header))
  }

  // Fault 185
  @Test func `after a failed digest the right one is used`() async throws {
    let world = try await EngineWorld()
    let wrong = try checksum(of: [9])
    let id = try await world.engine.add([asked { $0.checksum = wrong }])[0]
    let first = await world.transport.request(1).id
    world.transport.head(first, 200, ["Content-Length": "3", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(first)) }
    world.transport.body(first, bytes)
    world.transport.end(first, .complete)
    await world.told.wait(for: .failed, of: id)
    let right = try checksum(of: bytes)
    #expect(
      await world.engine.follow(id, as: asked { $0.checksum = right }) == .follows([.checksum]))
    let second = await world.transport.request(2).id
    world.transport.head(second, 200, ["Content-Length": "3", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(second)) }
    world.transport.body(second, bytes)
    world.transport.end(second, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(await world.engine.details(of: id)?.record.finishedFile?.verifiedBy == .sha256)
  }

  // Fault 186
  @Test(arguments: [true, false])
  func `a file that is there counts with --on-conflict skip only if it has the checksum`(
    isRight: Bool
  ) async throws {
    let world = try await EngineWorld()
    world.files.put(bytes, at: EngineWorld.documents + "/a.iso")
    let expected = try checksum(of: isRight ? bytes : [9])
    let id = try await world.engine.add([
      asked { ($0.onConflict, $0.checksum) = (.skip, expected) }
    ])[0]
    let attempt = await world.transport.request(1).id
    world.transport.head(attempt, 200, ["Content-Length": "3"])
    await world.told.wait(for: isRight ? .completed : .failed, of: id)
    #expect(world.files.bytes(at: EngineWorld.documents + "/a.iso") == bytes)
    let error = await world.engine.details(of: id)?.snapshot.error
    #expect(error?.code == (isRight ? nil : .nameTaken))
    #expect(error?.detail?.contains("its checksum is") ?? isRight)
  }

  // Fault 187
  @Test func `nothing starts while the configuration file is not understood`() async throws {
    let world = try await EngineWorld { $0.unreadConfiguration = "/c/config.toml" }
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    let row = try #require(await world.engine.details(of: id)?.snapshot)
    #expect(row.state == .queued)
    let heldBack = await world.engine.explained(row).heldBack
    #expect(heldBack?.cause == .configuration && heldBack?.subject == "/c/config.toml")
    #expect(world.transport.requests.isEmpty)
    await world.engine.holdBack(forConfiguration: nil)
    _ = await world.transport.request(1)
  }
}
