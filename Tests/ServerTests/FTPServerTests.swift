import Foundation
import Testing
import TestSupport

/// Downloads from vsftpd.
@Suite(
  .serialized, .timeLimit(.minutes(5)), .enabled(if: geteuid() == 0, "vsftpd needs root"))
struct FTPServerTests {
  private let body = SeededBody(seed: 31, byteCount: 30_000_000)

  private func expectFile(_ home: ServerHome, is body: SeededBody) async throws {
    try await home.finish { body.difference(fromFileAt: $0) == nil }
  }

  @Test func `a file comes`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, home: home)
    let outcome = try await home.kettle("get", server.url)
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(body.difference(fromFileAt: home.downloads + "/file.bin") == nil)
  }

  @Test func `a file comes over TLS`() async throws {
    let home = try ServerHome()
    let authority = try TestAuthority()
    let server = try await VsftpdServer(
      body, .init(encryption: .implicit(authority.identity())), home: home)
    let outcome = try await home.kettle(
      "get", "--ca-certificate", authority.certificatePath, server.url)
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(body.difference(fromFileAt: home.downloads + "/file.bin") == nil)
    // Nobody vouches for it otherwise.
    try await home.add([server.url])
    _ = try await home.kettle("wait", "--all", "--timeout", "20")
    #expect(try await home.counts() == ["completed": 1, "waiting: needsDecision": 1])
  }

  // Fault 148
  @Test func `a server that demands TLS on the plain port gets it, and sends the file`()
    async throws
  {
    let authority = try TestAuthority()
    // The server reads its certificate for each connection.
    defer { withExtendedLifetime(authority) {} }
    let home = try ServerHome(authority: authority.certificatePath)
    let server = try await VsftpdServer(
      body, .init(encryption: .demanded(authority.identity())), home: home)
    try await home.begin(server.url, byteCount: 9_000_000)
    try await home.killService()
    try await expectFile(home, is: body)
    // The server takes neither a login nor a file in the clear, and PROT only after AUTH.
    #expect(try server.commands("PROT P").count == 2)
    #expect(try server.commands("RETR ").count == 2)
  }

  @Test func `a server whose TLS nobody vouches for is asked about`() async throws {
    let authority = try TestAuthority()
    defer { withExtendedLifetime(authority) {} }
    let home = try ServerHome()
    let server = try await VsftpdServer(
      body, .init(encryption: .demanded(authority.identity())), home: home)
    try await home.add([server.url])
    _ = try await home.kettle("wait", "--all", "--timeout", "20")
    #expect(try await home.counts() == ["waiting: needsDecision": 1])
    #expect(try server.commands("PASS").isEmpty)
  }

  @Test func `a service that is killed continues where it was`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, home: home)
    try await home.begin(server.url, byteCount: 9_000_000)
    try await home.killService()
    try await expectFile(home, is: body)
    #expect(try !server.commands("REST ").isEmpty)
    #expect(try server.commands("RETR ").count == 2)
  }

  @Test func `a server that is stopped and started loses nothing`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, home: home)
    try await home.begin(server.url, byteCount: 9_000_000)
    await server.stop()
    try await server.start(.init())
    try await expectFile(home, is: body)
  }

  @Test func `a file that changed while it was paused is fetched again`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, home: home)
    try await home.begin(server.url, byteCount: 9_000_000)
    try await home.kettle("pause", "1")
    let other = SeededBody(seed: 32, byteCount: body.byteCount)
    try Data(other.bytes).write(to: URL(filePath: server.path))
    try await home.kettle("start", "1")
    try await expectFile(home, is: other)
  }

  @Test func `a rejected login waits for another one`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, home: home)
    let login = server.url.replacing("ftp://", with: "ftp://ann:wrong@")
    try await home.add([login])
    _ = try await home.kettle("wait", "--all", "--timeout", "20")
    let row = try #require(try await home.rows().first)
    #expect(row.reason == "needsLogin")
    #expect(row.error?.contains("(530 ") == true, "\(row)")
    let outcome = try await home.kettle("start", "1", "--url", server.url)
    #expect(outcome.code == 0, "\(outcome.text)")
  }

  @Test func `a server without passive ports is tried again`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, .init(isPassive: false), home: home)
    try await home.add([server.url])
    _ = try await home.kettle("wait", "--all", "--timeout", "2")
    let row = try #require(try await home.rows().first)
    #expect(row.state == "waiting")
    #expect(row.error?.contains("opened no connection for the file") == true, "\(row)")
    await server.stop()
    try await server.start(.init())
    try await expectFile(home, is: body)
  }

  @Test func `a file that does not fit waits for space`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, home: home)
    let disk = try await home.smallDisk(megabytes: 12)
    try await home.add([server.url], "-d", disk)
    _ = try await home.kettle("wait", "--all", "--timeout", "5")
    #expect(try await home.counts() == ["waiting: diskSpace": 1])
    try await home.growDisk(disk, megabytes: 64)
    let outcome = try await home.kettle("wait", "--all", "--timeout", "60")
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(body.difference(fromFileAt: disk + "/file.bin") == nil)
  }

  @Test func `a missing file is named in the words of the server`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, home: home)
    let outcome = try await home.kettle("get", server.url.replacing("file", with: "none"))
    #expect(outcome.code == 1)
    #expect(outcome.text.contains("with 550 "), "\(outcome.text)")
  }

  @Test func `a server with two places serves ten files`() async throws {
    let home = try ServerHome()
    let small = SeededBody(seed: 33, byteCount: 200_000)
    let server = try await VsftpdServer(small, .init(connectionsMax: 2), home: home)
    try await home.add(Array(repeating: server.url, count: 10))
    let outcome = try await home.kettle("wait", "--all", "--timeout", "120")
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(try await home.counts() == ["completed": 10])
  }
}
