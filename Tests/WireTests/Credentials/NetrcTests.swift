import FoundationEssentials
import Glibc
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleDaemon

/// Logins from a file in the format of netrc(5).
final class NetrcTests {
  private let body = SeededBody(seed: 71, byteCount: 100_000)
  private let login = Login(user: "anna", password: "secret")
  private let path = "/tmp/kettle-netrc-\(UInt64.random(in: .min ... .max))"

  init() throws {
    let text = "machine 127.0.0.1 login anna password secret\n"
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    try #require(isMade)
  }

  deinit { unlink(path) }

  private func world(usesNetrc: Bool = true) async throws -> WireWorld {
    try await WireWorld { [path] in
      $0.readHeaders = HostHeadersFile.read
      $0.netrcPath = path
      $0.usesNetrc = usesNetrc
    }
  }

  private var guarded: OriginBehavior { OriginBehavior(body).with { $0.login = login } }

  @Test func `the file supplies the login of its host`() async throws {
    let world = try await world()
    world.origin.serve(guarded, at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    world.expectFile(of: row, is: body)
  }

  @Test func `it is not read where the user or the configuration says so`() async throws {
    for (configured, chosen) in [(true, false), (false, nil)] as [(Bool, Bool?)] {
      let world = try await world(usesNetrc: configured)
      world.origin.serve(guarded, at: WireWorld.path)
      let row = try await world.download(WireWorld.path) { $0.options.usesNetrc = chosen }
      #expect(row.reason == .needsLogin)
      #expect(world.origin.requests.allSatisfy { $0.value(of: "Authorization") == nil })
    }
  }

  // Fault 149
  @Test func `what is no regular file is not read, and a login that is missing says so`()
    async throws
  {
    unlink(path)
    try #require(mkfifo(path, 0o600) == 0)
    let world = try await world()
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    world.expectFile(of: try await world.download(WireWorld.path), is: body)
    world.origin.serve(guarded, at: "/guarded")
    let row = try await world.download("/guarded")
    #expect(row.reason == .needsLogin)
    #expect(
      row.error?.detail == "401; the logins in \(path) were not read: it is not a regular file")
  }

  @Test func `a login of the request and a header precede it`() async throws {
    let world = try await world()
    world.origin.serve(guarded, at: WireWorld.path)
    let own = try await world.download(WireWorld.path) {
      $0.login = Login(user: "other", password: "wrong")
    }
    #expect(own.reason == .needsLogin)
    let header = HeaderField(received: "Authorization", "Bearer token")
    _ = try await world.download(WireWorld.path) { $0.headers = [header] }
    #expect(world.origin.requests.last?.value(of: "Authorization") == "Bearer token")
  }

  @Test func `headers for the host precede it only with a login of their own`() async throws {
    let headers = path + "-headers"
    defer { unlink(headers) }
    for (text, expected) in [("Authorization: Bearer t\n", "Bearer t"), ("X-Token: abc\n", nil)] {
      let isMade = FileManager.default.createFile(
        atPath: headers, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
      try #require(isMade)
      let world = try await world()
      var settings = HostSettings()
      settings.headerPaths[try world.origin.url("/").origin] = headers
      await world.engine.setHosts(settings)
      world.origin.serve(guarded, at: WireWorld.path)
      let row = try await world.download(WireWorld.path)
      let sent = world.origin.requests.compactMap { $0.value(of: "Authorization") }
      if let expected {
        #expect(!sent.isEmpty && sent.allSatisfy { $0 == expected })
        #expect(row.state != .completed)
      } else {
        #expect(sent.contains { $0.hasPrefix("Basic ") })
        world.expectFile(of: row, is: body)
      }
    }
  }

  @Test func `a host in the settings may have none of it`() async throws {
    for (configured, ofHost) in [(true, false), (false, true)] {
      let world = try await world(usesNetrc: configured)
      var settings = HostSettings()
      settings.usesNetrc[name: try world.origin.url("/").origin.host] = ofHost
      await world.engine.setHosts(settings)
      world.origin.serve(guarded, at: WireWorld.path)
      let row = try await world.download(WireWorld.path)
      #expect((row.state == .completed) == ofHost)
      #expect(world.origin.requests.contains { $0.value(of: "Authorization") != nil } == ofHost)
      // What is chosen for one transfer counts before it.
      let chosen = try await world.download(WireWorld.path) { $0.options.usesNetrc = !ofHost }
      #expect((chosen.state == .completed) == !ofHost)
    }
  }

  @Test func `no other host gets the login through a redirect`() async throws {
    let world = try await world()
    let other = try ScriptedOrigin(lastByte: 2)
    other.serve(guarded, at: "/target")
    world.origin.serve(.redirect(to: try other.url("/target").text), at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.reason == .needsLogin)
    #expect(!other.requests.isEmpty)
    #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
  }

  @Test func `an FTP server gets it too`() async throws {
    let world = try await world()
    let server = try ScriptedFTPServer(FTPBehavior(body).with { $0.password = login.password })
    let row = try await world.end(of: world.add(try server.url))
    world.expectFile(of: row, is: body)
    #expect(server.commands("USER") == ["USER anna"])
  }

  @Test func `a program's task does not get it`() async throws {
    let world = try await world()
    world.origin.serve(guarded, at: WireWorld.path)
    let id = try await world.add(WireWorld.path) {
      $0.session = SessionID(rawValue: "books")
      $0.task = TaskOptions(kind: .download)
    }
    try await world.wait("the challenge", for: id) { $0.reason == .needsLogin }
    #expect(world.origin.requests.allSatisfy { $0.value(of: "Authorization") == nil })
  }
}
