import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Attempts that follow a redirect by a public server. 127.0.0.2 counts as public here.
struct GuardedAttemptTests {
  let inner: ScriptedOrigin
  let outer: ScriptedOrigin
  let body = SeededBody(seed: 54, byteCount: 50_000)

  init() throws {
    inner = try ScriptedOrigin()
    outer = try ScriptedOrigin(lastByte: 2)
    inner.serve(OriginBehavior(body), at: "/file")
    outer.serve(OriginBehavior(body), at: "/file")
  }

  private func probe(
    _ names: [String: String] = [:], proxies: ProxyRules = .none, port: Int? = nil
  ) throws -> TransportProbe {
    try TransportProbe(
      proxies: proxies,
      knownAddresses: names.map { "\($0.key):\(port ?? inner.port):\($0.value)" },
      knownScopes: [
        try #require(IPAddress("127.0.0.2")): .global,
        // No test listens there.
        try #require(IPAddress("127.0.0.77")): .global,
      ])
  }

  private func url(_ host: String, _ port: Int) throws -> TransferURL {
    try TransferURL.parse("http://\(host):\(port)/file").get().url
  }

  // Fault 54
  @Test(arguments: [
    ("127.0.0.1", nil), ("127.1", nil), ("0x7f.1", nil), ("0177.0.0.1", nil), ("2130706433", nil),
    ("0ｘ7f.1", nil), ("１２７.0.0.1", nil), ("0.0.0.0", nil), ("localhost", nil), ("[::1]", nil),
    ("[::]", nil), ("[::ffff:127.0.0.1]", nil), ("[::ffff:7f00:1]", nil), ("10.0.0.1", nil),
    ("[fe80::1]", nil), ("224.0.0.1", nil), ("255.255.255.255", nil), ("[64:ff9b::10.0.0.1]", nil),
    ("x.localhost", "127.0.0.1"), ("localhost.localdomain", "127.0.0.1"),
    ("nas.home.arpa.", "127.0.0.1"), ("rebound.example", "127.0.0.1"), ("x.ｌｏｃａｌｈｏｓｔ", nil),
    ("many.example", "127.0.0.1,10.0.0.1,[::1]"),
  ])
  func `a private address is refused in every spelling`(
    host: String, address: String?
  ) async throws {
    let probe = try probe(address.map { [host: $0] } ?? [:])
    let url = try url(host, inner.port)
    let fetched = try await probe.fetch(url) { $0.minimumReach = .world }
    let failure = try #require(fetched.end.failure)
    #expect(failure.code == .redirectRefused)
    #expect(failure.detail?.hasPrefix("to \(url.text), which is at ") == true, "\(failure)")
    #expect(inner.connectionCount == 0)
  }

  // Fault 54
  @Test func `the refusal names the address and its kind`() async throws {
    let probe = try probe(["nas.example": "10.1.2.3"])
    let fetched = try await probe.fetch(url("nas.example", inner.port)) {
      $0.minimumReach = .world
    }
    #expect(
      fetched.end.failure
        == TransferFailure(
          .redirectRefused, on: "nas.example:\(inner.port)",
          detail:
            "to http://nas.example:\(inner.port)/file, which is at 10.1.2.3, a private address"
        ))
  }

  // Fault 54
  @Test(arguments: [NetworkReach.machine, .network, .world])
  func `a public address is allowed from anywhere`(minimum: NetworkReach) async throws {
    let fetched = try await probe().fetch(outer.url("/file")) { $0.minimumReach = minimum }
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  // Fault 54
  @Test func `a URL from the user may lead to any address`() async throws {
    #expect(try await probe().fetch(inner.url("/file")).end == .complete)
  }

  // Fault 54
  @Test(arguments: ["127.0.0.78,127.0.0.2", "127.0.0.2,127.0.0.78", "[::1],127.0.0.78,127.0.0.2"])
  func `only the public addresses of a host are tried`(
    addresses: String
  ) async throws {
    let (outer, watched) = try sharingOnePort {
      let outer = try ScriptedOrigin(lastByte: 2)
      return (outer, try ScriptedOrigin(lastByte: 78, port: outer.port))
    }
    outer.serve(OriginBehavior(body), at: "/file")
    let probe = try probe(["many.example": addresses], port: outer.port)
    let fetched = try await probe.fetch(url("many.example", outer.port)) {
      $0.minimumReach = .world
    }
    #expect(fetched.end == .complete)
    #expect(watched.connectionCount == 0)
  }

  // Fault 54
  @Test func `a public address that refuses the connection is an ordinary failure`() async throws {
    let probe = try probe(["many.example": "127.0.0.1,127.0.0.77"])
    let fetched = try await probe.fetch(url("many.example", inner.port)) {
      $0.minimumReach = .world
    }
    #expect(fetched.end.failure?.code == .connectionRefused, "\(fetched.end)")
    #expect(inner.connectionCount == 0)
  }

  // Fault 54
  @Test func `another attempt's connection to a private address is not reused`()
    async throws
  {
    let probe = try probe(["shared.example": "127.0.0.1"])
    let url = try url("shared.example", inner.port)
    #expect(try await probe.fetch(url).end == .complete)
    #expect(inner.connectionCount == 1)
    let fetched = try await probe.fetch(url) { $0.minimumReach = .world }
    #expect(fetched.end.failure?.code == .redirectRefused)
    #expect(inner.requests.count == 1)
    #expect(inner.connectionCount == 1)
  }

  // Fault 54
  @Test func `a response head is reported with the reach of its server`() async throws {
    for (url, reach) in [
      (try inner.url("/file"), NetworkReach.machine), (try outer.url("/file"), .world),
    ] {
      let probe = try probe()
      let id = probe.begin(url)
      _ = try await probe.head(of: id)
      let reaches = probe.reported.read { events in
        events.compactMap { event -> NetworkReach? in
          if case .headReceived(id, _, let reach, _) = event { reach } else { nil }
        }
      }
      #expect(reaches == [reach])
    }
  }

  // MARK: Proxies

  private func rules(_ proxy: StubProxy, _ scheme: String = "http") -> ProxyRules {
    ProxyRules(environment: ["http_proxy": "\(scheme)://127.0.0.1:\(proxy.port)"])
  }

  // Fault 54
  @Test func `a proxy may have a private address`() async throws {
    let proxy = try StubProxy(.http)
    let fetched = try await probe(proxies: rules(proxy)).fetch(
      url("files.example", inner.port)
    ) { $0.minimumReach = .world }
    #expect(fetched.end == .complete)
    #expect(proxy.seen.map(\.target) == ["files.example:\(inner.port)"])
  }

  // Fault 54
  @Test(arguments: [
    "127.0.0.1", "10.0.0.1", "[::1]", "0x7f.1", "2130706433", "localhost.", "nas.home.arpa.",
    "localhost.localdomain", "nas", "x.ｌｏｃａｌｈｏｓｔ", "0ｘ7f.1",
  ])
  func `a private address or local name is not requested from a proxy`(host: String) async throws {
    let proxy = try StubProxy(.http)
    let fetched = try await probe(proxies: rules(proxy)).fetch(url(host, inner.port)) {
      $0.minimumReach = .world
    }
    #expect(fetched.end.failure?.code == .redirectRefused)
    #expect(proxy.connectionCount == 0)
  }
}
