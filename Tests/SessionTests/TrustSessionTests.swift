import BackgroundTransfer
import Foundation
import Testing
import TestSupport

/// Server trust and client certificates, over the real service.
@Suite(.serialized, .enabled(if: TLSServer.isThere), .timeLimit(.minutes(5)))
struct TrustSessionTests {
  private let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  /// Downloads the server's page, whose length differs with each handshake.
  private func download(
    _ server: TLSServer, _ told: Told, knowingAuthority: Bool = false,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) async throws -> (calls: [String], task: URLSessionTask) {
    let trusted = authority.certificatePath
    let home = try SessionHome(variables: knowingAuthority ? ["SSL_CERT_FILE": trusted] : [:])
    let session = home.session(told, UUID().uuidString, change)
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    let task = session.downloadTask(with: url)
    task.resume()
    let calls = try await told.all(session)
    return (calls.map { $0.hasPrefix("wrote") ? "wrote" : $0 }, task)
  }

  private static let success = ["wrote", "finished 1 200", "completed 1 nil", "invalid"]

  private func server(_ flaw: TestAuthority.Flaw? = nil, _ arguments: [String] = []) throws
    -> TLSServer
  {
    try TLSServer(
      .status, identity: authority.identity(flaw), connectionCount: 4, arguments: arguments)
  }

  @Test func `an untrusted server certificate fails the task with -1202`() async throws {
    let told = Told()
    let (calls, task) = try await download(server(.selfSigned), told)
    #expect(calls == ["challenge session ServerTrust 0", "completed 1 -1202", "invalid"])
    #expect(told.error(of: task)?.downloadTaskResumeData == nil)
  }

  @Test(arguments: [TestAuthority.Flaw.selfSigned, .expired, .otherName])
  func `a delegate can trust a certificate that the system rejects`(flaw: TestAuthority.Flaw)
    async throws
  {
    let told = Told(judge: { challenge in
      (.useCredential, challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:)))
    })
    let (calls, task) = try await download(server(flaw), told)
    #expect(calls == ["challenge session ServerTrust 0"] + Self.success)
    #expect(told.text(of: task)?.contains("s_server") == true)
  }

  @Test func `a pinning delegate can reject a server that the system trusts`() async throws {
    let pinned = String(repeating: "0", count: 64)
    let told = Told(judge: { challenge in
      guard let trust = challenge.protectionSpace.serverTrust, trust.isTrustedBySystem,
        trust.serverKeyDigest == pinned
      else { return (.cancelAuthenticationChallenge, nil) }
      return (.useCredential, URLCredential(trust: trust))
    })
    let (calls, _) = try await download(server(), told, knowingAuthority: true)
    #expect(calls == ["challenge session ServerTrust 0", "completed 1 -999", "invalid"])
  }

  @Test func `the metrics name the version and the cipher suite of TLS`() async throws {
    let told = Told()
    let (_, task) = try await download(
      server(nil, ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"]), told,
      knowingAuthority: true)
    let last = try #require(told.metrics(of: task)?.transactionMetrics.last)
    #expect(last.negotiatedTLSProtocolVersion == .TLSv13)
    #expect(last.negotiatedTLSCipherSuite == .AES_256_GCM_SHA384)
    let connected = try #require(last.secureConnectionStartDate)
    let secured = try #require(last.secureConnectionEndDate)
    #expect(connected <= secured)
  }

  @Test func `a pinning delegate accepts a server with the pinned key`() async throws {
    let identity = try authority.identity()
    let pinned = try authority.keyDigest(of: identity)
    let server = try TLSServer(.status, identity: identity, connectionCount: 4)
    let told = Told(judge: { challenge in
      guard let trust = challenge.protectionSpace.serverTrust, trust.isTrustedBySystem,
        trust.serverKeyDigest == pinned
      else { return (.cancelAuthenticationChallenge, nil) }
      return (.useCredential, URLCredential(trust: trust))
    })
    let (calls, _) = try await download(server, told, knowingAuthority: true)
    #expect(calls == ["challenge session ServerTrust 0"] + Self.success)
  }

  @Test func `a trusted server causes no challenge if asksServerTrust is off`() async throws {
    let told = Told()
    let (calls, _) = try await download(server(), told, knowingAuthority: true) {
      $0.asksServerTrust = false
    }
    #expect(calls == Self.success)
  }

  // MARK: Client certificates

  private func demandingServer() throws -> TLSServer {
    try server(
      nil, ["-Verify", "2", "-verify_return_error", "-CAfile", authority.certificatePath])
  }

  @Test func `a server that requires a client certificate gets the delegate's`()
    async throws
  {
    let client = try authority.identity(.forClients)
    let identity = SecIdentity(certificatePath: client.certificatePath, keyPath: client.keyPath)
    let told = Told(judge: { _ in
      (
        .useCredential,
        URLCredential(identity: identity, certificates: nil, persistence: .forSession)
      )
    })
    let (calls, _) = try await download(demandingServer(), told, knowingAuthority: true) {
      $0.asksServerTrust = false
    }
    #expect(calls == ["challenge session ClientCertificate 0"] + Self.success)
  }

  @Test func `without a client certificate the task fails with the server's refusal`() async throws
  {
    let told = Told()
    let (calls, _) = try await download(demandingServer(), told, knowingAuthority: true) {
      $0.asksServerTrust = false
    }
    #expect(calls == ["challenge session ClientCertificate 0", "completed 1 -1206", "invalid"])
  }
}
