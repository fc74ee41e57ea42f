/// A value in a message, with its type.
package indirect enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(String)
  case descriptor(UInt32)
  case variant(BusValue)
  /// An empty array has an element type too.
  case array(of: BusType, [BusValue])
  case structure([BusValue])
  case entry(key: BusValue, value: BusValue)

  package var type: BusType {
    switch self {
    case .byte: .byte
    case .boolean: .boolean
    case .int16: .int16
    case .uint16: .uint16
    case .int32: .int32
    case .uint32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .double: .double
    case .string: .string
    case .objectPath: .objectPath
    case .signature: .signature
    case .descriptor: .descriptor
    case .variant: .variant
    case .array(let element, _): .array(element)
    case .structure(let members): .structure(members.map(\.type))
    case .entry(let key, let value): .entry(key.type, value.type)
    }
  }

  /// `/`, or names of letters, digits and underscores, each after a slash.
  static func isObjectPath(_ text: String) -> Bool {
    if text == "/" { return true }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count > 1, parts.first?.isEmpty == true else { return false }
    return parts.dropFirst().allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
          default: false
          }
        }
    }
  }
}

/// The type of a value (D-Bus Specification, "Type System").
package indirect enum BusType: Hashable, Sendable {
  case byte, boolean, int16, uint16, int32, uint32, int64, uint64, double
  case string, objectPath, signature
  /// The index of a descriptor sent beside the message; we accept none.
  case descriptor
  case variant
  case array(BusType)
  case structure([BusType])
  /// A dict entry: a key and a value. It occurs only as the element type of an array.
  case entry(BusType, BusType)

  var isBasic: Bool {
    switch self {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string,
      .objectPath, .signature, .descriptor:
      true
    case .variant, .array, .structure, .entry: false
    }
  }

  /// Values begin at a multiple of this many bytes from the start of the message.
  var alignment: Int {
    switch self {
    case .byte, .signature, .variant: 1
    case .int16, .uint16: 2
    case .boolean, .int32, .uint32, .string, .objectPath, .descriptor, .array: 4
    case .int64, .uint64, .double, .structure, .entry: 8
    }
  }

  package var text: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .variant: "v"
    case .array(let element): "a" + element.text
    case .structure(let members): "(" + members.map(\.text).joined() + ")"
    case .entry(let key, let value): "{" + key.text + value.text + "}"
    }
  }
}

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

/// What is wrong with received bytes or with values to encode.
package enum BusFault: Error, Hashable, Sendable {
  /// It ends too early.
  case cutOff
  /// It breaks a rule of the specification.
  case malformed
  /// It is longer or nests deeper than allowed here.
  case tooLarge
}

/// The byte order of numbers; the first byte of a message declares it.
package enum BusByteOrder: UInt8, Hashable, Sendable, CaseIterable {
  case little = 0x6C
  case big = 0x42
}

/// Limits for both directions.
enum BusLimits {
  /// The specification allows 128 MiB; no reply that we request comes near this limit.
  static let messageByteCountMax = 1 << 20
  /// Nested containers, variants included.
  static let depthMax = 64
}
