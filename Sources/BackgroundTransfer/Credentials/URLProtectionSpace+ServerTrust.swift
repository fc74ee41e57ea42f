import Foundation
import FoundationNetworking

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
