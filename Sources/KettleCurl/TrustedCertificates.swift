import CKettleCurl
import Glibc

/// Where the certificates of the authorities are that every https attempt trusts.
package struct TrustedCertificates: Sendable, Hashable {
  /// A file of PEM certificates.
  package var file: String?
  /// A directory of PEM files under their hashes, as `openssl rehash` makes it.
  package var directory: String?

  package init(file: String?, directory: String?) {
    self.file = file
    self.directory = directory
  }

  /// Decides as curl(1) does: `CURL_CA_BUNDLE`, else `SSL_CERT_FILE` and `SSL_CERT_DIR`, else what
  /// is on the machine. What the user named is used even when it cannot be read: a typing error
  /// must not silently widen the trust.
  package init(environment: [String: String]) {
    func named(_ variable: String) -> String? {
      environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let bundle = named("CURL_CA_BUNDLE") {
      self.init(file: bundle, directory: nil)
    } else if named("SSL_CERT_FILE") != nil || named("SSL_CERT_DIR") != nil {
      self.init(file: named("SSL_CERT_FILE"), directory: named("SSL_CERT_DIR"))
    } else {
      self = Self.ofMachine(
        builtInFile: kettle_built_in_ca_file().map { String(cString: $0) },
        builtInDirectory: kettle_built_in_ca_directory().map { String(cString: $0) },
        isReadable: { access($0, R_OK) == 0 })
    }
  }

  /// Where the distributions keep the bundle: Debian, Fedora, SUSE, Alpine.
  static let knownFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The first bundle that is there, because libcurl may come from another distribution than the
  /// one it runs on.
  ///
  /// One file and no directory wherever that is possible: only then does libcurl keep the parsed
  /// certificates between connections (CURLOPT_CA_CACHE_TIMEOUT).
  static func ofMachine(
    builtInFile: String?, builtInDirectory: String?, isReadable: (String) -> Bool
  ) -> TrustedCertificates {
    for file in [builtInFile].compactMap({ $0 }) + knownFiles where isReadable(file) {
      return TrustedCertificates(file: file, directory: nil)
    }
    return TrustedCertificates(file: nil, directory: builtInDirectory ?? "/etc/ssl/certs")
  }
}
