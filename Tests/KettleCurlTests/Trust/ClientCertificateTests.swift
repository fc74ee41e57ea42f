import Foundation
import Glibc
import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers that want to know who asks.
@Suite(.enabled(if: TLSServer.isThere))
struct ClientCertificateTests {
  let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  /// - Parameter version: of TLS; in 1.2 the refusal comes within the handshake, in 1.3 behind it.
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
  func `a certificate that the server knows opens the door`(version: String) async throws {
    let server = try demandingServer(version)
    #expect(try await fetch(server, client(of: authority)) == .complete)
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a server that wants a certificate and gets none is told apart`(
    version: String
  ) async throws {
    let server = try demandingServer(version)
    #expect(
      try await fetch(server, nil) == wanted(server, nil))
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a certificate that the server does not know is told apart`(
    version: String
  ) async throws {
    let server = try demandingServer(version)
    let stranger = try TestAuthority()
    #expect(
      try await fetch(server, client(of: stranger))
        == wanted(server, "it refuses the one it was shown"))
  }

  @Test func `an upload is told that a certificate is wanted`() async throws {
    let server = try demandingServer("-tls1_3")
    let body = RequestContent.Body.bytes(Base64Bytes([UInt8](repeating: 1, count: 2_000_000)))
    #expect(
      try await fetch(server, nil, content: RequestContent(method: "PUT", body: body))
        == wanted(server, nil))
  }

  @Test func `a server that only asks gets its request without a certificate`() async throws {
    let server = try TLSServer(
      .status, identity: authority.identity(), arguments: ["-verify", "2"])
    #expect(try await fetch(server, nil) == .complete)
  }

  /// It says handshake_failure, but it asked for nothing.
  @Test func `a handshake that fails for another reason is no want`() async throws {
    let server = try TLSServer(
      .status, identity: authority.identity(),
      arguments: ["-tls1_2", "-cipher", "PSK-AES128-GCM-SHA256", "-psk", "00"])
    let end = try await fetch(server, nil)
    #expect(end.failure?.code == .tlsRefused)
  }

  @Test func `a certificate of one request is shown for no other`() async throws {
    let server = try demandingServer("-tls1_2", connectionCount: 2)
    let probe = try TransportProbe()
    #expect(try await fetch(server, client(of: authority), probe: probe) == .complete)
    #expect(
      try await fetch(server, nil, probe: probe)
        == wanted(server, nil))
  }

  // MARK: Files

  @Test func `a key under a password opens with it`() async throws {
    let identity = try authority.identity(.forClients)
    let key = try authority.lock(identity.keyPath, password: "open sesame")
    let server = try demandingServer("-tls1_3")
    let certificate = ClientCertificate(
      certificatePath: identity.certificatePath, keyPath: key, password: "open sesame")
    #expect(try await fetch(server, certificate) == .complete)
  }

  @Test(arguments: [nil, "wrong"])
  func `a key whose password is not known is unusable, and nobody is asked`(
    password: String?
  ) async throws {
    let identity = try authority.identity(.forClients)
    let key = try authority.lock(identity.keyPath, password: "open sesame")
    let server = try demandingServer("-tls1_3")
    let end = try await fetch(
      server,
      ClientCertificate(
        certificatePath: identity.certificatePath, keyPath: key, password: password))
    let detail = "its password or its certificate may be another"
    #expect(end == .failed(TransferFailure(.certificateFileUnusable, on: key, detail: detail)))
  }

  @Test func `files that cannot be used are named`() async throws {
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
        { $0.keyPath = path }, path, "its password or its certificate may be another")
    }
  }
}
