/// Decodes `%41` in names, where an error must never cost the whole name.
///
/// `TransferURL.percentDecoded` refuses control bytes; here they pass, to be replaced with
/// everything else that a name must not contain.
enum PercentText {
  /// Keeps a truncated or malformed escape as it is.
  static func decodedLeniently(_ text: some Collection<UInt8>) -> [UInt8] {
    decoded(text) { [$0] } ?? []
  }

  /// Returns nil for a truncated or malformed escape.
  static func decodedStrictly(_ text: some Collection<UInt8>) -> [UInt8]? {
    decoded(text) { _ in nil }
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
      let digits = text[index...].prefix(2).compactMap(hexValue)
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

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
