import Foundation

/// The certificates that a server showed, to be judged by a delegate.
///
/// The counterpart of Security's `SecTrust`; it comes with
/// `NSURLAuthenticationMethodServerTrust` challenges.
///
/// ```swift
/// import BackgroundTransfer
///
/// func isPinned(_ challenge: URLAuthenticationChallenge, to key: String) -> Bool {
///   challenge.protectionSpace.serverTrust?.serverKeyDigest == key
/// }
/// ```
public final class SecTrust: Sendable {
  /// Each in DER, the server's own first.
  public let certificates: [Data]
  /// SHA-256 of the SubjectPublicKeyInfo of the server's certificate (RFC 7469, section 2.4), in
  /// hexadecimal with lower-case letters.
  public let serverKeyDigest: String
  /// Whether the authorities of this system vouch for the server's name.
  public let isTrustedBySystem: Bool

  init(certificates: [Data], serverKeyDigest: String, isTrustedBySystem: Bool) {
    self.certificates = certificates
    self.serverKeyDigest = serverKeyDigest
    self.isTrustedBySystem = isTrustedBySystem
  }
}
