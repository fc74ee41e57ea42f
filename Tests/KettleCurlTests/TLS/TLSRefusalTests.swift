import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers with a false identity, or with proof of identity that must not be accepted.
@Suite(.enabled(if: TLSServer.isThere))
struct TLSRefusalTests {
  let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  private func fetch(
    _ server: TLSServer, host: String = "127.0.0.1", probe: TransportProbe? = nil,
    _ change: (inout AttemptRequest) -> Void = { _ in }
  ) async throws -> AttemptEnd {
    let url = try TransferURL.parse("https://\(host):\(server.port)/").get().url
    let authority = authority.certificatePath
    return try await (probe ?? TransportProbe()).fetch(url) {
      $0.caCertificatePath = authority
      change(&$0)
    }.end
  }

  /// Checks that the connection works; otherwise the other checks would prove nothing.
  @Test(arguments: ["127.0.0.1", "localhost"])
  func `a valid certificate is accepted`(host: String) async throws {
    let server = try TLSServer(.status, identity: authority.identity())
    #expect(try await fetch(server, host: host) == .complete)
  }

  // Fault 60
  @Test(arguments: [
    (TestAuthority.Flaw.expired, "127.0.0.1", "expired"),
    (.notYetValid, "127.0.0.1", "not yet valid"),
    (.otherName, "localhost", "subject name"),
    (.otherAddress, "127.0.0.1", "subject name"),
    (.nameInSubjectOnly, "localhost", "subject name"),
    (.zeroByteInName, "localhost", "subject name"),
    (.selfSigned, "127.0.0.1", "self-signed"),
    (.weakKey, "127.0.0.1", "key too weak"),
    (.forClients, "127.0.0.1", "purpose"),
  ])
  func `an invalid certificate is refused`(
    flaw: TestAuthority.Flaw, host: String, reason: String
  ) async throws {
    let server = try TLSServer(
      .status, identity: authority.identity(flaw),
      // Otherwise the server itself would reject the weak key.
      arguments: ["-cipher", "DEFAULT@SECLEVEL=0"])
    let failure = try await fetch(server, host: host).failure
    #expect(failure?.code == .tlsRefused)
    #expect(failure?.subject == "\(host):\(server.port)")
    #expect(failure?.detail?.lowercased().contains(reason) == true, "\(failure?.detail ?? "")")
  }

  // Fault 60
  @Test func `an unknown certificate authority is refused`() async throws {
    let other = try TestAuthority()
    let server = try TLSServer(.status, identity: other.identity())
    #expect(try await fetch(server).failure?.code == .tlsRefused)
  }

  // Fault 61
  @Test func `a version of TLS that is too old is refused`() async throws {
    let server = try TLSServer(
      .status, identity: authority.identity(),
      arguments: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
    let failure = try #require(try await fetch(server).failure)
    #expect(failure.code == .tlsRefused)
    #expect(TLSProblem(detail: failure.detail) == .oldVersion, "\(failure.detail ?? "")")
  }

  // Fault 62
  @Test func `a certificate that becomes invalid between two attempts is refused`() async throws {
    let probe = try TransportProbe()
    let port = try ReservedPort()
    let good = try TLSServer(.status, identity: authority.identity(), port: port.number)
    #expect(try await fetch(good, probe: probe) == .complete)
    good.kill()
    good.waitUntilGone()
    let bad = try TLSServer(.status, identity: authority.identity(.expired), port: port.number)
    #expect(try await fetch(bad, probe: probe).failure?.code == .tlsRefused)
  }

  // Fault 49
  @Test func `a connection with its own certificate authority is not shared`() async throws {
    let server = try TLSServer(.written, identity: authority.identity(), connectionCount: 2)
    let probe = try TransportProbe()
    let url = try TransferURL.parse("https://127.0.0.1:\(server.port)/").get().url
    for _ in 1...2 {
      let id = probe.begin(url) { $0.caCertificatePath = authority.certificatePath }
      // Each connection begins with its own handshake.
      let said = try server.waitForRequest()
      #expect(said.contains("BEGIN SSL SESSION PARAMETERS"))
      try server.write("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi")
      _ = try await probe.head(of: id)
      probe.transport.accept(id, into: RecordingSink())
      #expect(try await probe.end(of: id) == .complete)
    }
  }
}
