import Foundation
import Testing
import TestSupport

/// Options of single downloads, with real servers and proxies.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DownloadOptionTests {
  /// Gets a file with these options, in the environment of a shell with these assignments.
  private func get(
    _ nginx: NginxServer, in home: ServerHome, with environment: [String] = [],
    _ options: String...
  ) async throws -> ServerHome.Outcome {
    let url = nginx.origin + "/file/a.bin"
    return try await home.run(
      ["env"] + environment + [ServerHome.program, "get"] + options + [url])
  }

  private func expectFile(
    _ outcome: ServerHome.Outcome, of nginx: NginxServer, in home: ServerHome
  ) {
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(nginx.body.difference(fromFileAt: home.downloads + "/a.bin") == nil)
  }

  @Test func `--proxy leads through squid`() async throws {
    let home = try ServerHome()
    let nginx = try await NginxServer(home: home)
    let squid = try await SquidProxy(home: home)
    let outcome = try await get(nginx, in: home, "--proxy", "http://127.0.0.1:\(squid.port)")
    expectFile(outcome, of: nginx, in: home)
    _ = try await squid.requests.wait(for: "200 -")
  }

  @Test func `--proxy leads through dante`() async throws {
    let home = try ServerHome()
    let nginx = try await NginxServer(home: home)
    let dante = try await DanteProxy(home: home)
    let outcome = try await get(nginx, in: home, "--proxy", "socks5h://127.0.0.1:\(dante.port)")
    expectFile(outcome, of: nginx, in: home)
  }

  @Test func `the environment of the command decides, and --proxy none wins over it`() async throws
  {
    let home = try ServerHome()
    let nginx = try await NginxServer(home: home)
    let squid = try await SquidProxy(home: home)
    // The service has no proxy in its environment.
    _ = try await home.kettle("list")
    let proxied = try await get(
      nginx, in: home, with: ["http_proxy=http://127.0.0.1:\(squid.port)"])
    expectFile(proxied, of: nginx, in: home)
    _ = try await squid.requests.wait(for: "200 -")
    let direct = try await get(
      nginx, in: home, with: ["http_proxy=http://127.0.0.1:9"], "--again", "--proxy", "none",
      "-o", "b.bin")
    #expect(direct.code == 0, "\(direct.text)")
    let broken = try await get(
      nginx, in: home, with: ["http_proxy=http://127.0.0.1:9"], "--again", "--tries", "1", "-o",
      "c.bin")
    #expect(broken.code == 1)
    #expect(broken.text.contains("127.0.0.1:9"), "\(broken.text)")
  }

  @Test func `a client certificate opens the server`() async throws {
    let home = try ServerHome()
    let authority = try TestAuthority()
    var options = NginxServer.Options(identity: try authority.identity())
    options.clientAuthorityPath = authority.certificatePath
    let nginx = try await NginxServer(options, home: home)
    let client = try authority.identity(.forClients)
    let without = try await get(
      nginx, in: home, "--ca-certificate", authority.certificatePath, "--tries", "1")
    #expect(without.code == 1)
    let with = try await get(
      nginx, in: home, "--again", "--ca-certificate", authority.certificatePath, "--cert",
      client.certificatePath, "--key", client.keyPath)
    expectFile(with, of: nginx, in: home)
  }

  @Test func `a file comes from its mirrors, beside a slow and a lying one`() async throws {
    let home = try ServerHome()
    func server(_ bytesPerSecond: Int, seed: UInt64 = 1) async throws -> NginxServer {
      var options = NginxServer.Options(byteCount: 24_000_000, bytesPerSecond: bytesPerSecond)
      options.requestsMax = 1
      options.seed = seed
      return try await NginxServer(options, home: home)
    }
    let first = try await server(3_000_000)
    let others = [
      try await server(100_000), try await server(3_000_000, seed: 2), try await server(3_000_000),
    ]
    let words = others.flatMap { ["--mirror", $0.origin + "/file/a.bin"] }
    let outcome = try await home.run(
      [ServerHome.program, "get", "--json"] + words + [first.origin + "/file/a.bin"])
    expectFile(outcome, of: first, in: home)
    // The other good one has served parts. What the first has, its first response may have brought.
    _ = try await others[2].statuses.wait(for: "206")
  }
}
