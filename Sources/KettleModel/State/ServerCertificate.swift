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

extension ServerCertificate {
  /// Whether it is the host key of an SFTP server.
  public var isHostKey: Bool { Self.isHostKey(at: origin) }

  /// Whether a server is known by a host key and not by a certificate.
  package static func isHostKey(at origin: String) -> Bool {
    origin.hasPrefix(TransferURL.Scheme.sftp.rawValue + "://")
  }

  /// The fingerprint of a host key in the form of ssh-keygen(1): `SHA256:` and Base64 without
  /// padding.
  public var hostKeyFingerprint: String { Self.hostKeyFingerprint(ofHexadecimal: fingerprint) }

  /// - Parameter digits: the SHA-256 of a host key.
  package static func hostKeyFingerprint(ofHexadecimal digits: String) -> String {
    let digits = Array(digits.utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
    }
    let text = Base64Bytes(bytes).text
    return "SHA256:" + text.prefix { $0 != "=" }
  }
}
