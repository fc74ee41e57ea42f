/// The type of a value (D-Bus Specification, "Type System").
package indirect enum BusType: Hashable, Sendable {
  case byte, boolean, int16, uint16, int32, uint32, int64, uint64, double
  case string, objectPath, signature
  /// The index of a descriptor sent beside the message; we accept none.
  case descriptor
  case variant
  case array(BusType)
  case structure([BusType])
  /// Key and value; only as the element of an array, which is then a dictionary.
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
