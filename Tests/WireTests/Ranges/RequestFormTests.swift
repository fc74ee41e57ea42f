import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers that understand only one of the two forms of a request: with a range, or without.
struct RequestFormTests {
  let body = SeededBody(seed: 61, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  // Fault 141
  @Test(arguments: [400, 403, 404, 405, 501], Interruption.allCases)
  func `a server that refuses every range still delivers the file`(
    status: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let (truth, refusal) = (truth, OriginBehavior.status(status))
    let row = try await world.interruptedDownload(truth, by: interruption) { request in
      request.value(of: "Range") == nil ? truth : refusal
    }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == .rangeIgnored)
    // The bytes were kept and compared.
    let held = WireWorld.firstByteCount
    let shown = world.told.read { $0.byteCounts(of: row.id, afterReaching: held) }
    #expect(shown.allSatisfy { $0 >= held }, "\(shown)")
  }

  /// A server that answers a plain GET with a stored part, and ranges as it should.
  private func storing(_ byteCount: Int64) -> @Sendable (OriginRequest) -> OriginBehavior {
    let (body, truth) = (body, truth)
    return { request in
      if request.value(of: "Range") != nil { return truth }
      let head =
        "HTTP/1.1 206 Partial Content\r\nETag: \"stored\"\r\nConnection: close\r\n"
        + "Content-Range: bytes 0-\(byteCount - 1)/\(body.byteCount)\r\n"
        + "Content-Length: \(byteCount)\r\n\r\n"
      return .raw(Array(head.utf8) + body.bytes(in: 0..<byteCount))
    }
  }

  // Fault 141
  @Test(arguments: [1 << 20, 4 << 20] as [Int64], [1, 8])
  func `a 206 to a plain GET is followed by a request for all bytes`(
    byteCount: Int64, connections: Int
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(at: WireWorld.path, storing(byteCount))
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests.dropFirst().first?.value(of: "Range") == "bytes=0-")
    #expect(world.origin.requests.count { $0.value(of: "Range") == nil } == 1, "\(world.wire)")
  }

  // Fault 141
  @Test func `a server that sends only the beginning of what is requested delivers the file`()
    async throws
  {
    let world = try await WireWorld()
    let (storing, truth) = (storing(1 << 20), truth)
    let short = truth.with { $0.ranges = .shortened(to: 1 << 20) }
    world.origin.serve(at: WireWorld.path) { request in
      request.value(of: "Range") == nil ? storing(request) : short
    }
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
  }
}
