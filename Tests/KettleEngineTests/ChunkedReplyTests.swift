import KettleModel
import TestSupport
import Testing

@testable import KettleEngine

/// Chunked responses over fake ports: their bytes count only after the last chunk.
@Suite(.timeLimit(.minutes(5)))
struct ChunkedReplyTests {
  private static let head = ["Transfer-Encoding": "chunked", "ETag": "\"v1\""]

  // Fault 27
  @Test func `an incomplete chunked response is restarted and the history has the discarded bytes`()
    async throws
  {
    let world = try await EngineWorld()
    let id = try await world.engine.add([EngineWorld.spec()])[0]
    let first = await world.transport.request(1).id
    world.transport.head(first, 200, Self.head)
    await world.transport.called { $0.contains(.accept(first)) }
    world.transport.body(first, [1, 2, 3])
    world.transport.end(first, .failed(TransferFailure(.protocolBroken, on: "files.example")))
    await world.told.wait(for: .waiting, of: id)
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso.part") == [])
    let details = try #require(await world.engine.details(of: id))
    #expect(details.record.resumeData?.durable == ByteRangeSet())
    #expect(details.history.map(\.event).contains(.discarded(byteCount: 3)))

    await world.advance(milliseconds: 2000)
    let second = await world.transport.request(2)
    #expect(!second.headers.contains { $0.name == "Range" })
    world.transport.head(second.id, 200, Self.head)
    await world.transport.called { $0.contains(.accept(second.id)) }
    world.transport.body(second.id, [4, 5])
    world.transport.end(second.id, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.bytes(at: "/home/u/Downloads/a.iso") == [4, 5])
  }
}
