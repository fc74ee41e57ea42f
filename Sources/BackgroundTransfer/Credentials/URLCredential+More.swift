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
