import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Lengths that are wrong, absurd or contradictory, and bodies of no length at all.
struct ContentLengthTests {
  let body = SeededBody(seed: 21, byteCount: 300_000)
  var truth: OriginBehavior { OriginBehavior(body) }

  // Fault 28
  @Test(
    arguments: [
      ["-5"], ["some"], ["99999999999999999999999"], ["300000", "200000"], ["300000, 200000"],
      ["9223372036854775807"], ["4611686018427387904"], ["3e5"], ["0x493e0"],
    ], [1, 8])
  func `an invalid Content-Length never produces a file`(
    lengths: [String], connections: Int
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 2 }
    world.origin.serve(
      truth.with {
        $0.framing = .contentLengths(lengths)
        $0.ending = .cut(after: 300_000, .fin)
      }, at: WireWorld.path)
    let id = try await world.add(WireWorld.path) { $0.connections = connections }
    // The announced length may exceed the space on the disk.
    let row = try await world.wait("an end", for: id) {
      $0.state.isFinished || $0.reason == .diskSpace
    }
    #expect(row.state != .completed)
    try await world.expectNoFile(of: id, only: body)
  }

  // Fault 28
  @Test func `a repeated Content-Length with equal values is accepted`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      truth.with { $0.framing = .contentLengths(["300000", "300000"]) }, at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
  }

  // Fault 28
  @Test func `a Content-Length never overrides chunked encoding`() async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 2 }
    world.origin.serve(
      .raw(
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "5\r\nhello\r\n0\r\n\r\n"), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    // RFC 9112, section 6.3: chunked overrides, or the message is refused.
    if row.state == .completed {
      #expect(world.home.bytes(of: "file.bin") == Array("hello".utf8))
    } else {
      #expect(world.home.finalNames == [])
    }
  }

  // Fault 29
  @Test(
    arguments: [OriginBehavior.Framing.contentLength, .chunked, .untilClose], [1, 8])
  func `an empty file completes`(
    framing: OriginBehavior.Framing, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let empty = SeededBody(seed: 0, byteCount: 0)
    world.origin.serve(OriginBehavior(empty).with { $0.framing = framing }, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = connections }
    world.expectFile(of: row, is: empty)
    #expect(world.origin.requests.count == 1)
  }

  // Fault 29
  @Test(arguments: [204, 205])
  func `a response without content is not a file`(status: Int) async throws {
    let world = try await WireWorld()
    world.origin.serve(.raw("HTTP/1.1 \(status) None\r\n\r\n"), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(row.error?.code == .httpStatus)
    #expect(world.home.names == [])
  }

  // Fault 29
  @Test func `a response without content loses no received bytes`() async throws {
    let world = try await WireWorld()
    let body = SeededBody(seed: 22, byteCount: 2 << 20)
    let truth = OriginBehavior(body)
    let row = try await world.interruptedDownload(truth) { _ in
      .raw("HTTP/1.1 204 None\r\n\r\n")
    }
    #expect(row.state == .failed)
    #expect(row.bytesReceived >= WireWorld.firstByteCount)
    try await world.expectNoFile(of: row.id, only: body)
  }
}
