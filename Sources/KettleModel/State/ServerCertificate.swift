/// A certificate or, from an SFTP server, a host key, as far as a person needs it to recognize the
/// server.
public struct ServerCertificate: Hashable, Sendable, Codable {
  /// In the form of `Origin.text`.
  public var origin: String
  /// The SHA-256 of the certificate or host key in lowercase hexadecimal digits.
  public var fingerprint: String
  /// The SHA-256 of its public key (SubjectPublicKeyInfo), which is what trust refers to. The
  /// fingerprint, for a host key.
  public var key: String
  /// The common name, or else the organization; empty without both. The text is the server's. The
  /// algorithm of a host key, such as `ssh-ed25519`.
  public var subject: String
  /// The same of the certificate authority.
  public var issuer: String
  public var validFrom: WallTime?
  public var validUntil: WallTime?

  public init(origin: String, fingerprint: String, key: String, subject: String, issuer: String) {
    self.origin = origin
    self.fingerprint = fingerprint
    self.key = key
    self.subject = subject
    self.issuer = issuer
  }
}
