import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleCurl

/// https through a proxy, by CONNECT.
@Suite(.enabled(if: TLSServer.isThere))
struct TunnelTests {
  let login = Login(user: "me", password: "secret")

  private func rules(_ proxy: StubProxy, _ userinfo: String = "") -> ProxyRules {
    ProxyRules(environment: ["https_proxy": "http://\(userinfo)127.0.0.1:\(proxy.port)"])
  }

  /// Requests a server that need not exist, because the proxy fails first.
  private func end(
    _ proxy: StubProxy, _ userinfo: String = "", connectMilliseconds: Int64 = 20_000
  ) async throws -> AttemptEnd {
    let url = try TransferURL.parse("https://server.invalid/file").get().url
    return try await TransportProbe(proxies: rules(proxy, userinfo)).fetch(url) {
      $0.timeouts.connectMilliseconds = connectMilliseconds
    }.end
  }

  private func expectProxyFailed(
    _ end: AttemptEnd, _ detail: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      end == .failed(TransferFailure(.proxyFailed, on: "server.invalid", detail: detail)),
      sourceLocation: sourceLocation)
  }

  // Fault 55
  @Test func `a file is fetched through a tunnel, and each login goes to its own server`()
    async throws
  {
    let proxy = try StubProxy(.http, login: login)
    let server = try TLSServer(.written)
    let url = try TransferURL.parse("https://127.0.0.1:\(server.port)/file").get().url
    let probe = try TransportProbe(proxies: rules(proxy, "me:secret@"))
    let id = probe.begin(url) {
      $0.caCertificatePath = server.certificatePath
      $0.headers = [HeaderField(name: "Authorization", value: "Bearer origin")].compactMap { $0 }
    }
    let request = try server.waitForRequest()
    #expect(request.contains("Authorization: Bearer origin"))
    #expect(!request.contains("Proxy-Authorization"))
    try server.write("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello")
    _ = try await probe.head(of: id)
    probe.transport.accept(id, into: RecordingSink())
    #expect(try await probe.end(of: id) == .complete)
    let heads = proxy.seen.map(\.head)
    #expect(heads.count == 2)
    #expect(heads.last?.contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n") == true)
    #expect(!heads.contains { $0.contains("Bearer origin") })
  }

  // Fault 55
  @Test func `a refused tunnel names the proxy that refused it`() async throws {
    let proxy = try StubProxy(
      .http, answer: .raw("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"))
    expectProxyFailed(try await end(proxy), "127.0.0.1:\(proxy.port) responded with 502")
  }

  // Fault 52
  @Test func `a tunnel without a login is refused`() async throws {
    let proxy = try StubProxy(.http, login: login)
    let name = "127.0.0.1:\(proxy.port)"
    #expect(
      try await end(proxy) == .failed(TransferFailure(.proxyLoginNeeded, on: name)))
    #expect(
      try await end(proxy, "me:wrong@")
        == .failed(TransferFailure(.proxyLoginNeeded, on: name, detail: "rejected the login")))
    #expect(proxy.seen.count == 3)
  }

  // Fault 55
  @Test(arguments: [
    "HTTP/1.1 502 No\r\nContent-Length: 100\r\n\r\nabc",
    "HTTP/1.1 502 No\r\nContent-Length: -5\r\n\r\nabc",
    "HTTP/1.1 502 No\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
    "HTTP/1.1 502 No\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc",
    "HTTP/1.1 502 No\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
  ])
  func `a refusal with a wrong length is still a refusal`(answer: String) async throws {
    let proxy = try StubProxy(.http, answer: .raw(answer))
    let failure = try await end(proxy).failure
    #expect(failure?.code == .proxyFailed)
  }

  // Fault 55
  @Test(arguments: ["Content-Length: 5", "Content-Length: 99999", "Transfer-Encoding: chunked"])
  func `a Content-Length in a CONNECT response is ignored`(header: String) async throws {
    // RFC 9110, section 9.3.6: the tunnel follows, and this is not TLS.
    let proxy = try StubProxy(.http, answer: .raw("HTTP/1.1 200 Yes\r\n\(header)\r\n\r\nhello"))
    let fetched = try await end(proxy)
    #expect([.tlsRefused, .connectionLost].contains(fetched.failure?.code))
  }

  // Fault 55
  @Test func `a server that is not a proxy fails as the proxy`() async throws {
    for answer in [StubProxy.Answer.close, .raw("SSH-2.0-OpenSSH_9.2\r\n")] {
      let proxy = try StubProxy(.http, answer: answer)
      #expect(try await end(proxy).failure?.code == .proxyFailed)
    }
  }

  // Fault 55
  @Test(arguments: [
    ("", TransferFailure.Code.proxyUnreachable),
    ("HTTP/1.1 200 Yes\r\nX-A: 1", .proxyUnreachable),
    ("HTTP/1.1 502 No\r\nContent-Length: 9\r\n\r\n", .proxyFailed),
  ])
  func `a proxy that falls silent fails as the proxy`(
    answer: String, code: TransferFailure.Code
  ) async throws {
    let proxy = try StubProxy(.http, answer: .rawAndSilence(answer))
    #expect(try await end(proxy, connectMilliseconds: 300).failure?.code == code)
  }

  // Fault 57
  @Test func `a proxy that sends endless headers fails as the proxy`() async throws {
    let line = "X-A: " + String(repeating: "a", count: 2_000_000) + "\r\n"
    let proxy = try StubProxy(.http, answer: .rawAndSilence("HTTP/1.1 200 Yes\r\n" + line))
    #expect(
      try await end(proxy, connectMilliseconds: 3000).failure?.isOfTheProxy == true)
  }

  // Fault 55
  @Test func `an untrusted https proxy gets no login`() async throws {
    let server = try TLSServer(.written, connectionCount: 2)
    let rules = ProxyRules(environment: ["all_proxy": "https://me:secret@127.0.0.1:\(server.port)"])
    for text in ["https://server.invalid/", "http://server.invalid/"] {
      let url = try TransferURL.parse(text).get().url
      let failure = try await TransportProbe(proxies: rules).fetch(url).end.failure
      #expect(failure?.code == .proxyFailed)
    }
  }
}
