/// Derives the state of a TLS connection from the messages that libcurl reports.
///
/// They arrive one at a time, each with its own header. Record headers of five bytes arrive too.
struct TLSHandshakeObserver: Hashable {
  /// TLS data was sent. From then on, a proxy without TLS only forwards bytes.
  private(set) var hasBegun = false
  /// The server announced that it sends no more (close_notify, RFC 8446, section 6.1).
  private(set) var isClosedByServer = false
  private(set) var isCertificateRequested = false
  /// The last alert received, other than close_notify.
  private(set) var alert: UInt8?

  /// What was agreed on; nil before the end of the handshake.
  private(set) var agreement: Agreement?

  /// A version of TLS and a cipher suite, as the TLS library names them.
  struct Agreement: Hashable {
    var version: String
    var cipherSuite: String
  }

  /// Types of handshake messages (RFC 8446, section 4).
  private static let clientHello: UInt8 = 1
  private static let certificateRequest: UInt8 = 13

  mutating func record(sent message: UnsafeRawBufferPointer) {
    hasBegun = true
    // Another connection begins, for example the one behind a proxy's.
    if Self.isHandshake(message, Self.clientHello) {
      isCertificateRequested = false
      alert = nil
    }
  }

  /// Reads libcurl's line about a handshake: `SSL connection using TLSv1.3 / NAME`, with more after
  /// another slash in later releases.
  mutating func record(text: UnsafeRawBufferPointer) {
    guard agreement == nil, text.count < 256, text.starts(with: Self.agreementPrefix) else {
      return
    }
    let rest = String(decoding: text.dropFirst(Self.agreementPrefix.count), as: UTF8.self)
    let parts = rest.split(separator: "/").map { $0.filter { $0 > " " } }
    guard parts.count >= 2, !parts[0].isEmpty, !parts[1].isEmpty else { return }
    agreement = Agreement(version: parts[0], cipherSuite: parts[1])
  }

  private static let agreementPrefix = Array("SSL connection using ".utf8)

  mutating func record(received message: UnsafeRawBufferPointer) {
    if Self.isHandshake(message, Self.certificateRequest) { isCertificateRequested = true }
    // An alert has two bytes, its level and its description (RFC 8446, section 6). No other message
    // has two.
    guard message.count == 2 else { return }
    if message[1] == 0 { isClosedByServer = true } else { alert = message[1] }
  }

  /// Whether the server ended the connection because of a missing or wrong certificate.
  var isCertificateRejected: Bool {
    guard isCertificateRequested, let alert else { return false }
    return Self.alertsOnCertificates.contains(alert)
  }

  /// handshake_failure, no_certificate, bad_certificate, unsupported_certificate,
  /// certificate_revoked, certificate_expired, certificate_unknown, unknown_ca, access_denied,
  /// decrypt_error, certificate_required (RFC 8446, section 6.2, and those before it).
  private static let alertsOnCertificates: Set<UInt8> = [
    40, 41, 42, 43, 44, 45, 46, 48, 49, 51, 116,
  ]

  /// The type and a three-byte length precede the rest.
  private static func isHandshake(_ message: UnsafeRawBufferPointer, _ type: UInt8) -> Bool {
    guard message.count > 4, message[0] == type else { return false }
    let byteCount = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
    return byteCount == message.count - 4
  }
}
