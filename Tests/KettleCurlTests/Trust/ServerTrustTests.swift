import Foundation
import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers whose certificates the program judges.
@Suite(.enabled(if: TLSServer.isThere))
struct ServerTrustTests {
  let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  private func fetch(
    _ server: TLSServer, _ trust: ServerTrust, host: String = "127.0.0.1",
    authority: TestAuthority? = nil, probe: TransportProbe? = nil
  ) async throws -> AttemptEnd {
    let url = try TransferURL.parse("https://\(host):\(server.port)/").get().url
    return try await (probe ?? TransportProbe()).fetch(url) {
      $0.serverTrust = trust
      $0.caCertificatePath = authority?.certificatePath
    }.end
  }

  private func challenge(_ end: AttemptEnd) throws -> (TransferFailure, ServerChallenge) {
    guard case .untrusted(let failure, let challenge) = end else {
      Issue.record("not untrusted but \(end)")
      throw CancellationError()
    }
    return (failure, challenge)
  }

  @Test func `an unknown authority is reported with the data needed to trust it`() async throws {
    let identity = try authority.identity()
    let server = try TLSServer(.status, identity: identity)
    let end = try await fetch(server, .keys([], asksForOthers: false))
    let (failure, challenge) = try challenge(end)
    #expect(failure.code == .tlsRefused)
    #expect(failure.subject == "127.0.0.1:\(server.port)")
    #expect(failure.detail == "unable to get local issuer certificate")
    #expect(challenge.kind == .serverTrust)
    #expect(challenge.origin == "https://127.0.0.1:\(server.port)")
    #expect(challenge.failureCount == 0)
    #expect(!challenge.isTrustedBySystem)
    let certificate = try authority.der(of: identity)
    #expect(challenge.certificates.first?.bytes.elementsEqual(certificate) == true)
    #expect(challenge.certificates.count == 1)
    #expect(try challenge.serverKey == authority.keyDigest(of: identity))
    let shown = try #require(failure.certificate)
    #expect(shown.origin == challenge.origin)
    #expect(shown.key == challenge.serverKey)
    #expect(try shown.fingerprint == authority.fingerprint(of: identity))
    #expect(shown.subject == "localhost")
    #expect(shown.issuer == "kettle test authority")
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    #expect(try #require(shown.validFrom).millisecondsSince1970 <= now)
    #expect(try #require(shown.validUntil).millisecondsSince1970 > now)
  }

  @Test func `the program receives the full chain, starting with the server's certificate`()
    async throws
  {
    let identity = try authority.identity()
    let server = try TLSServer(
      .status, identity: identity, arguments: ["-cert_chain", authority.certificatePath])
    let (_, challenge) = try challenge(
      await fetch(server, .keys([], asksForOthers: false)))
    let parts = try [identity.certificatePath, authority.certificatePath].map {
      try authority.der(ofFile: $0)
    }
    #expect(challenge.certificates.count == 2)
    #expect(zip(challenge.certificates, parts).allSatisfy { $0.bytes == $1 })
  }

  /// The name does not matter either: the key was approved.
  @Test(arguments: [
    nil, TestAuthority.Flaw.expired, .otherName, .selfSigned, .weakKey, .forClients,
  ])
  func `a named key is accepted regardless of the system`(
    flaw: TestAuthority.Flaw?
  ) async throws {
    let identity = try authority.identity(flaw)
    let key = try authority.keyDigest(of: identity)
    let server = try TLSServer(
      .status, identity: identity, arguments: ["-cipher", "DEFAULT@SECLEVEL=0"])
    for asks in [false, true] {
      let trust = ServerTrust.keys([key.uppercased(), "00"], asksForOthers: asks)
      let server =
        asks
        ? try TLSServer(
          .status, identity: identity, arguments: ["-cipher", "DEFAULT@SECLEVEL=0"]) : server
      #expect(try await fetch(server, trust, host: "localhost") == .complete)
    }
  }

  @Test func `another key does not match the named one`() async throws {
    let named = try authority.keyDigest(of: authority.identity())
    let other = try authority.identity(.selfSigned)
    let server = try TLSServer(.status, identity: other)
    let (_, challenge) = try challenge(
      await fetch(server, .keys([named], asksForOthers: false)))
    #expect(challenge.serverKey != named)
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func `certificates that the system trusts are accepted unless the program judges them`(
    host: String
  ) async throws {
    let identity = try authority.identity()
    let server = try TLSServer(.status, identity: identity)
    #expect(
      try await fetch(
        server, .keys([], asksForOthers: false), host: host, authority: authority) == .complete)
    let asking = try TLSServer(.status, identity: identity)
    let (failure, challenge) = try challenge(
      await fetch(asking, .keys([], asksForOthers: true), host: host, authority: authority))
    #expect(challenge.isTrustedBySystem)
    #expect(failure.detail == "its certificate has not been approved yet")
  }

  @Test(arguments: [
    (TestAuthority.Flaw.expired, "127.0.0.1", "certificate has expired"),
    (.notYetValid, "127.0.0.1", "certificate is not yet valid"),
    (.otherName, "localhost", "hostname mismatch"),
    (.otherAddress, "127.0.0.1", "IP address mismatch"),
    (.nameInSubjectOnly, "localhost", "hostname mismatch"),
    (.zeroByteInName, "localhost", "hostname mismatch"),
    (.selfSigned, "127.0.0.1", "self-signed certificate"),
    (.weakKey, "127.0.0.1", "EE certificate key too weak"),
    (.forClients, "127.0.0.1", "unsuitable certificate purpose"),
  ])
  func `certificates that the system rejects are refused without a matching key`(
    flaw: TestAuthority.Flaw, host: String, reason: String
  ) async throws {
    let server = try TLSServer(
      .status, identity: authority.identity(flaw),
      arguments: ["-cipher", "DEFAULT@SECLEVEL=0"])
    let (failure, challenge) = try challenge(
      await fetch(server, .keys([], asksForOthers: false), host: host, authority: authority))
    #expect(!challenge.isTrustedBySystem)
    #expect(failure.code == .tlsRefused)
    #expect(failure.detail == reason)
  }

  @Test func `nothing is sent before the certificates are accepted`() async throws {
    let server = try TLSServer(.written, identity: authority.identity())
    let end = try await fetch(server, .keys([], asksForOthers: true), authority: authority)
    _ = try challenge(end)
    // It accepts one connection only, so these are all the bytes.
    let said = try server.waitForRequest()
    #expect(!said.contains("GET "))
  }

  @Test func `approval of one server does not extend to others`() async throws {
    let identity = try authority.identity()
    let key = try authority.keyDigest(of: identity)
    let probe = try TransportProbe()
    let server = try TLSServer(.status, identity: identity, connectionCount: 4)
    let url = try TransferURL.parse("https://127.0.0.1:\(server.port)/").get().url
    #expect(try await fetch(server, .keys([key], asksForOthers: false), probe: probe) == .complete)
    // Neither its connection nor its TLS session is reused; a resumed session sends no certificate.
    #expect(try await probe.fetch(url).end.failure?.code == .tlsRefused)
    _ = try challenge(
      await fetch(server, .keys([], asksForOthers: false), probe: probe))
  }

  @Test func `a connection to a server that one request approved is not shared`()
    async throws
  {
    let identity = try authority.identity()
    let key = try authority.keyDigest(of: identity)
    let probe = try TransportProbe()
    let server = try TLSServer(.written, identity: identity, connectionCount: 2)
    let url = try TransferURL.parse("https://127.0.0.1:\(server.port)/").get().url
    let id = probe.begin(url) { $0.serverTrust = .keys([key], asksForOthers: false) }
    try server.waitForRequest()
    // It would stay open for the next request.
    try server.write("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi")
    _ = try await probe.head(of: id)
    probe.transport.accept(id, into: RecordingSink())
    #expect(try await probe.end(of: id) == .complete)
    _ = try challenge(await fetch(server, .keys([], asksForOthers: false), probe: probe))
  }

  @Test func `a program can also judge certificates that the system trusts`() async throws {
    let probe = try TransportProbe(
      certificates: TrustedCertificates(file: authority.certificatePath, directory: nil))
    let server = try TLSServer(.status, identity: authority.identity(), connectionCount: 3)
    #expect(try await fetch(server, .system, probe: probe) == .complete)
    _ = try challenge(await fetch(server, .keys([], asksForOthers: true), probe: probe))
  }

  @Test func `a request without TLS has no certificates to judge`() async throws {
    let origin = try ScriptedOrigin()
    let body = SeededBody(seed: 1, byteCount: 1000)
    origin.serve(OriginBehavior(body), at: "/file")
    let fetched = try await TransportProbe().fetch(origin.url("/file")) {
      $0.serverTrust = .keys([], asksForOthers: true)
    }
    #expect(fetched.end == .complete)
  }

  @Test func `a server behind a tunnel is verified like any other`() async throws {
    let identity = try authority.identity()
    let key = try authority.keyDigest(of: identity)
    let proxy = try StubProxy(.http)
    let probe = try TransportProbe(
      proxies: ProxyRules(environment: ["https_proxy": "http://127.0.0.1:\(proxy.port)"]))
    let server = try TLSServer(.status, identity: identity, connectionCount: 2)
    _ = try challenge(await fetch(server, .keys([], asksForOthers: false), probe: probe))
    #expect(try await fetch(server, .keys([key], asksForOthers: true), probe: probe) == .complete)
  }

  @Test func `only the system decides whether a proxy is trusted`() async throws {
    let identity = try authority.identity()
    let key = try authority.keyDigest(of: identity)
    let proxy = try TLSServer(.written, identity: identity)
    let rules = ProxyRules(environment: ["all_proxy": "https://127.0.0.1:\(proxy.port)"])
    let url = try TransferURL.parse("https://server.invalid/").get().url
    let end = try await TransportProbe(proxies: rules).fetch(url) {
      $0.serverTrust = .keys([key], asksForOthers: false)
    }.end
    #expect(end.failure?.code == .proxyFailed)
  }
}
