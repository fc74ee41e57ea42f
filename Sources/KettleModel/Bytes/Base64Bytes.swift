/// Bytes that are encoded as Base64 (RFC 4648, section 4).
public struct Base64Bytes: Hashable, Sendable {
  public var bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  public var text: String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        let letter = Self.letters[Int(bits >> UInt32(18 - 6 * index) & 63)]
        text.append(index <= group.count ? letter : Self.padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text. Returns nil if it is not in the canonical form, the one that `text` produces.
  public init?(_ text: some StringProtocol) {
    let letters = Array(text.utf8)
    guard letters.count.isMultiple(of: 4) else { return nil }
    bytes = []
    bytes.reserveCapacity(letters.count / 4 * 3)
    var bits: UInt32 = 0
    var letterCount = 0
    for letter in letters where letter != Self.padding {
      guard let value = Self.value(of: letter) else { return nil }
      bits = bits << 6 | value
      letterCount += 1
      if letterCount.isMultiple(of: 4) {
        bytes += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8)]
        bytes.append(UInt8(truncatingIfNeeded: bits))
      }
    }
    switch letterCount % 4 {
    case 0: break
    case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case 3: bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
    default: return nil
    }
    guard self.text == text else { return nil }
  }

  private static func value(of letter: UInt8) -> UInt32? {
    switch letter {
    case 65...90: UInt32(letter - 65)
    case 97...122: UInt32(letter - 71)
    case 48...57: UInt32(letter + 4)
    case 43: 62
    case 47: 63
    default: nil
    }
  }
}

extension Base64Bytes: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Base64Bytes(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64")
    }
    self = bytes
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension Sequence<UInt8> {
  /// The bytes as lower-case hexadecimal digits.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
