import KettleModel

/// Writes values as JSON (RFC 8259). The members of an object are in the order of their names.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package static func bytes(_ value: RPCValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(value)
    return writer.bytes
  }

  package mutating func write(_ value: RPCValue) {
    switch value {
    case .null: write("null")
    case .boolean(let isTrue): write(isTrue ? "true" : "false")
    case .integer(let number): write(String(number))
    // A number that is not finite has no form.
    case .real(let number): write(number.isFinite ? String(number) : "null")
    case .text(let text): write(quoted: text)
    case .list(let list):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in list.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(quoted: member.key)
        bytes.append(UInt8(ascii: ":"))
        write(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func write(_ text: String) { bytes += Array(text.utf8) }

  private mutating func write(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): write("\\\"")
      case UInt8(ascii: "\\"): write("\\\\")
      case 10: write("\\n")
      case 0..<32: write("\\u00" + [byte].hexadecimal)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
