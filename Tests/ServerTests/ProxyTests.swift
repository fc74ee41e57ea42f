import Foundation
import Testing
import TestSupport

/// Downloads through real proxies.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ProxyTests {
  private static func configuration(_ proxy: String, more: String = "") -> String {
    "[proxy]\nurl = \"\(proxy)\"\n\(more)"
  }

  private func configure(_ home: ServerHome, _ text: String) throws {
    try text.write(
      toFile: home.path + "/.config/kettle/config.toml", atomically: false, encoding: .utf8)
  }

  @Test func `a wrong proxy password is tried once for ten files`() async throws {
    let home = try ServerHome()
    let nginx = try await NginxServer(home: home)
    let squid = try await SquidProxy(login: ("ann", "right"), home: home)
    try configure(
      home,
      Self.configuration(
        "http://ann:wrong@127.0.0.1:\(squid.port)", more: "[limits]\ntransfers = 1\n"))
    try await home.add(nginx.urls(count: 10))
    _ = try await squid.requests.wait(for: "407 ann")
    try await home.letWork(seconds: 10)
    let tries = try await squid.requests.wait(for: "407 ann").filter { $0 == "407 ann" }
    #expect(tries.count == 1)
    let counts = try await home.counts()
    #expect(counts["waiting: proxy", default: 0] >= 1, "\(counts)")
    #expect(counts["waiting: proxy", default: 0] + counts["queued", default: 0] == 10, "\(counts)")
  }

  @Test func `the right proxy password brings the file`() async throws {
    let home = try ServerHome()
    let nginx = try await NginxServer(home: home)
    let squid = try await SquidProxy(login: ("ann", "right"), home: home)
    try configure(home, Self.configuration("http://ann:right@127.0.0.1:\(squid.port)"))
    try await expectFile(nginx, in: home)
    _ = try await squid.requests.wait(for: "200 ann")
  }

  @Test func `a file comes through a tunnel of squid`() async throws {
    let home = try ServerHome()
    let authority = try TestAuthority()
    let nginx = try await NginxServer(.init(identity: authority.identity()), home: home)
    let squid = try await SquidProxy(home: home)
    try configure(home, Self.configuration("http://127.0.0.1:\(squid.port)"))
    try await expectFile(nginx, in: home, "--ca-certificate", authority.certificatePath)
    _ = try await squid.requests.wait(for: "200 -")
  }

  @Test(arguments: ["socks5", "socks5h"])
  func `a file comes through dante`(scheme: String) async throws {
    let home = try ServerHome()
    let nginx = try await NginxServer(home: home)
    let dante = try await DanteProxy(home: home)
    try configure(home, Self.configuration("\(scheme)://127.0.0.1:\(dante.port)"))
    try await expectFile(nginx, in: home)
  }

  private func expectFile(
    _ nginx: NginxServer, in home: ServerHome, _ options: String...
  ) async throws {
    let words = [ServerHome.program, "get"] + options + [nginx.origin + "/file/a.bin"]
    let outcome = try await home.run(words)
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(nginx.body.difference(fromFileAt: home.downloads + "/a.bin") == nil)
  }
}
