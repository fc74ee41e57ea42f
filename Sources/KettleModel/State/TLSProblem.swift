/// Why a server's TLS handshake, certificate or host key was refused, as far as the message shows.
package enum TLSProblem: Hashable, Sendable, CaseIterable {
  case unknownAuthority, expired, notYetValid, otherName, notTLS, other
  /// SSH: the known hosts contain another key of the host.
  case otherHostKey
  /// FTP: the server offers no TLS.
  case noTLS
  /// FTP: the server demands TLS, and refuses to begin it.
  case demandedTLS
  /// The server has no version of TLS that is permitted.
  case oldVersion

  /// - Parameter detail: the message, from libcurl or from X509_verify_cert_error_string(3).
  package init(detail: String?) {
    let text = detail?.lowercased() ?? ""
    let signs: [(TLSProblem, [String])] = [
      (.expired, ["has expired"]),
      (.notYetValid, ["not yet valid"]),
      (
        .otherName,
        ["subject name", "hostname mismatch", "host name mismatch", "ip address mismatch"]
      ),
      (.unknownAuthority, ["self-signed", "self signed", "issuer", "unable to verify the first"]),
      (.otherHostKey, [Self.otherHostKeyWords]),
      (.noTLS, [Self.noTLSWords.lowercased()]),
      (.demandedTLS, [Self.demandedTLSWords.lowercased()]),
      (
        .oldVersion,
        [
          "unsupported protocol", "alert protocol version", "no protocols available",
          "unsupported version", "version too low",
        ]
      ),
      (.notTLS, ["wrong version number", "http request", "packet length too long"]),
    ]
    self = signs.first { $0.1.contains(where: text.contains) }?.0 ?? .other
  }

  /// Part of the messages of these three.
  package static let otherHostKeyWords = "is not the one in known_hosts"
  package static let noTLSWords = "the server offers no TLS"
  package static let demandedTLSWords = "the server demands TLS and does not begin it with AUTH TLS"

  /// Whether a look at the server's certificate could solve it.
  package var concernsCertificate: Bool {
    switch self {
    case .unknownAuthority, .expired, .notYetValid, .otherName, .other: true
    case .notTLS, .noTLS, .demandedTLS, .oldVersion, .otherHostKey: false
    }
  }

  /// What the user can do.
  package var remedy: String {
    switch self {
    case .unknownAuthority:
      "if the server is yours, give its certificate authority with --ca-certificate"
    case .expired: "its operator must renew the certificate; check the clock of this machine too"
    case .notYetValid: "check the clock of this machine"
    case .otherName: "use the host name for which the certificate was issued"
    case .notTLS: "the server does not use TLS on this port; check the port, or use http://"
    case .otherHostKey:
      "another machine may have answered; if its key was replaced, remove the old one with "
        + "ssh-keygen -R HOST"
    case .noTLS:
      "check the port, or use ftp:// without an authority of your own, which is unencrypted"
    case .demandedTLS:
      "use ftps:// if it has that, with --ca-certificate for an authority of your own, or ask its "
        + "operator"
    case .oldVersion:
      "its TLS is older than version 1.2, which is not safe; its operator must enable a newer one"
    case .other: "check the address, and whether a program in between intercepts TLS"
    }
  }
}

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
