/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
  /// Returns the escape of a byte, such as `%2F`.
  package static func escape(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// Decodes all escapes. Returns nil if one is truncated or malformed.
  package static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
    decoded(text) { _ in nil }
  }

  /// Decodes all escapes and keeps truncated or malformed ones as they are.
  package static func decodedLeniently(_ text: some Collection<UInt8>) -> [UInt8] {
    decoded(text) { [$0] } ?? []
  }

  private static func decoded(
    _ text: some Collection<UInt8>, malformed: (UInt8) -> [UInt8]?
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      index = text.index(after: index)
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = text[index...].prefix(2).compactMap(value(ofDigit:))
      if digits.count == 2, let high = digits.first, let low = digits.last {
        bytes.append(high << 4 | low)
        index = text.index(index, offsetBy: 2)
      } else if let replacement = malformed(byte) {
        bytes += replacement
      } else {
        return nil
      }
    }
    return bytes
  }

  private static func value(ofDigit byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// Numbers that consist of digits only, without sign and blanks.
package enum DecimalDigits {
  /// Returns nil if the text has other characters or more than 19 digits, or does not fit.
  package static func int64(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int64(text)
  }
}

extension PercentEncoding {
  /// Encodes the components of a path and keeps the slashes between them.
  package static func encoded(path: String) -> String {
    encoded(path.utf8) { $0 == UInt8(ascii: "/") }
  }

  /// Encodes one component of a path, or one value of a query.
  package static func encoded(component: String) -> String { encoded(component: component.utf8) }

  package static func encoded(component bytes: some Sequence<UInt8>) -> String {
    encoded(bytes) { _ in false }
  }

  /// Encodes all but unreserved characters (RFC 3986, section 2.3), so that a name with a colon, a
  /// question mark or a number sign stays a name in any reference.
  private static func encoded(
    _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool
  ) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.underestimatedCount)
    for byte in bytes {
      if isUnreserved(byte) || isKept(byte) { result.append(byte) } else { result += escape(byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
