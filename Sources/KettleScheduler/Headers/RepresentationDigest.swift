import KettleModel

extension ResponseHead {
  /// The digest of the whole file according to the server: `Repr-Digest: sha-256=:BASE64:` (RFC
  /// 9530, section 3), else its predecessor `Digest: sha-256=BASE64` (RFC 3230). Returns the
  /// strongest supported one, or nil.
  package var representationDigest: Checksum? {
    let found =
      values(of: "Repr-Digest").flatMap { Self.digests(in: $0, isQuotedByColons: true) }
      + values(of: "Digest").flatMap { Self.digests(in: $0, isQuotedByColons: false) }
      + storageDigests
    return found.max { $0.algorithm.strength < $1.algorithm.strength }
  }

  /// The digests that object stores send: `x-amz-checksum-sha256: BASE64` and
  /// `x-goog-hash: md5=BASE64` of the stored object, and `Content-MD5: BASE64` (RFC 1864) of what
  /// is sent, which for a part is not the file.
  private var storageDigests: [Checksum] {
    func digests(_ name: String, _ algorithm: Checksum.Algorithm) -> [Checksum] {
      // That of an object uploaded in parts ends with their number and is not one of its bytes.
      value(of: name).flatMap { Self.digest(algorithm, String($0.trimmed)) }.map { [$0] } ?? []
    }
    return values(of: "x-goog-hash").flatMap { Self.digests(in: $0, isQuotedByColons: false) }
      + digests("x-amz-checksum-sha256", .sha256) + digests("x-amz-checksum-sha1", .sha1)
      + (status == 206 ? [] : digests("Content-MD5", .md5))
  }

  private static func digest(_ algorithm: Checksum.Algorithm, _ base64: String) -> Checksum? {
    Base64Bytes(base64).flatMap { Checksum(algorithm: algorithm, hex: $0.bytes.hexadecimal) }
  }

  /// `text/html` for `Text/HTML; charset=utf-8`.
  package var mediaType: String? {
    guard let value = value(of: "Content-Type") else { return nil }
    let type = value.prefix { $0 != ";" }.trimmed.lowercased()
    return type.isEmpty || type.utf8.count > 100 ? nil : type
  }

  private static func digests(in value: String, isQuotedByColons: Bool) -> [Checksum] {
    value.split(separator: ",").compactMap { member in
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let algorithm = algorithm(named: parts[0].trimmed.lowercased()) else {
        return nil
      }
      var text = parts[1].trimmed
      if isQuotedByColons {
        guard text.count >= 2, text.hasPrefix(":"), text.hasSuffix(":") else { return nil }
        text = text.dropFirst().dropLast()
      }
      return digest(algorithm, String(text))
    }
  }

  /// The names of RFC 9530, section 5, and of RFC 3230, which also has `sha` and `md5`.
  private static func algorithm(named name: String) -> Checksum.Algorithm? {
    switch name {
    case "sha-512": .sha512
    case "sha-256": .sha256
    case "sha": .sha1
    case "md5": .md5
    default: nil
    }
  }
}

extension Checksum.Algorithm {
  fileprivate var strength: Int { hexDigitCount }
}
