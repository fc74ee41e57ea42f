extension ServerCertificate {
  /// Whether it is the host key of an SFTP server.
  public var isHostKey: Bool { origin.hasPrefix(TransferURL.Scheme.sftp.rawValue + "://") }

  /// The fingerprint of a host key in the form of ssh-keygen(1): `SHA256:` and Base64 without
  /// padding.
  public var hostKeyFingerprint: String { Self.hostKeyFingerprint(ofHexadecimal: fingerprint) }

  /// - Parameter digits: the SHA-256 of a host key.
  package static func hostKeyFingerprint(ofHexadecimal digits: String) -> String {
    let digits = Array(digits.utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
    }
    let text = Base64Bytes(bytes).text
    return "SHA256:" + text.prefix { $0 != "=" }
  }
}
