import CKettleCurl
import Glibc
import KettleModel
import KettleSystem

/// The location of the authorities' certificates that every https attempt trusts.
package struct TrustedCertificates: Sendable, Hashable {
  /// A file of PEM certificates.
  package var file: String?
  /// A directory of PEM files named by hash, as `openssl rehash` creates it.
  package var directory: String?

  /// No file of certificates is larger.
  static let fileByteCountMax = 16 << 20

  /// Why the file cannot be used; nil when it can be read, and when it is missing, which libcurl
  /// reports. Checked before libcurl reads it: libcurl would wait for the writer of a pipe and read
  /// a device without end, and block all attempts.
  var fileProblem: TransferFailure? {
    guard let file,
      case .unusable(let detail)? =
        FileContents.obstacle(path: file, byteCountMax: Self.fileByteCountMax)
    else { return nil }
    return TransferFailure(.certificateFileUnusable, on: file, detail: detail)
  }

  package init(file: String?, directory: String?) {
    self.file = file
    self.directory = directory
  }

  /// Follows curl(1): `CURL_CA_BUNDLE`, else `SSL_CERT_FILE` and `SSL_CERT_DIR`, else the machine's
  /// own. A location named by the user is used even when unreadable: a typing error must not
  /// silently widen the trust.
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

  /// The bundles of the distributions: Debian, Arch and Nix; Fedora, the second without its links;
  /// SUSE, likewise; Alpine.
  static let knownFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
    "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The first existing bundle, because libcurl may come from another distribution than the one it
  /// runs on.
  ///
  /// One file and no directory where possible: only then does libcurl keep the parsed certificates
  /// between connections (CURLOPT_CA_CACHE_TIMEOUT).
  static func ofMachine(
    builtInFile: String?, builtInDirectory: String?, isReadable: (String) -> Bool
  ) -> TrustedCertificates {
    for file in [builtInFile].compactMap({ $0 }) + knownFiles where isReadable(file) {
      return TrustedCertificates(file: file, directory: nil)
    }
    return TrustedCertificates(file: nil, directory: builtInDirectory ?? "/etc/ssl/certs")
  }
}
