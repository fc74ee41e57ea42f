/// A certificate of the client with its private key, both in files.
///
/// The counterpart of Security's `SecIdentity`. The service reads the files when it needs them, so
/// they have to stay where they are while the transfer lives.
///
/// ```swift
/// let identity = SecIdentity(
///   certificatePath: "/etc/client/certificate.pem", keyPath: "/etc/client/key.pem")
/// let credential = URLCredential(identity: identity, certificates: nil, persistence: .forSession)
/// ```
public final class SecIdentity: Sendable {
  /// Absolute path of a PEM file: the certificate, and its chain behind it.
  public let certificatePath: String
  /// Absolute path of a PEM file.
  public let keyPath: String
  /// What the key is encrypted with; nil when it is not.
  public let password: String?

  /// Names the files of an identity; they are not read here.
  public init(certificatePath: String, keyPath: String, password: String? = nil) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    self.password = password
  }
}
