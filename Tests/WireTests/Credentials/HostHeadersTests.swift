import FoundationEssentials
import Glibc
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleDaemon

/// Headers for a host from a file of the user's.
final class HostHeadersTests {
  private let body = SeededBody(seed: 73, byteCount: 600_000)
  private let path = "/tmp/kettle-headers-\(UInt64.random(in: .min ... .max))"

  init() throws { try write("# secret\nX-Token: abc\nauthorization: Bearer t\n") }

  deinit { unlink(path) }

  private func write(_ text: String, mode: Int = 0o600) throws {
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
    try #require(isMade)
  }

  /// A world in which the file is for the origin.
  private func world() async throws -> WireWorld {
    let world = try await WireWorld { $0.readHeaders = HostHeadersFile.read }
    try await use(path, for: world.origin.url("/").origin, in: world)
    return world
  }

  private func use(_ path: String, for origin: Origin, in world: WireWorld) async throws {
    var settings = HostSettings()
    settings.headerPaths[origin] = path
    settings.userAgent[name: origin.host] = "Mine/1"
    await world.engine.setHosts(settings)
  }

  private func tokens(_ requests: [OriginRequest]) -> [String?] {
    requests.map { $0.value(of: "X-Token") }
  }

  @Test func `every request to the origin has the headers, and the store has none`() async throws {
    let world = try await world()
    let row = try await world.interruptedDownload(OriginBehavior(body)) { [body] _ in
      OriginBehavior(body)
    }
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests.count >= 2)
    #expect(tokens(world.origin.requests).allSatisfy { $0 == "abc" })
    #expect(world.origin.requests.allSatisfy { $0.value(of: "Authorization") == "Bearer t" })
    #expect(world.origin.requests.allSatisfy { $0.value(of: "User-Agent") == "Mine/1" })
    let record = try await world.record(of: row.id)
    #expect(record.spec.headers.isEmpty)
    #expect(!"\(record)".contains("abc"))
  }

  @Test func `another host gets nothing through a redirect, and the first one keeps it`()
    async throws
  {
    let world = try await world()
    let other = try ScriptedOrigin(lastByte: 2)
    other.serve(OriginBehavior(body), at: "/target")
    world.origin.serve(.redirect(to: try other.url("/target").text), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
    #expect(tokens(world.origin.requests) == ["abc"])
    #expect(tokens(other.requests) == [nil])
    #expect(other.requests.first?.value(of: "Authorization") == nil)
    #expect(other.requests.first?.value(of: "User-Agent") == "Kettle/wire")
  }

  @Test func `another port of the host gets nothing`() async throws {
    let world = try await world()
    let other = try ScriptedOrigin()
    other.serve(OriginBehavior(body), at: "/target")
    let row = try await world.end(of: world.add(try other.url("/target")))
    world.expectFile(of: row, is: body)
    #expect(tokens(other.requests) == [nil])
  }

  @Test func `headers and a login of the transfer come first`() async throws {
    let world = try await world()
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    _ = try await world.download(WireWorld.path) {
      $0.headers = [HeaderField(received: "x-token", "own")]
      $0.login = Login(user: "anna", password: "secret")
    }
    let request = try #require(world.origin.requests.last)
    #expect(request.value(of: "X-Token") == "own")
    #expect(request.value(of: "Authorization") != "Bearer t")
  }

  @Test func `cookies of the file follow those of the transfer, in one header`() async throws {
    let world = try await world()
    try write("Cookie: a=1\nX-Token: abc\ncookie: b=2; c=3\n")
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    _ = try await world.download(WireWorld.path) {
      $0.headers = [HeaderField(received: "Cookie", "own=0")]
    }
    _ = try await world.download(WireWorld.path)
    let cookies = world.origin.requests.map { $0.values(of: "Cookie") }
    #expect(Set(cookies) == [["own=0; a=1; b=2; c=3"], ["a=1; b=2; c=3"]])
    #expect(tokens(world.origin.requests).allSatisfy { $0 == "abc" })
  }

  @Test func `a program's task gets nothing`() async throws {
    let world = try await world()
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    let id = try await world.add(WireWorld.path) {
      $0.session = SessionID(rawValue: "books")
      $0.task = TaskOptions(kind: .download)
    }
    try await world.wait("the end", for: id) { $0.state == .completed }
    #expect(tokens(world.origin.requests) == [nil])
    #expect(world.origin.requests.first?.value(of: "User-Agent") == "Kettle/wire")
  }

  @Test(arguments: [
    ("X-Token: abc\n", 0o644, "others can read it; chmod 600 changes that"),
    ("X-Token: abc\nno header\n", 0o600, "line 2 is no header that can be sent"),
    ("Range: bytes=0-1\n", 0o600, "line 1 is no header that can be sent"),
    ("# nothing\n\n", 0o600, "it has no headers"),
  ])
  func `nothing is sent while the file cannot be used, and then it continues`(
    text: String, mode: Int, detail: String
  ) async throws {
    let world = try await world()
    try write(text, mode: mode)
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    let id = try await world.add(WireWorld.path)
    let row = try await world.end(of: id)
    #expect(row.error == TransferFailure(.headersFileUnusable, on: path, detail: detail))
    #expect(world.origin.requests.isEmpty)
    try write("X-Token: new\n")
    await world.start(id)
    try await world.wait("the end", for: id) { $0.state == .completed }
    #expect(tokens(world.origin.requests) == ["new"])
  }

  @Test func `a missing file, a directory and a value that is no path are refused`() async throws {
    let world = try await world()
    unlink(path)
    for (path, detail) in [
      (path, "No such file or directory"), ("/tmp", "it is not a file of this user"),
      ("", "its value in the configuration file is not a path"),
    ] {
      try await use(path, for: world.origin.url("/").origin, in: world)
      let row = try await world.download(WireWorld.path)
      #expect(row.error == TransferFailure(.headersFileUnusable, on: path, detail: detail))
    }
    #expect(world.origin.requests.isEmpty)
  }

  @Test func `a transfer that waits for the file can be stopped`() async throws {
    let gate = Gate()
    let world = try await WireWorld { configuration in
      configuration.readHeaders = { path in
        gate.pass()
        return HostHeadersFile.read(path)
      }
    }
    try await use(path, for: world.origin.url("/").origin, in: world)
    let id = try await world.add(WireWorld.path)
    try await world.wait("the start", for: id) { $0.state == .running }
    await world.pause(id)
    #expect(world.row(of: id)?.state == .paused)
    gate.open()
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    await world.start(id)
    try await world.wait("the end", for: id) { $0.state == .completed }
    #expect(tokens(world.origin.requests) == ["abc"])
  }
}
