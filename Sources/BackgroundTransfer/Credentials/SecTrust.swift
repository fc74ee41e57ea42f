import Foundation

/// The certificates that a server presented, for a delegate to evaluate.
///
/// The counterpart of Security's `SecTrust`. `NSURLAuthenticationMethodServerTrust` challenges
/// contain it.
///
/// ```swift
/// import BackgroundTransfer
///
/// func isPinned(_ challenge: URLAuthenticationChallenge, to key: String) -> Bool {
///   challenge.protectionSpace.serverTrust?.serverKeyDigest == key
/// }
/// ```
public final class SecTrust: Sendable {
  /// The certificates in DER form, the server's own first.
  public let certificates: [Data]
  /// The SHA-256 digest of the SubjectPublicKeyInfo of the server's certificate (RFC 7469, section
  /// 2.4), in lower-case hexadecimal.
  public let serverKeyDigest: String
  /// Whether the certificate authorities of this system vouch for the server's name.
  public let isTrustedBySystem: Bool

  init(certificates: [Data], serverKeyDigest: String, isTrustedBySystem: Bool) {
    self.certificates = certificates
    self.serverKeyDigest = serverKeyDigest
    self.isTrustedBySystem = isTrustedBySystem
  }
}
