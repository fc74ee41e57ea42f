/// What is noted of the messages of a TLS connection, as libcurl lets them be seen.
///
/// They come one at a time, each with its own header; the headers of records come too, and have
/// five bytes.
struct TLSTalk: Hashable {
  /// Something went out: from there on, a proxy that speaks none of it only carries bytes.
  private(set) var hasBegun = false
  /// The server said that it sends no more (close_notify, RFC 8446, section 6.1).
  private(set) var isClosedByServer = false
  private(set) var isCertificateAsked = false
  /// The last alert that came, other than close_notify.
  private(set) var alert: UInt8?

  /// Types of handshake messages (RFC 8446, section 4).
  private static let clientHello: UInt8 = 1
  private static let certificateRequest: UInt8 = 13

  mutating func note(sent message: UnsafeRawBufferPointer) {
    hasBegun = true
    // Another connection begins, that behind a proxy's for one.
    if Self.isHandshake(message, Self.clientHello) {
      isCertificateAsked = false
      alert = nil
    }
  }

  mutating func note(received message: UnsafeRawBufferPointer) {
    if Self.isHandshake(message, Self.certificateRequest) { isCertificateAsked = true }
    // An alert has two bytes, its level and what it says (RFC 8446, section 6). No other message
    // has two.
    guard message.count == 2 else { return }
    if message[1] == 0 { isClosedByServer = true } else { alert = message[1] }
  }

  /// Whether the server ended it for want of a certificate, or for a wrong one.
  var isCertificateMissed: Bool {
    guard isCertificateAsked, let alert else { return false }
    return Self.alertsOnCertificates.contains(alert)
  }

  /// handshake_failure, no_certificate, bad_certificate, unsupported_certificate,
  /// certificate_revoked, certificate_expired, certificate_unknown, unknown_ca, access_denied,
  /// decrypt_error, certificate_required (RFC 8446, section 6.2, and those before it).
  private static let alertsOnCertificates: Set<UInt8> = [
    40, 41, 42, 43, 44, 45, 46, 48, 49, 51, 116,
  ]

  /// A type and a length of three bytes stand before the rest.
  private static func isHandshake(_ message: UnsafeRawBufferPointer, _ type: UInt8) -> Bool {
    guard message.count > 4, message[0] == type else { return false }
    let byteCount = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
    return byteCount == message.count - 4
  }
}
