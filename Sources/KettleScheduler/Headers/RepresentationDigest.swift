import KettleModel

extension ResponseHead {
  /// The digest of the whole file according to the server: `Repr-Digest: sha-256=:BASE64:` (RFC
  /// 9530, section 3), else its predecessor `Digest: sha-256=BASE64` (RFC 3230). Returns the
  /// strongest supported one, or nil.
  package var representationDigest: Checksum? {
    let found =
      values(of: "Repr-Digest").flatMap { Self.digests(in: $0, isQuotedByColons: true) }
      + values(of: "Digest").flatMap { Self.digests(in: $0, isQuotedByColons: false) }
    return found.max { $0.algorithm.strength < $1.algorithm.strength }
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
      return Base64.hex(of: text).flatMap { Checksum(algorithm: algorithm, hex: $0) }
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

/// Converts Base64 (RFC 4648, section 4) to hexadecimal; nil for invalid input.
enum Base64 {
  static func hex(of text: Substring) -> String? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4), digits.count <= 128 else { return nil }
    let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for digit in digits.dropLast(padding) {
      guard let value = value(of: digit) else { return nil }
      bits = (bits << 6 | UInt32(value)) & 0xFFFF
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    let letters = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 65...90: digit - 65
    case 97...122: digit - 71
    case 48...57: digit + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
