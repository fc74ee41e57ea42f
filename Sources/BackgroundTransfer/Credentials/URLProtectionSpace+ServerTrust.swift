import Foundation
import FoundationNetworking

/// A protection space of a server whose certificates are to be judged.
// Unchecked because the class above it is, too: nothing of either changes after it was made.
final class ServerTrustSpace: URLProtectionSpace, @unchecked Sendable {
  let trust: SecTrust

  init(host: String, port: Int, protocol scheme: String, trust: SecTrust) {
    self.trust = trust
    super.init(
      host: host, port: port, protocol: scheme, realm: nil,
      authenticationMethod: NSURLAuthenticationMethodServerTrust)
  }

  /// There is no coded form of it: it means something while the challenge waits only.
  required init?(coder: NSCoder) { return nil }
}

extension URLProtectionSpace {
  /// The certificates of the server; nil when the challenge is about something else.
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
