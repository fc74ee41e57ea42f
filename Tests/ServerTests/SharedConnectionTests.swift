import Foundation
import Testing
import TestSupport

/// Many small files over HTTP/2, and everything else over HTTP/1.1.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedConnectionTests {
  private static let http2 = "HTTP/2.0"
  private let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  private func home(_ configuration: String = "") throws -> ServerHome {
    try ServerHome(configuration: configuration, authority: authority.certificatePath)
  }

  private func server(
    in home: ServerHome, _ change: (inout NginxServer.Options) -> Void = { _ in }
  ) async throws -> NginxServer {
    var options = NginxServer.Options(byteCount: 20_000)
    options.identity = try authority.identity()
    options.hasHTTP2 = true
    change(&options)
    return try await NginxServer(options, home: home)
  }

  private func expectFiles(_ count: Int, of nginx: NginxServer, in home: ServerHome) async throws {
    let outcome = try await home.kettle("wait", "--all", "--timeout", "60")
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(try await home.counts() == ["completed": count])
    for number in 0..<count {
      #expect(nginx.body.difference(fromFileAt: home.downloads + "/\(number).bin") == nil)
    }
  }

  @Test func `many small files share a connection beside those of HTTP 1`() async throws {
    let home = try home()
    let nginx = try await server(in: home)
    try await home.add(nginx.urls(count: 300))
    try await expectFiles(300, of: nginx, in: home)
    let requests = try nginx.requests()
    let shared = requests.filter { $0.version == Self.http2 }
    #expect(requests.count == 300)
    #expect(Set(requests.map(\.status)) == ["200"])
    #expect(shared.count > 50)
    #expect(Set(shared.map(\.connection)).count == 1)
  }

  @Test func `a server that closes connections loses nothing`() async throws {
    let home = try home()
    let nginx = try await server(in: home) { $0.requestsPerConnectionMax = 10 }
    try await home.add(nginx.urls(count: 300))
    try await expectFiles(300, of: nginx, in: home)
    let shared = try nginx.requests().filter { $0.version == Self.http2 }
    #expect(shared.count > 20)
    #expect(Set(shared.map(\.connection)).count > 2)
  }

  @Test func `a server with HTTP 1 only is used as before`() async throws {
    let home = try home()
    let nginx = try await server(in: home) { $0.hasHTTP2 = false }
    try await home.add(nginx.urls(count: 100))
    try await expectFiles(100, of: nginx, in: home)
    #expect(try nginx.requests().allSatisfy { $0.version == "HTTP/1.1" })
  }

  @Test func `the configuration keeps to HTTP 1`() async throws {
    let home = try home("[network]\nhttp2 = false\n")
    let nginx = try await server(in: home)
    try await home.add(nginx.urls(count: 100))
    try await expectFiles(100, of: nginx, in: home)
    #expect(try nginx.requests().allSatisfy { $0.version == "HTTP/1.1" })
  }

  @Test func `large files use HTTP 1`() async throws {
    let home = try home()
    let nginx = try await server(in: home) { $0.byteCount = 3_000_000 }
    try await home.add(nginx.urls(count: 40))
    try await expectFiles(40, of: nginx, in: home)
    let shared = try nginx.requests().filter { $0.version == Self.http2 }
    // The one that asked for HTTP/2 went on without it.
    #expect(shared.count <= 1)
  }

  @Test func `a service that is killed among streams continues`() async throws {
    let home = try home()
    let nginx = try await server(in: home)
    try await home.add(nginx.urls(count: 600))
    _ = try await nginx.statuses.wait(for: "200")
    try await home.killService()
    try await expectFiles(600, of: nginx, in: home)
  }

  @Test func `a server that is stopped among streams loses nothing`() async throws {
    let home = try home()
    let nginx = try await server(in: home) { $0.bytesPerSecond = 20_000 }
    try await home.add(nginx.urls(count: 200))
    _ = try await nginx.statuses.wait(for: "200")
    await nginx.stop()
    try await nginx.start()
    try await expectFiles(200, of: nginx, in: home)
  }

  /// libcurl would buffer the windows of streams.
  @Test func `a limit keeps everything on HTTP 1`() async throws {
    let home = try home()
    let nginx = try await server(in: home)
    try await home.add(nginx.urls(count: 60), "--limit", "1M")
    try await expectFiles(60, of: nginx, in: home)
    #expect(try nginx.requests().allSatisfy { $0.version == "HTTP/1.1" })
  }
}
