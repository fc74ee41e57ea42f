/// Why a server's TLS handshake or certificate was refused, as far as the message of the TLS
/// library shows.
package enum TLSProblem: Hashable, Sendable, CaseIterable {
  case unknownAuthority, expired, notYetValid, otherName, notTLS, other

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
      (.notTLS, ["wrong version number", "http request", "packet length too long"]),
    ]
    self = signs.first { $0.1.contains(where: text.contains) }?.0 ?? .other
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
    case .other: "check the address, and whether a program in between intercepts TLS"
    }
  }
}
