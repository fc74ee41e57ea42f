import Foundation
import Testing
import TestSupport

/// Downloads over SFTP from OpenSSH.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: geteuid() == 0, "The account is root's"))
struct FTPOverSSHTests {
  private let body = SeededBody(seed: 41, byteCount: 30_000_000)

  private func expectFile(_ home: ServerHome, is body: SeededBody) async throws {
    try await home.finish { body.difference(fromFileAt: $0) == nil }
  }

  @Test func `a file comes from a known host`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    let outcome = try await home.kettle("get", server.url)
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(body.difference(fromFileAt: home.downloads + "/file.bin") == nil)
  }

  @Test func `an unknown host waits until its key is accepted, which is remembered`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try await home.add([server.url])
    _ = try await home.kettle("wait", "--all", "--timeout", "20")
    #expect(try await home.counts() == ["waiting: needsDecision": 1])
    let why = try await home.kettle("why", "1").text
    #expect(why.contains(try await server.fingerprint()), "\(why)")
    try await home.kettle("accept", "1", "--remember")
    try await expectFile(home, is: body)
    let outcome = try await home.kettle("get", "-o", "again.bin", server.url)
    #expect(outcome.code == 0, "\(outcome.text)")
  }

  @Test func `another key than the known one is refused`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(try await SSHServer.makeKey(home.path + "/other", in: home))
    let outcome = try await home.kettle("get", server.url)
    #expect(outcome.code == 1, "\(outcome.text)")
    #expect(outcome.text.contains("is not the one in known_hosts"), "\(outcome.text)")
    let accepted = try await home.kettle("accept", "1")
    #expect(accepted.code != 0, "\(accepted.text)")
  }

  @Test func `a service that is killed continues where it was`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    try await home.begin(server.url, byteCount: 9_000_000)
    try await home.killService()
    try await expectFile(home, is: body)
  }

  @Test func `a file that changed while it was paused is fetched again`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    try await home.begin(server.url, byteCount: 9_000_000)
    try await home.kettle("pause", "1")
    let other = SeededBody(seed: 42, byteCount: body.byteCount)
    try Data(other.bytes).write(to: URL(filePath: server.path))
    try await home.kettle("start", "1")
    try await expectFile(home, is: other)
  }

  @Test func `a rejected login waits for another one`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    try await home.add([server.url(login: "absent:wrong@")])
    _ = try await home.kettle("wait", "--all", "--timeout", "20")
    let rows = try await home.rows()
    #expect(rows.map(\.reason) == ["needsLogin"], "\(rows)")
  }

  @Test func `a key in the ssh-agent opens the server`() async throws {
    let home = try ServerHome(variables: ["SSH_AUTH_SOCK": "HOME/agent"])
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    try await server.useAgent()
    let outcome = try await home.kettle("get", server.url)
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(body.difference(fromFileAt: home.downloads + "/file.bin") == nil)
  }

  @Test func `a key with a passphrase waits for a login, and names the agent`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    try await server.lockKey()
    try await home.add([server.url])
    _ = try await home.kettle("wait", "--all", "--timeout", "20")
    let rows = try await home.rows()
    #expect(rows.map(\.reason) == ["needsLogin"], "\(rows)")
    #expect(rows.first?.error?.contains("ssh-agent") == true, "\(rows)")
  }

  @Test func `a file that does not fit waits for space`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    let disk = try await home.smallDisk(megabytes: 12)
    try await home.add([server.url], "-d", disk)
    _ = try await home.kettle("wait", "--all", "--timeout", "5")
    #expect(try await home.counts() == ["waiting: diskSpace": 1])
    try await home.growDisk(disk, megabytes: 64)
    let outcome = try await home.kettle("wait", "--all", "--timeout", "60")
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(body.difference(fromFileAt: disk + "/file.bin") == nil)
  }

  @Test func `a missing file is named`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    let outcome = try await home.kettle("get", server.url + ".none")
    #expect(outcome.code == 1)
    #expect(outcome.text.contains("no such file"), "\(outcome.text)")
  }
}
