import FoundationEssentials
import KettleModel

/// Decodes the JSON documents of services.
package enum ListedJSON {
  /// No service nests deeper. The decoder recurses for each level, so a document of brackets alone
  /// would overflow its stack.
  private static let depthMax = 64

  private static let decoder = JSONDecoder()

  /// Returns nil for bytes that are not JSON in UTF-8, that nest too deeply, or that have values of
  /// other types.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: some Collection<UInt8>
  ) -> Value? {
    guard isDecodable(bytes) else { return nil }
    return try? decoder.decode(type, from: Data(bytes))
  }

  /// Finds out in one pass whether bytes may be decoded. A zero byte would make the decoder mistake
  /// the text for UTF-16.
  private static func isDecodable(_ bytes: some Collection<UInt8>) -> Bool {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in bytes {
      if byte == 0 { return false }
      if isEscaped {
        isEscaped = false
      } else if isInString {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
        if depth > depthMax { return false }
      }
    }
    return String(validating: bytes, as: UTF8.self) != nil
  }
}

/// A value that services write as a string, a number or a boolean; without text if it is of another
/// type.
package struct ListedScalar: Decodable, Hashable, Sendable {
  package let text: String?

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let string = try? container.decode(String.self) {
      text = string
    } else if let number = try? container.decode(Int64.self) {
      text = String(number)
    } else {
      text = (try? container.decode(Bool.self)).map { $0 ? "true" : "false" }
    }
  }

  /// The value as a size; nil for anything but a number that is not negative.
  package var byteCount: Int64? { text.flatMap { DecimalDigits.int64($0[...]) } }

  /// The value as a digest.
  package func checksum(_ algorithm: Checksum.Algorithm) -> Checksum? {
    text.flatMap { Checksum(algorithm: algorithm, hex: $0) }
  }
}

/// A value of any shape, for documents of which only a few values count.
struct ListedValue: Decodable {
  let scalar: ListedScalar
  /// Of an array; `null` has none.
  let items: [ListedValue]?
  /// Of an object.
  let fields: [String: ListedValue]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    scalar = try ListedScalar(from: decoder)
    let isScalar = scalar.text != nil
    items = isScalar ? nil : try? container.decode([ListedValue]?.self) ?? []
    let isObject = !isScalar && items == nil
    fields = isObject ? (try? container.decode([String: ListedValue].self)) ?? [:] : [:]
  }

  var text: String? { scalar.text }

  subscript(_ name: String) -> ListedValue? { fields[name] }
}
