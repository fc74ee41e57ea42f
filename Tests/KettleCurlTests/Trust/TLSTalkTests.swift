import Testing

@testable import KettleCurl

struct TLSHandshakeObserverTests {
  private func talk(_ messages: [(isSent: Bool, bytes: [UInt8])]) -> TLSHandshakeObserver {
    var talk = TLSHandshakeObserver()
    for message in messages {
      message.bytes.withUnsafeBytes {
        if message.isSent { talk.note(sent: $0) } else { talk.note(received: $0) }
      }
    }
    return talk
  }

  private let hello: (Bool, [UInt8]) = (true, [1, 0, 0, 1, 9])
  private let request: (Bool, [UInt8]) = (false, [13, 0, 0, 2, 0, 0])

  @Test(arguments: [40, 42, 48, 116] as [UInt8])
  func `an alert behind a request for a certificate is about it`(alert: UInt8) {
    #expect(talk([hello, request, (false, [2, alert])]).isCertificateMissed)
    #expect(!talk([hello, (false, [2, alert])]).isCertificateMissed)
  }

  @Test func `other alerts, and none, are not about certificates`() {
    #expect(!talk([hello, request]).isCertificateMissed)
    #expect(!talk([hello, request, (false, [2, 80])]).isCertificateMissed)
    #expect(!talk([hello, request, (false, [1, 0])]).isCertificateMissed)
    #expect(talk([hello, request, (false, [1, 0])]).isClosedByServer)
  }

  @Test func `what was asked on an earlier connection does not count`() {
    #expect(!talk([hello, request, hello, (false, [2, 40])]).isCertificateMissed)
  }

  @Test func `a record that only begins like a request is none`() {
    for bytes: [UInt8] in [[], [13], [13, 0], [13, 3, 3, 0, 42], [13, 0, 0, 9, 1, 1]] {
      #expect(!talk([hello, (false, bytes), (false, [2, 40])]).isCertificateMissed)
    }
  }
}
