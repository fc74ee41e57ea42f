import Glibc
import Testing

@testable import KettleDemo

struct DemoOriginTests {
  private let quick = DemoItem(
    title: "Quick", fileName: "quick.pdf", byteCount: 300_001, bytesPerSecond: 1_000_000_000)
  private let large = DemoItem(
    title: "Large", fileName: "large.pdf", byteCount: 1 << 33, bytesPerSecond: 1_000_000_000_000)
  private let slow = DemoItem(
    title: "Slow", fileName: "slow.pdf", byteCount: 200_000, bytesPerSecond: 500_000)

  /// Runs an origin during `body`, which receives it and its port.
  private func withOrigin(
    _ body: (DemoOrigin, Int) async throws -> Void
  ) async throws {
    let origin = DemoOrigin(catalogue: DemoCatalogue(items: [quick, large, slow]))
    let port = try await origin.start()
    do {
      try await body(origin, port)
    } catch {
      await origin.stop()
      throw error
    }
    await origin.stop()
  }

  @Test func `it serves on the port that is asked for, and names one that is taken`() async throws {
    try await withOrigin { _, port in
      let second = DemoOrigin()
      await #expect(throws: DemoOriginError.cannotListen(errorNumber: EADDRINUSE)) {
        try await second.start(port: port)
      }
    }
  }

  @Test func `a port can be used again at once`() async throws {
    let origin = DemoOrigin(catalogue: DemoCatalogue(items: [quick]))
    let port = try await origin.start()
    let connection = try await blocking {
      let connection = try LoopbackConnection(port: port)
      try connection.send("GET /quick.pdf HTTP/1.1", "Host: localhost")
      _ = try connection.readReply()
      return connection
    }
    // The side that closes first keeps the address for a while (RFC 9293, FIN-WAIT-2, TIME-WAIT).
    await origin.stop()
    let next = DemoOrigin()
    #expect(try await next.start(port: port) == port)
    withExtendedLifetime(connection) {}
    await next.stop()
  }

  @Test func `a file arrives complete and with its headers`() async throws {
    try await withOrigin { origin, port in
      let reply = try await blocking {
        let connection = try LoopbackConnection(port: port)
        try connection.send("GET /quick.pdf HTTP/1.1", "Host: localhost")
        return try connection.readReply()
      }
      #expect(reply.status == 200)
      #expect(reply.headers["etag"] == quick.entityTag)
      #expect(reply.headers["accept-ranges"] == "bytes")
      #expect(reply.headers["date"]?.hasSuffix(" GMT") == true)
      #expect(reply.body == DemoContent(quick).bytes(in: 0..<300_001))
      #expect(origin.requests.map(\.bytesSent) == [300_001])
    }
  }

  @Test func `a range arrives with its bytes`() async throws {
    try await withOrigin { origin, port in
      let tag = quick.entityTag
      let reply = try await blocking {
        let connection = try LoopbackConnection(port: port)
        try connection.send(
          "GET /quick.pdf HTTP/1.1", "Host: localhost", "Range: bytes=123457-", "If-Range: \(tag)")
        return try connection.readReply()
      }
      #expect(reply.status == 206)
      #expect(reply.headers["content-range"] == "bytes 123457-300000/300001")
      #expect(reply.body == DemoContent(quick).bytes(in: 123_457..<300_001))
      let seen = DemoRequest(
        method: "GET", path: "/quick.pdf", range: "bytes=123457-", ifRange: tag, status: 206,
        bytesSent: 176_544)
      #expect(origin.requests == [seen])
    }
  }

  @Test func `one connection serves several requests, also pipelined ones`()
    async throws
  {
    try await withOrigin { origin, port in
      let replies = try await blocking {
        let connection = try LoopbackConnection(port: port)
        try connection.send("HEAD /quick.pdf HTTP/1.1", "Host: localhost")
        var replies = [try connection.readReply(hasBody: false)]
        try connection.send(
          "GET /quick.pdf HTTP/1.1", "Host: localhost", "Range: bytes=0-9", "",
          "GET /nothing HTTP/1.1", "Host: localhost", "",
          "GET /quick.pdf HTTP/1.1", "Host: localhost", "Range: bytes=-3")
        for _ in 0..<3 { replies.append(try connection.readReply()) }
        return replies
      }
      #expect(replies.map(\.status) == [200, 206, 404, 206])
      #expect(replies.map(\.body.count) == [0, 10, 0, 3])
      #expect(origin.requests.map(\.status) == [200, 206, 404, 206])
    }
  }

  @Test func `the connection closes after a reply if the client requests it`() async throws {
    try await withOrigin { _, port in
      let (reply, rest) = try await blocking {
        let connection = try LoopbackConnection(port: port)
        try connection.send("GET /quick.pdf HTTP/1.1", "Host: localhost", "Connection: close")
        return (try connection.readReply(), try connection.read(upTo: 1))
      }
      #expect(reply.headers["connection"] == "close")
      #expect(reply.body.count == 300_001)
      #expect(rest.isEmpty)
    }
  }

  @Test func `invalid HTTP closes its connection and no other`() async throws {
    try await withOrigin { _, port in
      let status = try await blocking {
        let good = try LoopbackConnection(port: port)
        let bad = try LoopbackConnection(port: port)
        try bad.send("\u{1}\u{2} nonsense")
        while !(try bad.read(upTo: 4_096)).isEmpty {}
        try good.send("HEAD /quick.pdf HTTP/1.1", "Host: localhost")
        return try good.readReply(hasBody: false).status
      }
      #expect(status == 200)
    }
  }

  @Test func `a file takes as long as its speed implies`() async throws {
    try await withOrigin { _, port in
      let clock = ContinuousClock()
      let start = clock.now
      let count = try await blocking {
        let connection = try LoopbackConnection(port: port)
        try connection.send("GET /slow.pdf HTTP/1.1", "Host: localhost")
        return try connection.readReply().body.count
      }
      #expect(count == 200_000)
      #expect(clock.now - start >= .milliseconds(340))
    }
  }

  @Test func `a client that does not read blocks only itself`() async throws {
    try await withOrigin { origin, port in
      let deaf = try await blocking {
        let connection = try LoopbackConnection(port: port)
        try connection.send("GET /large.pdf HTTP/1.1", "Host: localhost")
        _ = try connection.read(upTo: 1)
        return connection
      }
      for _ in 0..<20 {
        try await blocking {
          let connection = try LoopbackConnection(port: port)
          try connection.send(
            "GET /large.pdf HTTP/1.1", "Host: localhost", "Range: bytes=0-4194303")
          #expect(try connection.readReply().body.count == 1 << 22)
        }
      }
      // 80 MiB were sent to the others; the client that does not read got what the buffers hold.
      #expect(try #require(origin.requests.first).bytesSent < 40 << 20)
      withExtendedLifetime(deaf) {}
    }
  }

  @Test func `stop ends running replies and releases the port`() async throws {
    let origin = DemoOrigin(catalogue: DemoCatalogue(items: [large]))
    let port = try await origin.start()
    let connection = try await blocking {
      let connection = try LoopbackConnection(port: port)
      try connection.send("GET /large.pdf HTTP/1.1", "Host: localhost")
      _ = try connection.read(upTo: 1)
      return connection
    }
    await origin.stop()
    await origin.stop()
    try await blocking { while !(try connection.read(upTo: 1 << 18)).isEmpty {} }
    await #expect(throws: LoopbackConnection.Failure.self) {
      try await blocking { _ = try LoopbackConnection(port: port) }
    }
  }

  @Test func `an origin is started once`() async throws {
    try await withOrigin { origin, _ in
      await #expect(throws: DemoOriginError.startedBefore) { _ = try await origin.start() }
    }
    let stopped = DemoOrigin()
    await stopped.stop()
    await #expect(throws: DemoOriginError.startedBefore) { _ = try await stopped.start() }
  }
}
