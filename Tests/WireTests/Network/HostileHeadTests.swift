import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Response heads that never end or that attempt an injection.
struct HostileHeadTests {
  let body = SeededBody(seed: 62, byteCount: 1 << 20)

  enum Head: Sendable, CaseIterable {
    case oneLongLine, manyLines, longFolding, manyInterim

    var bytes: [UInt8] {
      let begin = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
      switch self {
      case .oneLongLine:
        return Array((begin + "X: " + String(repeating: "a", count: 10 << 20)).utf8)
      case .manyLines:
        return Array((begin + String(repeating: "X: 1\r\n", count: 100_000) + "\r\nhello").utf8)
      case .longFolding:
        return Array((begin + "X: 1\r\n" + String(repeating: " b\r\n", count: 200_000)).utf8)
      case .manyInterim:
        return Array(
          (String(repeating: "HTTP/1.1 103 Hints\r\nX: 1\r\n\r\n", count: 50_000) + begin
            + "\r\nhello").utf8)
      }
    }
  }

  // Fault 57
  @Test(arguments: Head.allCases)
  func `an endless response head is abandoned quickly`(head: Head) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 1 }
    world.origin.serve(.raw(head.bytes), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .failed)
    #expect(world.origin.requests.count <= 2)
    #expect(world.home.names == [])
    #expect(try #require(row.error?.sentence).count < 1000)
  }

  // Fault 57
  @Test func `an endless response head loses no received bytes`() async throws {
    let world = try await WireWorld()
    let truth = OriginBehavior(body)
    let row = try await world.interruptedDownload(truth) {
      $0.numberForPath == 1 ? .raw(Head.manyLines.bytes) : truth
    }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
  }

  // Fault 58
  @Test(arguments: ["a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\r\n\r\nGET /evil HTTP/1.1\r\n\r\n", "\0"])
  func `a user-supplied header cannot inject another header`(
    value: String
  ) async throws {
    #expect(HeaderField(name: "X-Mine", value: value) == nil)
    let world = try await WireWorld()
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    let id = try await world.add(WireWorld.path) {
      $0.headers = [HeaderField(received: "X-Mine", value)]
    }
    _ = try await world.end(of: id)
    for request in world.origin.requests {
      #expect(request.path == WireWorld.path)
      #expect(request.value(of: "X-Evil") == nil)
    }
  }

  // Fault 58
  @Test(arguments: ["\r\nX-Evil:1", " HTTP/1.1\r\nX-Evil:1", "\0", "\n"])
  func `a URL cannot inject a header`(text: String) throws {
    let parsed = TransferURL.parse("http://127.0.0.1/a\(text)/b")
    #expect(throws: TransferURLProblem.self) { try parsed.get() }
  }

  // Fault 90
  @Test(arguments: [
    ("filename=\"a.txt\"; filename*=UTF-8''b%20c.txt", "b c.txt"),
    ("filename*=UTF-8''b%20c.txt; filename=\"a.txt\"", "b c.txt"),
    ("filename*=ISO-8859-1''caf%E9.txt", "caf\u{E9}.txt"),
    ("filename*=UTF-16''%00a; filename=\"good.txt\"", "good.txt"),
    ("filename*=rubbish; filename=\"good.txt\"", "good.txt"),
    ("filename=plain.txt;", "plain.txt"), ("filename=\"\"", "file.bin"),
    ("filename*=UTF-8''..%2F..%2Fup.txt", "up.txt"),
  ])
  func `Content-Disposition prefers filename* and ignores malformed names`(
    value: String, name: String
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(
      OriginBehavior(body).with {
        $0.headers = [HeaderField(received: "Content-Disposition", "attachment; " + value)]
      }, at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.state == .completed)
    #expect(world.home.names == [name])
  }

  // Fault 59
  @Test(arguments: [
    "Content-Disposition: attachment; filename=\"a\u{1B}[31mb\"",
    "Content-Disposition: attachment; filename=\"../../up\"",
    "Content-Disposition: attachment; filename*=UTF-8''%1B%5D0;x%07%0A%2e%2e%2fup",
    "ETag: \"\u{1B}[2J\"", "X: a\0b", "X\u{7}Y: 1", "Last-Modified: \u{1B}[5n",
    "Content-Type: text/\u{1B}[6n",
  ])
  func `control bytes in a response head reach neither file names nor displayed text`(
    line: String
  ) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 1 }
    world.origin.serve(
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\(line)\r\n\r\nhello"), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    let shown = [row.title, row.path ?? "", row.error?.sentence ?? ""] + world.home.names
    for text in shown {
      #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }, "\(text)")
    }
    let path = row.path ?? world.home.documents + "/none"
    #expect(
      path.split(separator: "/").dropLast().joined(separator: "/")
        == world.home.documents.dropFirst())
  }
}
