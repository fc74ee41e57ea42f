/// A value in the encoding of torrents (BEP 3, "bencoding").
package enum BencodeValue: Hashable, Sendable {
  case number(Int64)
  case bytes(ArraySlice<UInt8>)
  case list([BencodeValue])
  case dictionary([ArraySlice<UInt8>: BencodeValue])

  /// The value of a key; nil if this is no dictionary or lacks it.
  package subscript(_ key: String) -> BencodeValue? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries[ArraySlice(key.utf8)]
  }

  package var number: Int64? {
    if case .number(let number) = self { return number }
    return nil
  }

  package var bytes: ArraySlice<UInt8>? {
    if case .bytes(let bytes) = self { return bytes }
    return nil
  }

  package var list: [BencodeValue]? {
    if case .list(let list) = self { return list }
    return nil
  }

  package var dictionary: [ArraySlice<UInt8>: BencodeValue]? {
    if case .dictionary(let entries) = self { return entries }
    return nil
  }
}

/// Reads one value of bencoding that is all of the bytes (BEP 3).
///
/// What is read of any bytes: at most `valueCountMax` values, nested no deeper than `depthMax`.
/// Numbers are canonical and fit into 64 bits, strings lie within the bytes, and no dictionary has
/// a key twice. The order of the keys does not matter: some programs write them unsorted.
package struct BencodeReader {
  package static let depthMax = 32
  package static let valueCountMax = 500_000

  private let bytes: [UInt8]
  private var index = 0
  private var valueCount = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the value; throws where the bytes are not one.
  package static func read(_ bytes: [UInt8]) throws(BencodeProblem) -> BencodeValue {
    var reader = BencodeReader(bytes)
    let value = try reader.value(depth: 0)
    guard reader.index == bytes.count else { throw reader.malformed }
    return value
  }

  private var malformed: BencodeProblem { .malformed(offset: index) }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func value(depth: Int) throws(BencodeProblem) -> BencodeValue {
    valueCount += 1
    guard depth < Self.depthMax else { throw .tooDeep }
    guard valueCount <= Self.valueCountMax else { throw .tooManyValues }
    if take(UInt8(ascii: "i")) {
      let number = try number(before: UInt8(ascii: "e"))
      return .number(number)
    }
    if take(UInt8(ascii: "l")) {
      var list: [BencodeValue] = []
      while !take(UInt8(ascii: "e")) { list.append(try value(depth: depth + 1)) }
      return .list(list)
    }
    if take(UInt8(ascii: "d")) {
      var entries: [ArraySlice<UInt8>: BencodeValue] = [:]
      while !take(UInt8(ascii: "e")) {
        let key = try string()
        let value = try value(depth: depth + 1)
        guard entries.updateValue(value, forKey: key) == nil else { throw malformed }
      }
      return .dictionary(entries)
    }
    return .bytes(try string())
  }

  /// Reads a number without leading zeros, and what ends it.
  private mutating func number(before end: UInt8) throws(BencodeProblem) -> Int64 {
    let isNegative = take(UInt8(ascii: "-"))
    let start = index
    while index < bytes.count, (48...57).contains(bytes[index]) { index += 1 }
    let digits = Substring(decoding: bytes[start..<index], as: UTF8.self)
    guard let number = DecimalDigits.int64(digits), take(end),
      digits.utf8.count == 1 || digits.first != "0", !(isNegative && number == 0)
    else { throw malformed }
    return isNegative ? -number : number
  }

  private mutating func string() throws(BencodeProblem) -> ArraySlice<UInt8> {
    let count = try number(before: UInt8(ascii: ":"))
    guard count >= 0, count <= bytes.count - index else { throw malformed }
    let start = index
    index += Int(count)
    return bytes[start..<index]
  }
}

/// Why bytes are not bencoding that can be read.
package enum BencodeProblem: Error, Hashable, Sendable {
  case malformed(offset: Int)
  case tooDeep
  case tooManyValues
}
