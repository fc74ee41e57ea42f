/// A client certificate with its private key, both in PEM files.
///
/// The counterpart of Security's `SecIdentity`. The service reads the files when it needs them, so
/// they must stay in place until the transfer is over.
///
/// ```swift
/// let identity = SecIdentity(
///   certificatePath: "/etc/client/certificate.pem", keyPath: "/etc/client/key.pem")
/// let credential = URLCredential(identity: identity, certificates: nil, persistence: .forSession)
/// ```
public final class SecIdentity: Sendable {
  /// Absolute path of a PEM file with the certificate, followed by its chain.
  public let certificatePath: String
  /// Absolute path of a PEM file with the private key.
  public let keyPath: String
  /// The passphrase of the key; nil when the key is not encrypted.
  public let password: String?

  /// Creates an identity from the paths of its files, without reading them.
  public init(certificatePath: String, keyPath: String, password: String? = nil) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    self.password = password
  }
}
