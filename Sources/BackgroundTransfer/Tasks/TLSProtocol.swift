/// A version of TLS, by its number in the protocol. Source: Apple's documentation of
/// `tls_protocol_version_t`.
///
/// ```swift
/// let isCurrent = tls_protocol_version_t.TLSv13
/// ```
public enum tls_protocol_version_t: UInt16, Sendable {
  /// RFC 2246.
  case TLSv10 = 0x0301
  /// RFC 4346.
  case TLSv11 = 0x0302
  /// RFC 5246.
  case TLSv12 = 0x0303
  /// RFC 8446.
  case TLSv13 = 0x0304

  /// Returns the version that a TLS library names `TLSv1.3` (OpenSSL) or `TLS1.3` (GnuTLS).
  init?(name: String) {
    switch name.filter({ $0 != "v" }) {
    case "TLS1", "TLS1.0": self = .TLSv10
    case "TLS1.1": self = .TLSv11
    case "TLS1.2": self = .TLSv12
    case "TLS1.3": self = .TLSv13
    default: return nil
    }
  }
}

/// A cipher suite, by its number in IANA's registry; the suites that servers commonly choose.
/// Source: Apple's documentation of `tls_ciphersuite_t`.
///
/// ```swift
/// let suite = tls_ciphersuite_t.AES_256_GCM_SHA384
/// ```
public enum tls_ciphersuite_t: UInt16, Sendable {
  /// RFC 8446.
  case AES_128_GCM_SHA256 = 0x1301
  /// RFC 8446.
  case AES_256_GCM_SHA384 = 0x1302
  /// RFC 8446.
  case CHACHA20_POLY1305_SHA256 = 0x1303
  /// RFC 5289.
  case ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 = 0xC02B
  /// RFC 5289.
  case ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 = 0xC02C
  /// RFC 5289.
  case ECDHE_RSA_WITH_AES_128_GCM_SHA256 = 0xC02F
  /// RFC 5289.
  case ECDHE_RSA_WITH_AES_256_GCM_SHA384 = 0xC030
  /// RFC 7905.
  case ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 = 0xCCA8
  /// RFC 7905.
  case ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 = 0xCCA9

  /// Returns the suite with the name of OpenSSL or of GnuTLS.
  init?(name: String) {
    // `ECDHE-RSA-AES256-GCM-SHA384`, `ECDHE_RSA_AES_256_GCM_SHA384`, `TLS_AES_256_GCM_SHA384`.
    var key = name.uppercased().filter { $0 != "-" && $0 != "_" }
    if key.hasPrefix("TLS") { key.removeFirst(3) }
    switch key {
    case "AES128GCMSHA256": self = .AES_128_GCM_SHA256
    case "AES256GCMSHA384": self = .AES_256_GCM_SHA384
    case "CHACHA20POLY1305SHA256": self = .CHACHA20_POLY1305_SHA256
    case "ECDHEECDSAAES128GCMSHA256": self = .ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    case "ECDHEECDSAAES256GCMSHA384": self = .ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
    case "ECDHERSAAES128GCMSHA256": self = .ECDHE_RSA_WITH_AES_128_GCM_SHA256
    case "ECDHERSAAES256GCMSHA384": self = .ECDHE_RSA_WITH_AES_256_GCM_SHA384
    case "ECDHERSACHACHA20POLY1305", "ECDHERSACHACHA20POLY1305SHA256":
      self = .ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
    case "ECDHEECDSACHACHA20POLY1305", "ECDHEECDSACHACHA20POLY1305SHA256":
      self = .ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
    default: return nil
    }
  }
}
