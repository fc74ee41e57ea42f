import CKettleCurl
import Glibc
import KettleEngine
import KettleModel

/// How the certificates of a server are verified.
enum ServerVerification: Hashable {
  /// By libcurl.
  case standard
  /// By us, while OpenSSL waits.
  case byKeys(Set<String>, asksForOthers: Bool)
  /// Impossible in this process, with the reason.
  case impossible(String)

  /// - Parameters:
  ///   - library: The TLS library that libcurl uses, such as "OpenSSL/3.0.19".
  ///   - openSSLMajor: The OpenSSL version of this process; its types must be those of libcurl.
  init(_ trust: ServerTrust, library: String?, openSSLMajor: UInt32) {
    switch trust {
    case .system: self = .standard
    case .keys(let keys, let asksForOthers):
      if library?.hasPrefix("OpenSSL/\(openSSLMajor).") == true {
        self = .byKeys(Set(keys.map { $0.lowercased() }), asksForOthers: asksForOthers)
      } else if keys.isEmpty, !asksForOthers {
        self = .standard
      } else {
        self = .impossible(
          "its certificates can only be verified with OpenSSL \(openSSLMajor), and libcurl uses "
            + (library ?? "nothing"))
      }
    }
  }

  static func here(_ trust: ServerTrust) -> ServerVerification {
    ServerVerification(
      trust, library: kettle_tls_library().map { String(cString: $0) },
      openSSLMajor: OPENSSL_version_major())
  }
}

/// A server's certificates and the system's verdict on them.
struct ServerIdentity {
  /// In DER form. The server's own certificate comes first.
  var certificates: [Base64Bytes]
  /// The SHA-256 of the SubjectPublicKeyInfo, in hexadecimal; nil when unavailable.
  var key: String?
  private var subject = ""
  private var issuer = ""
  private var validFrom: WallTime?
  private var validUntil: WallTime?
  /// X509_V_OK, or the error (X509_STORE_CTX_get_error(3)).
  var systemError: Int32

  var isTrustedBySystem: Bool { systemError == X509_V_OK }

  /// What a person needs to recognize the server; nil when the certificate could not be read.
  func certificate(of origin: Origin) -> ServerCertificate? {
    guard let key, let fingerprint = certificates.first.flatMap({ Self.sha256($0.bytes) }) else {
      return nil
    }
    var certificate = ServerCertificate(
      origin: origin.text, fingerprint: fingerprint, key: key, subject: subject, issuer: issuer)
    certificate.validFrom = validFrom
    certificate.validUntil = validUntil
    return certificate
  }

  /// Reads the certificates from a verification that OpenSSL has just begun, and lets OpenSSL
  /// verify them.
  ///
  /// `host` is the URL's host. For a name, the form that libcurl prepared for the wire is in the
  /// connection (SNI).
  init?(_ verification: OpaquePointer, host: String) {
    guard let leaf = X509_STORE_CTX_get0_cert(verification) else { return nil }
    certificates = (0..<kettle_tls_certificate_count(verification)).compactMap { index in
      kettle_tls_certificate(verification, index).flatMap { certificate in
        Self.der { i2d_X509(certificate, $0) }.map(Base64Bytes.init)
      }
    }
    key = Self.der { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(leaf), $0) }.flatMap(Self.sha256)
    subject = Self.name(X509_get_subject_name(leaf))
    issuer = Self.name(X509_get_issuer_name(leaf))
    validFrom = X509_get0_notBefore(leaf).flatMap(Self.time)
    validUntil = X509_get0_notAfter(leaf).flatMap(Self.time)
    if X509_verify_cert(verification) == 1 {
      systemError = Self.nameError(of: leaf, verification, host: host)
    } else {
      let error = X509_STORE_CTX_get_error(verification)
      systemError = error == X509_V_OK ? X509_V_ERR_UNSPECIFIED : error
    }
  }

  /// The common name, or else the organization; empty without both (X509_NAME_get_text_by_NID(3)).
  private static func name(_ name: OpaquePointer?) -> String {
    guard let name else { return "" }
    for part in [NID_commonName, NID_organizationName] {
      var text = [CChar](repeating: 0, count: 256)
      let byteCount = Int(X509_NAME_get_text_by_NID(name, part, &text, Int32(text.count)))
      guard byteCount > 0 else { continue }
      return String(decoding: text.prefix(byteCount).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return ""
  }

  private static func time(_ time: UnsafePointer<ASN1_TIME>) -> WallTime? {
    var parts = tm()
    guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return WallTime(millisecondsSince1970: Int64(timegm(&parts)) * 1000)
  }

  private static func nameError(
    of leaf: OpaquePointer, _ verification: OpaquePointer, host: String
  ) -> Int32 {
    guard let name = kettle_tls_server_name(verification) else {
      let address = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      return X509_check_ip_asc(leaf, address, 0) == 1 ? X509_V_OK : X509_V_ERR_IP_ADDRESS_MISMATCH
    }
    // OpenSSL reads a name with a leading dot as everything below it.
    let isName = name.pointee != 0 && name.pointee != CChar(bitPattern: UInt8(ascii: "."))
    return isName && X509_check_host(leaf, name, strlen(name), kettle_tls_name_rules, nil) == 1
      ? X509_V_OK : X509_V_ERR_HOSTNAME_MISMATCH
  }

  /// Calls an OpenSSL encoder twice: for the length, then for the bytes.
  private static func der(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  ) -> [UInt8]? {
    let byteCount = Int(encode(nil))
    guard byteCount > 0 else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      var next = buffer.baseAddress
      count = max(Int(encode(&next)), 0)
    }
    return bytes.count == byteCount ? bytes : nil
  }

  static func sha256(_ bytes: [UInt8]) -> String? {
    var digest = [UInt8](repeating: 0, count: 32)
    var byteCount: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &byteCount, EVP_sha256(), nil) == 1,
      byteCount == 32
    else { return nil }
    return digest.hexadecimal
  }
}
