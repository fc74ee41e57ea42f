import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Replies that contradict themselves or the known facts about the file.
struct ContradictionTests {
  let body = SeededBody(seed: 41, byteCount: 60_000)
  var truth: OriginBehavior { OriginBehavior(body) }
  private var cut: OriginBehavior { truth.with { $0.ending = .cut(after: 20_000, .fin) } }

  // Fault 1
  @Test(arguments: [true, false])
  func `a 200 with only the remaining bytes never becomes the file`(
    withContentRange: Bool
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 2 }
    let tail = truth.with { $0.ranges = .partAsWhole(withContentRange: withContentRange) }
    let (cut, refusal) = (cut, OriginBehavior.status(500))
    world.origin.serve(at: WireWorld.path) { request in
      if request.numberForPath == 1 { return cut }
      return request.value(of: "Range") == nil ? refusal : tail
    }
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(row.bytesReceived == 20_000)
    try await world.expectNoFile(of: row.id, only: body)
    // The kept bytes are used as soon as the server responds correctly again.
    world.origin.serve(truth, at: WireWorld.path)
    await world.start(row.id)
    try await world.wait("completion", for: row.id) { $0.state == .completed }
    world.expectFile(of: try #require(world.row(of: row.id)), is: body)
    #expect(world.origin.requests.last?.bytesSent == 40_000)
  }

  enum Bond: Sendable, CaseIterable {
    case date, weakTag, none

    func applied(to behavior: OriginBehavior) -> OriginBehavior {
      behavior.with {
        $0.entityTag = self == .weakTag ? .weak : .none
        if self != .date { $0.lastModified = nil }
      }
    }
  }

  // Fault 136
  @Test(arguments: Bond.allCases)
  func `a 200 with only the remaining bytes is no file, whatever identifies the version`(
    bond: Bond
  ) async throws {
    let large = SeededBody(seed: 43, byteCount: 3 << 20)
    let truth = bond.applied(to: OriginBehavior(large).with { $0.bytesPerSecond = 16 << 20 })
    let tail = truth.with { $0.ranges = .partAsWhole(withContentRange: false) }
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 2 }
    world.origin.serve(
      [truth.with { $0.ending = .cut(after: 2 << 20, .fin) }, tail], at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    if row.state == .completed {
      world.expectFile(of: row, is: large)
    } else {
      #expect(row.error?.code == .contradictoryReply)
      #expect(row.bytesReceived == 2 << 20)
    }
    #expect(world.origin.requests.contains { $0.value(of: "Range") != nil }, "\(world.wire)")
  }

  // Fault 1
  @Test(arguments: [true, false])
  func `after contradictions the file is fetched from the beginning, and the row says why`(
    withContentRange: Bool
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 2 }
    let tail = truth.with { $0.ranges = .partAsWhole(withContentRange: withContentRange) }
    world.origin.serve([cut, tail], at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == .contradictoryReplies)
    #expect(world.origin.requests.last?.value(of: "Range") == nil)
  }

  // Fault 141
  @Test(arguments: ["bytes 0-4/5", "bytes 0-4/*", "bytes */5"])
  func `a full reply whose Content-Range only repeats its length is the file`(
    contentRange: String
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 0 }
    world.origin.serve(
      .raw(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"v\"\r\n"
          + "Content-Range: \(contentRange)\r\n\r\nworld"), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .completed)
    #expect(world.home.bytes(of: "file.bin") == Array("world".utf8))
  }

  // Fault 1
  @Test(arguments: [200, 203])
  func `a full reply with a Content-Range is rejected even on the first request`(
    status: Int
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 2 }
    world.origin.serve(
      .raw(
        "HTTP/1.1 \(status) OK\r\nContent-Length: 5\r\nETag: \"v\"\r\n"
          + "Content-Range: bytes 5-9/10\r\n\r\nworld"), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(row.error?.code == .contradictoryReply)
    #expect(world.home.finalNames == [])
  }
}
