import Foundation
import Glibc
import Testing

@testable import KettleRPC

/// The port on which machines of a fleet give files to each other, over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct ShareListenerTests {
  private static let secret = String(repeating: "5", count: 64)
  private static let text = "0123456789"
  private let path: String

  init() throws {
    path = NSTemporaryDirectory() + "kettle-share-" + UUID().uuidString
    try Self.text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private func status() throws -> stat {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status
  }

  /// Runs a listener that has one file, as it is now, under the number 7.
  private func withListener(
    _ limits: ShareListener.Limits = .init(), _ body: (ShareListener) async throws -> Void
  ) async throws {
    let (path, published) = (path, try status())
    let modified =
      Int64(published.st_mtim.tv_sec) * 1_000_000_000 + Int64(published.st_mtim.tv_nsec)
    let byteCount = Int64(published.st_size)
    let listener = try await ShareListener.start(
      at: "127.0.0.1", port: 0, secret: try #require(RPCSecret(Self.secret)), limits: limits,
      find: { id in
        id == 7
          ? SharedFile(path: path, byteCount: byteCount, modifiedNanoseconds: modified) : nil
      })
    do {
      try await body(listener)
    } catch {
      await listener.close()
      throw error
    }
    await listener.close()
    unlink(path)
  }

  private func request(
    _ target: String = "/fleet/7", method: String = "GET",
    secret: String? = ShareListenerTests.secret,
    _ more: String = ""
  ) -> String {
    let proof = secret.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return "\(method) \(target) HTTP/1.1\r\nHost: h\r\n\(proof)\(more)\r\n"
  }

  @Test func `files and their parts are given`() async throws {
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(request())
      let whole = try await client.readResponse()
      #expect(whole.head.hasPrefix("HTTP/1.1 200") && whole.body == Self.text)
      let tag = try #require(whole.head.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") })
      for (range, text) in [("2-4", "234"), ("7-", "789"), ("-2", "89"), ("8-99", "89")] {
        client.send(asking("Range: bytes=\(range)\r\nIf-Range: \(tag.dropFirst(6))\r\n"))
        let part = try await client.readResponse()
        #expect(part.head.hasPrefix("HTTP/1.1 206") && part.body == text)
      }
      client.send(asking("Range: bytes=10-\r\n"))
      let beyond = try await client.readResponse()
      #expect(beyond.head.hasPrefix("HTTP/1.1 416"))
      #expect(beyond.head.contains("Content-Range: bytes */10\r\n"))
      client.send(asking("Range: bytes=2-4\r\nIf-Range: \"other\"\r\n"))
      #expect(try await client.readResponse().body == Self.text)
      client.send(request(method: "HEAD") + asking("Range: bytes=1-1\r\n"))
      while try await client.read(1) != [10] {}
      #expect(try await client.readResponse().head.contains("Content-Length: 10\r\n"))
      #expect(try await client.readResponse().body == "1")
    }
  }

  /// A header on its own.
  private func asking(_ header: String) -> String {
    request("/fleet/7", method: "GET", secret: Self.secret, header)
  }

  @Test(arguments: [nil, "", String(repeating: "4", count: 64), String(repeating: "5", count: 63)])
  func `nothing is given without the secret`(_ secret: String?) async throws {
    try await withListener { listener in
      for target in ["/fleet/7", "/fleet/8", "/"] {
        let client = try LoopbackClient(port: listener.port)
        client.send(request(target, secret: secret))
        let answer = await client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 401") && answer.hasSuffix("\r\n\r\n"))
      }
    }
  }

  @Test(arguments: ["/fleet/8", "/fleet/-7", "/fleet/7/..", "/fleet/", "/7", "/fleet/../fleet/7"])
  func `only numbers of published files are known`(_ target: String) async throws {
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(request(target))
      #expect(await client.readToEnd().hasPrefix("HTTP/1.1 404"))
    }
  }

  @Test func `other methods and bodies are refused`() async throws {
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(request(method: "DELETE"))
      #expect(await client.readToEnd().hasPrefix("HTTP/1.1 405"))
      let other = try LoopbackClient(port: listener.port)
      other.send(request(method: "POST", "Content-Length: 4\r\n") + "body")
      #expect(await other.readToEnd() == "")
    }
  }

  @Test func `a file that has changed is not given`() async throws {
    try await withListener { listener in
      try "9876543210".write(toFile: path, atomically: false, encoding: .utf8)
      let client = try LoopbackClient(port: listener.port)
      client.send(request())
      #expect(await client.readToEnd().hasPrefix("HTTP/1.1 404"))
    }
  }

  @Test func `a link in place of a file is not followed`() async throws {
    try await withListener { listener in
      rename(path, path + ".moved")
      symlink(path + ".moved", path)
      defer { unlink(path + ".moved") }
      let client = try LoopbackClient(port: listener.port)
      client.send(request())
      #expect(await client.readToEnd().hasPrefix("HTTP/1.1 404"))
    }
  }

  @Test func `a file that changes while it is given ends the connection`() async throws {
    let byteCount = 64 << 20
    truncate(path, byteCount)
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(request())
      _ = try await client.read(1 << 20)
      truncate(path, 5)
      #expect(await client.readToEnd().utf8.count < byteCount)
    }
  }

  @Test func `connections are limited`() async throws {
    var limits = ShareListener.Limits()
    limits.connectionCountMax = 2
    try await withListener(limits) { listener in
      let clients = try (0..<2).map { _ in try LoopbackClient(port: listener.port) }
      for client in clients {
        client.send(request())
        #expect(try await client.readResponse().body == Self.text)
      }
      let third = try LoopbackClient(port: listener.port)
      third.send(request())
      #expect(await third.readToEnd() == "")
    }
  }

  @Test func `a silent connection ends, and another one takes its place`() async throws {
    var limits = ShareListener.Limits()
    limits.connectionCountMax = 1
    limits.idleSeconds = 1
    try await withListener(limits) { listener in
      for _ in 0..<2 {
        let client = try LoopbackClient(port: listener.port)
        client.send(request())
        #expect(try await client.readResponse().body == Self.text)
        #expect(await client.readToEnd() == "")
      }
    }
  }

  @Test func `a request that does not arrive ends its connection, though it is not silent`()
    async throws
  {
    var limits = ShareListener.Limits()
    limits.headSeconds = 1
    try await withListener(limits) { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send("GET /fleet/1 HTTP/1.1\r\nX: ")
      #expect(await client.readToEnd() == "")
      let other = try LoopbackClient(port: listener.port)
      other.send(request())
      #expect(try await other.readResponse().body == Self.text)
    }
  }

  @Test func `a head has a limit`() async throws {
    try await withListener { listener in
      let client = try LoopbackClient(port: listener.port)
      client.send(asking("X: \(String(repeating: "x", count: 200_000))\r\n"))
      #expect(await !client.readToEnd().hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test(
    arguments: [
      (nil, .whole), ("bytes=0-0", .part(0..<1)), ("BYTES=3-", .part(3..<10)),
      ("bytes=-20", .part(0..<10)), ("bytes=-0", .unsatisfiable), ("bytes=10-20", .unsatisfiable),
      ("bytes=4-3", .whole), ("bytes=1-2,4-5", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole),
      ("bytes=+1-2", .whole), ("items=1-2", .whole), ("bytes=1", .whole),
      ("bytes=9223372036854775807-", .unsatisfiable),
      ("bytes=0-9223372036854775807", .part(0..<10)),
      ("bytes=99999999999999999999-", .whole),
    ] as [(String?, RequestedPart)])
  func `ranges are read as they are meant`(_ header: String?, _ part: RequestedPart) {
    #expect(RequestedPart(header, byteCount: 10) == part)
    if part != .whole { #expect(RequestedPart(header, byteCount: 0) == .unsatisfiable) }
  }
}
