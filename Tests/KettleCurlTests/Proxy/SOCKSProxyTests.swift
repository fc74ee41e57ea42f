import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleCurl

/// Exchanges through a SOCKS5 proxy.
struct SOCKSProxyTests {
  let origin: ScriptedOrigin
  let body = SeededBody(seed: 6, byteCount: 200_000)
  let login = Login(user: "me", password: "secret")

  init() throws {
    origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(body), at: "/file")
  }

  private func fetch(
    _ proxy: StubProxy, _ scheme: String = "socks5h", _ userinfo: String = "",
    host: String = "server.invalid", connectMilliseconds: Int64 = 20_000
  ) async throws -> TransportProbe.Fetched {
    let rules = ProxyRules(environment: [
      "ALL_PROXY": "\(scheme)://\(userinfo)127.0.0.1:\(proxy.port)"
    ])
    let url = try TransferURL.parse("http://\(host):\(origin.port)/file").get().url
    return try await TransportProbe(proxies: rules).fetch(url) {
      $0.timeouts.connectMilliseconds = connectMilliseconds
    }
  }

  private func expectProxyFailed(
    _ end: AttemptEnd, _ detail: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      end
        == .failed(
          TransferFailure(.proxyFailed, on: "server.invalid:\(origin.port)", detail: detail)),
      sourceLocation: sourceLocation)
  }

  @Test func `the proxy resolves the name if configured so`() async throws {
    let proxy = try StubProxy(.socks5)
    let fetched = try await fetch(proxy)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
    #expect(proxy.seen.map(\.target) == ["server.invalid:\(origin.port)"])
  }

  @Test func `the name is resolved locally if the proxy is not configured to`() async throws {
    let proxy = try StubProxy(.socks5)
    #expect(try await fetch(proxy, "socks5", host: "localhost").end == .complete)
    #expect(proxy.seen.map(\.target) == ["127.0.0.1:\(origin.port)"])
    #expect(try await fetch(proxy, "socks5").end.failure?.code == .hostNotFound)
  }

  // Fault 55
  @Test func `a login goes to the proxy and not to the server`() async throws {
    let proxy = try StubProxy(.socks5, login: login)
    let fetched = try await fetch(proxy, "socks5h", "me:secret@")
    #expect(fetched.end == .complete)
    #expect(proxy.seen.map(\.login) == [login])
    #expect(
      origin.requests.flatMap(\.headers).map(\.name)
        == ["Host", "User-Agent", "Accept", "Accept-Encoding"])
  }

  // Fault 52
  @Test func `a refused login is the proxy's refusal`() async throws {
    let proxy = try StubProxy(.socks5, login: login)
    let name = "127.0.0.1:\(proxy.port)"
    for (userinfo, detail) in [
      ("me:wrong@", "rejected the login"), ("", "requires a different kind of login"),
    ] {
      #expect(
        try await fetch(proxy, "socks5h", userinfo).end
          == .failed(TransferFailure(.proxyLoginNeeded, on: name, detail: detail)))
    }
    #expect(origin.connectionCount == 0)
  }

  // Fault 55
  @Test(arguments: [
    (1, "cannot reach the server"), (2, "does not allow it"), (3, "cannot reach the server"),
    (4, "cannot reach the server"), (5, "was refused by the server"),
  ])
  func `a proxy reports why it does not connect`(code: Int, detail: String) async throws {
    let proxy = try StubProxy(.socks5, answer: .socksReply(UInt8(code)))
    expectProxyFailed(try await fetch(proxy).end, "127.0.0.1:\(proxy.port) \(detail)")
  }

  // Fault 55
  @Test func `an invalid proxy address fails as the proxy`() async throws {
    let closing = try StubProxy(.socks5, answer: .close)
    #expect(try await fetch(closing).end.failure?.code == .proxyFailed)
    let other = try StubProxy(.http, answer: .close)
    #expect(
      try await fetch(other, connectMilliseconds: 300).end.failure?.isOfTheProxy == true)
    closing.stop()
    let name = "127.0.0.1:\(closing.port)"
    #expect(
      try await fetch(closing).end
        == .failed(TransferFailure(.proxyUnreachable, on: name, detail: "Connection refused")))
  }
}
