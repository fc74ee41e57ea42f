/// Parses a signature: the types of consecutive values, one letter for each basic type.
struct BusSignature {
  static let byteCountMax = 255
  /// For nested arrays, and likewise for nested structures.
  static let depthMax = 32

  private var rest: ArraySlice<UInt8>

  /// Returns the types, or nil when the text is not a signature.
  static func parse(_ text: String) -> [BusType]? {
    guard text.utf8.count <= byteCountMax else { return nil }
    var reader = BusSignature(rest: Array(text.utf8)[...])
    var types: [BusType] = []
    while !reader.rest.isEmpty {
      guard let type = reader.type(arrays: 0, structures: 0) else { return nil }
      types.append(type)
    }
    return types
  }

  private mutating func type(arrays: Int, structures: Int) -> BusType? {
    guard let letter = rest.popFirst() else { return nil }
    switch letter {
    case UInt8(ascii: "v"): return .variant
    case UInt8(ascii: "a"):
      guard arrays < Self.depthMax else { return nil }
      if rest.first == UInt8(ascii: "{") {
        return entry(arrays: arrays + 1, structures: structures)
      }
      return type(arrays: arrays + 1, structures: structures).map { .array($0) }
    case UInt8(ascii: "("):
      guard structures < Self.depthMax else { return nil }
      var members: [BusType] = []
      while rest.first != UInt8(ascii: ")") {
        guard let member = type(arrays: arrays, structures: structures + 1) else { return nil }
        members.append(member)
      }
      rest = rest.dropFirst()
      return members.isEmpty ? nil : .structure(members)
    default: return Self.basic(letter)
    }
  }

  private mutating func entry(arrays: Int, structures: Int) -> BusType? {
    rest = rest.dropFirst()
    guard structures < Self.depthMax, let letter = rest.popFirst(), let key = Self.basic(letter),
      let value = type(arrays: arrays, structures: structures + 1),
      rest.popFirst() == UInt8(ascii: "}")
    else { return nil }
    return .array(.entry(key, value))
  }

  private static func basic(_ letter: UInt8) -> BusType? {
    switch letter {
    case UInt8(ascii: "y"): .byte
    case UInt8(ascii: "b"): .boolean
    case UInt8(ascii: "n"): .int16
    case UInt8(ascii: "q"): .uint16
    case UInt8(ascii: "i"): .int32
    case UInt8(ascii: "u"): .uint32
    case UInt8(ascii: "x"): .int64
    case UInt8(ascii: "t"): .uint64
    case UInt8(ascii: "d"): .double
    case UInt8(ascii: "s"): .string
    case UInt8(ascii: "o"): .objectPath
    case UInt8(ascii: "g"): .signature
    case UInt8(ascii: "h"): .descriptor
    default: nil
    }
  }
}
