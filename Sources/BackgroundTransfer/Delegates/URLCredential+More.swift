import Foundation
import FoundationNetworking
import KettleModel

/// A credential other than a user name and password.
///
/// FoundationNetworking's `URLCredential` has room for a user name and a password only. Other
/// credentials are encoded in these two, with a user name that begins with a control character. No
/// user name of HTTP does (RFC 7617, section 2), so the two cannot be confused, and copies and
/// comparisons work as for every credential.
enum SpecialCredential {
  case trust(serverKeyDigest: String)
  case identity(ClientCertificate)

  private static let trustMark = "\u{1}trust"
  private static let identityMark = "\u{1}identity"

  init?(_ credential: URLCredential) {
    guard let user = credential.user, user.hasPrefix("\u{1}"), let text = credential.password
    else { return nil }
    if user == Self.trustMark {
      self = .trust(serverKeyDigest: text)
    } else if user == Self.identityMark,
      let certificate = try? JSONDecoder().decode(ClientCertificate.self, from: Data(text.utf8))
    {
      self = .identity(certificate)
    } else {
      return nil
    }
  }

  var user: String {
    switch self {
    case .trust: Self.trustMark
    case .identity: Self.identityMark
    }
  }

  var password: String {
    switch self {
    case .trust(let digest): digest
    case .identity(let certificate):
      // Only strings, which JSON can always encode.
      (try? JSONEncoder().encode(certificate)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}

extension URLCredential {
  /// Creates a credential that accepts a server as authentic.
  ///
  /// It is valid for the certificate that the server presented, whether or not the system trusts
  /// it, and for no other. Its `user` and `password` are not for display. Source: Apple's
  /// documentation of `URLCredential.init(trust:)`.
  ///
  /// ```swift
  /// func accept(_ challenge: URLAuthenticationChallenge) -> URLCredential? {
  ///   challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:))
  /// }
  /// ```
  public convenience init(trust: SecTrust) {
    let special = SpecialCredential.trust(serverKeyDigest: trust.serverKeyDigest)
    self.init(user: special.user, password: special.password, persistence: .forSession)
  }

  /// Creates a credential that presents a client certificate to a server.
  ///
  /// `certificates` exists for source compatibility and is ignored: the chain follows the
  /// certificate in the file of the identity.
  ///
  /// Source: Apple's documentation of `URLCredential.init(identity:certificates:persistence:)`.
  ///
  /// ```swift
  /// let identity = SecIdentity(
  ///   certificatePath: "/etc/client/certificate.pem", keyPath: "/etc/client/key.pem")
  /// let credential = URLCredential(
  ///   identity: identity, certificates: nil, persistence: .forSession)
  /// ```
  public convenience init(
    identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence
  ) {
    let special = SpecialCredential.identity(
      ClientCertificate(
        certificatePath: identity.certificatePath, keyPath: identity.keyPath,
        password: identity.password))
    self.init(user: special.user, password: special.password, persistence: persistence)
  }
}

// The names that FoundationNetworking declares, and those that it lacks. Source:
// NSURLProtectionSpace.h.

/// The default method of a protocol.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
/// Basic, RFC 7617.
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// Digest, RFC 7616.
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
/// An HTML form on a page; no challenge uses it.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// NTLM.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
/// Negotiate, RFC 4559.
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
/// The server requests a client certificate.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
/// The delegate evaluates the server's certificates.
///
/// ```swift
/// func isAboutTrust(_ challenge: URLAuthenticationChallenge) -> Bool {
///   challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
/// }
/// ```
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

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

/// The protection space of a server trust challenge.
// Unchecked because its superclass is too: neither changes after initialization.
final class ServerTrustSpace: URLProtectionSpace, @unchecked Sendable {
  let trust: SecTrust

  init(host: String, port: Int, protocol scheme: String, trust: SecTrust) {
    self.trust = trust
    super.init(
      host: host, port: port, protocol: scheme, realm: nil,
      authenticationMethod: NSURLAuthenticationMethodServerTrust)
  }

  /// Always nil: the value is meaningful only while its challenge is pending.
  required init?(coder: NSCoder) { return nil }
}

extension URLProtectionSpace {
  /// The certificates of the server; nil unless this is a server trust challenge.
  ///
  /// Source: Apple's documentation of `URLProtectionSpace.serverTrust`.
  ///
  /// ```swift
  /// func keyDigest(_ challenge: URLAuthenticationChallenge) -> String? {
  ///   challenge.protectionSpace.serverTrust?.serverKeyDigest
  /// }
  /// ```
  public var serverTrust: SecTrust? { (self as? ServerTrustSpace)?.trust }
}
