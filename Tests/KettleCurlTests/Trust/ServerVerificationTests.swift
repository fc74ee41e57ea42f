import KettleEngine
import Testing

@testable import KettleCurl

struct ServerVerificationTests {
  private func made(_ trust: ServerTrust, _ library: String?) -> ServerVerification {
    ServerVerification(trust, library: library, openSSLMajor: 3)
  }

  @Test func `keys are compared without regard to their case`() {
    #expect(
      made(.keys(["AB"], asksForOthers: true), "OpenSSL/3.0.19")
        == .byKeys(["ab"], asksForOthers: true))
  }

  @Test(arguments: ["GnuTLS/3.7.9", "OpenSSL/1.1.1w", "OpenSSL/30.0", "(OpenSSL/3.0.2) GnuTLS/3.8"])
  func `without OpenSSL 3 only the system can verify a server`(library: String) {
    #expect(made(.system, library) == .standard)
    #expect(made(.keys([], asksForOthers: false), library) == .standard)
    let reason = "its certificates can only be verified with OpenSSL 3, and libcurl uses \(library)"
    #expect(made(.keys([], asksForOthers: true), library) == .impossible(reason))
    #expect(made(.keys(["ab"], asksForOthers: false), library) == .impossible(reason))
  }

  @Test func `a libcurl without TLS is reported as such`() {
    #expect(
      made(.keys(["ab"], asksForOthers: false), nil)
        == .impossible(
          "its certificates can only be verified with OpenSSL 3, and libcurl uses nothing"))
  }
}
