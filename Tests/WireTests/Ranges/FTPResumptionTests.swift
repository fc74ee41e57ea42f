import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Downloads from an FTP server that are interrupted and resumed.
struct FTPResumptionTests {
  private let body = SeededBody(seed: 21, byteCount: 5_000_000)
  private static let firstByteCount: Int64 = 3_000_000

  /// Downloads until the server closes both connections, and resumes from what `change` makes of
  /// the server.
  private func interruptedDownload(
    _ change: (FTPBehavior) -> FTPBehavior
  ) async throws -> (world: WireWorld, server: ScriptedFTPServer, row: TransferSnapshot) {
    let world = try await WireWorld {
      // The test decides when it continues.
      $0.retryPolicy.firstDelayMilliseconds = 600_000
      $0.retryPolicy.delayMillisecondsMax = 600_000
    }
    let whole = FTPBehavior(body)
    let server = try ScriptedFTPServer(whole.with { $0.cut = .init(after: Self.firstByteCount) })
    let id = try await world.add(try server.url)
    try await world.wait("the cut", for: id) { $0.state == .waiting }
    #expect(world.row(of: id)?.bytesReceived == Self.firstByteCount)
    server.serve(change(whole))
    await world.start(id)
    return (world, server, try await world.end(of: id))
  }

  @Test func `a cut download continues where it was, with an overlap`() async throws {
    let (world, server, row) = try await interruptedDownload { $0 }
    world.expectFile(of: row, is: body)
    #expect(server.commands("REST") == ["REST \(Self.firstByteCount - 65_536)"])
  }

  @Test func `a server that cannot resume sends everything again, and it is compared`()
    async throws
  {
    let (world, server, row) = try await interruptedDownload { whole in
      whole.with { $0.restart = .refused }
    }
    world.expectFile(of: row, is: body)
    #expect(server.commands("RETR").count == 2)
  }

  @Test func `a server that only pretends to resume leaves no wrong byte`() async throws {
    let (world, _, row) = try await interruptedDownload { whole in
      whole.with { $0.restart = .ignored }
    }
    world.expectFile(of: row, is: body)
  }

  // Fault 143
  @Test(arguments: [
    "530 Sorry, the maximum number of clients (1) from your host are already connected",
    "530 Anonymous logins limit reached, try again later", "421 Too many users",
  ])
  func `a full server is asked again until it has room`(reply: String) async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 1 }
    let server = try ScriptedFTPServer(
      FTPBehavior(body).with { $0.loginRefusal = (reply, count: 4) })
    let row = try await world.end(of: world.add(try server.url))
    world.expectFile(of: row, is: body)
    #expect(server.commands("PASS").count == 5)
  }

  @Test func `another time is another version`() async throws {
    let other = SeededBody(seed: 22, byteCount: body.byteCount)
    let (world, _, row) = try await interruptedDownload { _ in
      FTPBehavior(other).with { $0.modified = "213 20250102030405" }
    }
    world.expectFile(of: row, is: other)
  }

  @Test func `another size is another version`() async throws {
    let other = SeededBody(seed: 21, byteCount: body.byteCount + 1)
    let (world, _, row) = try await interruptedDownload { _ in FTPBehavior(other) }
    world.expectFile(of: row, is: other)
  }

  /// The bytes decide.
  @Test func `other bytes with the same size and time are another version`() async throws {
    let other = SeededBody(seed: 23, byteCount: body.byteCount)
    let (world, _, row) = try await interruptedDownload { _ in FTPBehavior(other) }
    world.expectFile(of: row, is: other)
  }

  @Test func `a shorter file is another version`() async throws {
    let other = SeededBody(seed: 24, byteCount: 1000)
    let (world, _, row) = try await interruptedDownload { _ in FTPBehavior(other) }
    world.expectFile(of: row, is: other)
  }

  @Test func `a file that is gone keeps the bytes and needs a link`() async throws {
    let world = try await WireWorld()
    let whole = FTPBehavior(body)
    let server = try ScriptedFTPServer(whole)
    let id = try await world.add(try server.url) { $0.limitBytesPerSecond = 1 << 20 }
    try await world.wait("some bytes", for: id) { $0.bytesReceived >= 1 << 20 }
    await world.pause(id)
    let held = try #require(world.row(of: id)).bytesReceived
    server.serve(whole.with { $0.refusal = "550 no such file" })
    await world.start(id)
    let row = try await world.end(of: id)
    #expect(row.reason == .needsLink)
    #expect(row.error?.code == .linkExpired)
    #expect(row.error?.detail == "550 no such file")
    #expect(row.bytesReceived >= held)
    #expect(server.commands("RETR").count > 2)
    #expect(world.home.finalNames == [])
  }

  @Test func `a wrong login waits for another one, which is used`() async throws {
    let world = try await WireWorld()
    let server = try ScriptedFTPServer(FTPBehavior(body).with { $0.password = "right" })
    let id = try await world.add(try server.url) {
      $0.login = Login(user: "ann", password: "wrong")
    }
    let row = try await world.end(of: id)
    #expect(row.reason == .needsLogin)
    #expect(row.error?.detail == "530 no entry; it rejected the login of \"ann\"")
    #expect(server.commands("PASS").count == 1)
    _ = await world.engine.start(
      id, with: try server.url, login: Login(user: "ann", password: "right"))
    world.expectFile(of: try await world.end(of: id), is: body)
  }

  /// Fault: an FTP server with a place for one.
  @Test func `a full server is tried until it has a place`() async throws {
    let world = try await WireWorld { $0.retryPolicy.retryCountMax = 1 }
    let server = try ScriptedFTPServer(
      FTPBehavior(body).with { $0.greeting = "421 too many connections" })
    let id = try await world.add(try server.url)
    try await world.wait("some tries", for: id) { row in
      row.state == .waiting && row.error?.detail == "421 too many connections"
    }
    server.serve(FTPBehavior(body))
    world.expectFile(of: try await world.end(of: id), is: body)
  }

  @Test func `a file on a web server is continued from an FTP server`() async throws {
    let world = try await WireWorld()
    let path = "/file.bin"
    let id = try await world.begin(OriginBehavior(body), at: path, byteCount: 2_000_000)
    await world.pause(id)
    let server = try ScriptedFTPServer(FTPBehavior(body))
    _ = await world.engine.start(id, with: try server.url)
    world.expectFile(of: try await world.end(of: id), is: body)
    #expect(!server.commands("REST").isEmpty)
  }
}
