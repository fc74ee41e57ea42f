import Foundation
import Glibc
import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers that require a client certificate.
@Suite(.enabled(if: TLSServer.isThere))
struct ClientCertificateTests {
  let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  /// - Parameter version: Of TLS. In 1.2 the refusal arrives within the handshake, in 1.3 after it.
  private func demandingServer(
    _ version: String, connectionCount: Int = 1
  ) throws -> TLSServer {
    try TLSServer(
      .status, identity: authority.identity(), connectionCount: connectionCount,
      arguments: [
        version, "-Verify", "2", "-verify_return_error", "-CAfile", authority.certificatePath,
      ])
  }

  private func fetch(
    _ server: TLSServer, _ certificate: ClientCertificate?,
    content: RequestContent? = nil, probe: TransportProbe? = nil
  ) async throws -> AttemptEnd {
    let url = try TransferURL.parse("https://127.0.0.1:\(server.port)/").get().url
    let authority = authority.certificatePath
    return try await (probe ?? TransportProbe()).fetch(url) {
      $0.caCertificatePath = authority
      $0.certificate = certificate
      $0.content = content
    }.end
  }

  private func client(of authority: TestAuthority) throws -> ClientCertificate {
    let identity = try authority.identity(.forClients)
    return ClientCertificate(
      certificatePath: identity.certificatePath, keyPath: identity.keyPath)
  }

  private func wanted(_ server: TLSServer, _ detail: String?) -> AttemptEnd {
    .certificateWanted(
      TransferFailure(.clientCertificateNeeded, on: "127.0.0.1:\(server.port)", detail: detail))
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a client certificate that the server knows is accepted`(version: String) async throws {
    let server = try demandingServer(version)
    #expect(try await fetch(server, client(of: authority)) == .complete)
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a server that requires a client certificate is reported as such`(
    version: String
  ) async throws {
    let server = try demandingServer(version)
    #expect(
      try await fetch(server, nil) == wanted(server, nil))
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a client certificate that the server rejects is reported as such`(
    version: String
  ) async throws {
    let server = try demandingServer(version)
    let stranger = try TestAuthority()
    #expect(
      try await fetch(server, client(of: stranger))
        == wanted(server, "it rejected the one that was sent"))
  }

  @Test func `an upload reports that a client certificate is required`() async throws {
    let server = try demandingServer("-tls1_3")
    let body = RequestContent.Body.bytes(Base64Bytes([UInt8](repeating: 1, count: 2_000_000)))
    #expect(
      try await fetch(server, nil, content: RequestContent(method: "PUT", body: body))
        == wanted(server, nil))
  }

  @Test func `a server that only requests a certificate gets the request without one`() async throws
  {
    let server = try TLSServer(
      .status, identity: authority.identity(), arguments: ["-verify", "2"])
    #expect(try await fetch(server, nil) == .complete)
  }

  /// It reports handshake_failure without having requested a certificate.
  @Test func `a handshake that fails for another reason requests no certificate`() async throws {
    let server = try TLSServer(
      .status, identity: authority.identity(),
      arguments: ["-tls1_2", "-cipher", "PSK-AES128-GCM-SHA256", "-psk", "00"])
    let end = try await fetch(server, nil)
    #expect(end.failure?.code == .tlsRefused)
  }

  @Test func `the certificate of one request is not sent for another`() async throws {
    let server = try demandingServer("-tls1_2", connectionCount: 2)
    let probe = try TransportProbe()
    #expect(try await fetch(server, client(of: authority), probe: probe) == .complete)
    #expect(
      try await fetch(server, nil, probe: probe)
        == wanted(server, nil))
  }

  // MARK: Files

  @Test func `an encrypted key works with its password`() async throws {
    let identity = try authority.identity(.forClients)
    let key = try authority.lock(identity.keyPath, password: "open sesame")
    let server = try demandingServer("-tls1_3")
    let certificate = ClientCertificate(
      certificatePath: identity.certificatePath, keyPath: key, password: "open sesame")
    #expect(try await fetch(server, certificate) == .complete)
  }

  @Test(arguments: [nil, "wrong"])
  func `a key with an unknown password is unusable without a prompt`(
    password: String?
  ) async throws {
    let identity = try authority.identity(.forClients)
    let key = try authority.lock(identity.keyPath, password: "open sesame")
    let server = try demandingServer("-tls1_3")
    let end = try await fetch(
      server,
      ClientCertificate(
        certificatePath: identity.certificatePath, keyPath: key, password: password))
    let detail = "its password or its certificate may not match"
    #expect(end == .failed(TransferFailure(.certificateFileUnusable, on: key, detail: detail)))
  }

  @Test func `the failure names a certificate file that cannot be used`() async throws {
    let server = try demandingServer("-tls1_3", connectionCount: 8)
    let good = try client(of: authority)
    let directory = (good.keyPath as NSString).deletingLastPathComponent
    func expect(
      _ change: (inout ClientCertificate) -> Void, _ path: String, _ detail: String?,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      var certificate = good
      change(&certificate)
      let failure = TransferFailure(.certificateFileUnusable, on: path, detail: detail)
      let end = try await fetch(server, certificate)
      #expect(end == .failed(failure), sourceLocation: sourceLocation)
    }
    let missing = directory + "/missing.pem"
    try await expect({ $0.certificatePath = missing }, missing, "No such file or directory")
    try await expect({ $0.keyPath = missing }, missing, "No such file or directory")
    let pipe = directory + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    try await expect({ $0.keyPath = pipe }, pipe, "it is not a regular file")
    let empty = directory + "/empty.pem"
    try Data().write(to: URL(fileURLWithPath: empty))
    try await expect({ $0.certificatePath = empty }, empty, nil)
    let other = try authority.identity().keyPath
    for path in [empty, other] {
      try await expect(
        { $0.keyPath = path }, path, "its password or its certificate may not match")
    }
  }
}
