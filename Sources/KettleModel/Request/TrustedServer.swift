/// A server that the user trusts although the system does not.
public struct TrustedServer: Hashable, Sendable, Codable {
  /// In the form of `Origin.text`.
  public var origin: String
  /// The SHA-256 of its public key (SubjectPublicKeyInfo) or host key in lowercase hexadecimal
  /// digits.
  public var key: String

  public init(origin: String, key: String) {
    self.origin = origin
    self.key = key
  }

  public init(_ certificate: ServerCertificate) {
    self.init(origin: certificate.origin, key: certificate.key)
  }
}

/// What the user has decided for every transfer from a host.
public struct RememberedHost: Hashable, Sendable, Codable {
  /// Sent where a transfer has no login of its own.
  public var login: Login?
  /// The public keys that are trusted, like `TrustedServer.key`.
  public var trustedKeys: [String]

  public init(login: Login? = nil, trustedKeys: [String] = []) {
    self.login = login
    self.trustedKeys = trustedKeys
  }

  public var isEmpty: Bool { login == nil && trustedKeys.isEmpty }
}
