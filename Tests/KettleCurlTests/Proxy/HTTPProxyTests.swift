import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Plain requests through a proxy that speaks HTTP.
struct HTTPProxyTests {
  let origin: ScriptedOrigin
  let body = SeededBody(seed: 4, byteCount: 200_000)
  let login = Login(user: "me", password: "pass:wörd")
  private let escaped = "me:pass%3Aw%C3%B6rd"

  init() throws {
    origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(body), at: "/file")
  }

  private func rules(_ proxy: StubProxy, _ userinfo: String = "") -> ProxyRules {
    ProxyRules(environment: ["http_proxy": "http://\(userinfo)127.0.0.1:\(proxy.port)"])
  }

  private func fetch(
    _ rules: ProxyRules, _ change: (inout AttemptRequest) -> Void = { _ in }
  ) async throws -> TransportProbe.Fetched {
    try await TransportProbe(proxies: rules).fetch(origin.url("/file"), change)
  }

  private func expectProxyFailed(
    _ end: AttemptEnd, _ detail: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      end
        == .failed(
          TransferFailure(.proxyFailed, on: "127.0.0.1:\(origin.port)", detail: detail)),
      sourceLocation: sourceLocation)
  }

  @Test func `a file is fetched through a proxy`() async throws {
    let proxy = try StubProxy(.http)
    let fetched = try await fetch(rules(proxy))
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
    #expect(proxy.seen.map(\.target) == ["127.0.0.1:\(origin.port)"])
  }

  // Fault 55
  @Test func `the login of a proxy goes only to the proxy`() async throws {
    let proxy = try StubProxy(.http, login: login)
    let fetched = try await fetch(rules(proxy, escaped + "@"))
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
    #expect(proxy.seen.last?.head.contains("Proxy-Authorization: Basic ") == true)
    #expect(origin.requests.count == 1)
    let sent = origin.requests.flatMap(\.headers).map { $0.name.lowercased() }
    #expect(!sent.contains { $0.contains("authorization") })
  }

  // Fault 55
  @Test func `a server that is reached directly never sees the proxy login`() async throws {
    let proxy = try StubProxy(.http, login: login)
    var rules = rules(proxy, escaped + "@")
    rules.exceptions = ProxyExceptions(["127.0.0.1"])
    #expect(try await fetch(rules).end == .complete)
    #expect(proxy.connectionCount == 0)
    #expect(
      origin.requests.flatMap(\.headers).map(\.name)
        == ["Host", "User-Agent", "Accept", "Accept-Encoding"])
  }

  // Fault 55
  @Test func `the login of one proxy never goes to another`() async throws {
    let first = try StubProxy(.http, login: login)
    let other = try StubProxy(.http, answer: .raw("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n"))
    var rules = rules(first, escaped + "@")
    rules.forHTTPS = .through(try #require(ProxyServer("http://127.0.0.1:\(other.port)")))
    let probe = try TransportProbe(proxies: rules)
    for _ in 1...2 {
      #expect(try await probe.fetch(origin.url("/file")).end == .complete)
      let secure = try TransferURL.parse("https://127.0.0.1:\(origin.port)/file").get().url
      #expect(try await probe.fetch(secure).end.failure?.code == .proxyFailed)
    }
    #expect(other.seen.count == 2)
    #expect(!other.seen.contains { $0.head.lowercased().contains("authorization") })
  }

  // Fault 52
  @Test func `a proxy that requires a login fails as the proxy`() async throws {
    let proxy = try StubProxy(.http, login: login)
    let name = "127.0.0.1:\(proxy.port)"
    #expect(
      try await fetch(rules(proxy)).end
        == .failed(TransferFailure(.proxyLoginNeeded, on: name)))
    #expect(proxy.seen.count == 1)
  }

  // Fault 52
  @Test func `a proxy that rejects the login is not asked a third time`() async throws {
    let proxy = try StubProxy(.http, login: login)
    let name = "127.0.0.1:\(proxy.port)"
    #expect(
      try await fetch(rules(proxy, "me:wrong@")).end
        == .failed(TransferFailure(.proxyLoginNeeded, on: name, detail: "rejected the login")))
    #expect(proxy.seen.count == 2)
    #expect(origin.requests.isEmpty)
  }

  // Fault 55
  @Test func `a proxy that is down fails as the proxy`() async throws {
    let proxy = try StubProxy(.http)
    proxy.stop()
    let name = "127.0.0.1:\(proxy.port)"
    #expect(
      try await fetch(rules(proxy)).end
        == .failed(TransferFailure(.proxyUnreachable, on: name, detail: "Connection refused")))
  }

  // Fault 55
  @Test func `a proxy that is not found fails as the proxy`() async throws {
    let rules = ProxyRules(environment: ["http_proxy": "http://proxy.invalid:3128"])
    let failure = TransferFailure(
      .proxyUnreachable, on: "proxy.invalid:3128", detail: "its name was not found")
    #expect(try await fetch(rules).end == .failed(failure))
  }

  // Fault 55
  @Test func `an invalid proxy prevents all connections`() async throws {
    let rules = ProxyRules(environment: ["http_proxy": "htttp://127.0.0.1:1"])
    expectProxyFailed(
      try await fetch(rules).end, "the value of http_proxy is not the address of a proxy")
    #expect(origin.connectionCount == 0)
  }

  @Test func `a response of the proxy itself is an ordinary response`() async throws {
    let proxy = try StubProxy(
      .http, answer: .raw("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno"))
    let fetched = try await fetch(rules(proxy))
    #expect(fetched.head?.status == 502)
    #expect(fetched.end == .complete)
  }

  @Test func `a server cannot impersonate the proxy`() async throws {
    origin.serve(.status(407, text: "Who?"), at: "/file")
    let fetched = try await fetch(.none)
    #expect(fetched.head?.status == 407)
    #expect(fetched.end == .complete)
  }
}
