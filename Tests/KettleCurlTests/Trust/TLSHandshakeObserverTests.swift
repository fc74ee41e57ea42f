import Testing

@testable import KettleCurl

struct TLSHandshakeObserverTests {
  private func handshake(_ messages: [(isSent: Bool, bytes: [UInt8])]) -> TLSHandshakeObserver {
    var handshake = TLSHandshakeObserver()
    for message in messages {
      message.bytes.withUnsafeBytes {
        if message.isSent { handshake.record(sent: $0) } else { handshake.record(received: $0) }
      }
    }
    return handshake
  }

  private let hello: (Bool, [UInt8]) = (true, [1, 0, 0, 1, 9])
  private let request: (Bool, [UInt8]) = (false, [13, 0, 0, 2, 0, 0])

  @Test(arguments: [40, 42, 48, 116] as [UInt8])
  func `an alert after a certificate request is about the certificate`(alert: UInt8) {
    #expect(handshake([hello, request, (false, [2, alert])]).isCertificateRejected)
    #expect(!handshake([hello, (false, [2, alert])]).isCertificateRejected)
  }

  @Test func `other alerts, and none, are not about certificates`() {
    #expect(!handshake([hello, request]).isCertificateRejected)
    #expect(!handshake([hello, request, (false, [2, 80])]).isCertificateRejected)
    #expect(!handshake([hello, request, (false, [1, 0])]).isCertificateRejected)
    #expect(handshake([hello, request, (false, [1, 0])]).isClosedByServer)
  }

  @Test func `a request on an earlier connection does not count`() {
    #expect(!handshake([hello, request, hello, (false, [2, 40])]).isCertificateRejected)
  }

  @Test func `a truncated or malformed certificate request is ignored`() {
    for bytes: [UInt8] in [[], [13], [13, 0], [13, 3, 3, 0, 42], [13, 0, 0, 9, 1, 1]] {
      #expect(!handshake([hello, (false, bytes), (false, [2, 40])]).isCertificateRejected)
    }
  }

  @Test(arguments: [
    (
      "SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384\n", "TLSv1.3", "TLS_AES_256_GCM_SHA384"
    ),
    (
      "SSL connection using TLSv1.2 / ECDHE-RSA-AES128-GCM-SHA256 / x25519 / RSASSA-PSS", "TLSv1.2",
      "ECDHE-RSA-AES128-GCM-SHA256"
    ),
    ("SSL connection using \n", nil, nil), ("Connected to h (127.0.0.1)", nil, nil),
  ])
  func `libcurl's line about a handshake names what was agreed on`(
    text: String, version: String?, cipherSuite: String?
  ) {
    var observer = TLSHandshakeObserver()
    Array(text.utf8).withUnsafeBytes { observer.record(text: $0) }
    #expect(observer.agreement?.version == version)
    #expect(observer.agreement?.cipherSuite == cipherSuite)
  }
}
