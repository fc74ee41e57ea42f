import KettleModel

/// JSON for printing: members keep their order, and null is written out.
indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case string(String)
  case array([JSONValue])
  case object([Member])

  struct Member: Hashable, Sendable {
    var name: String
    var value: JSONValue

    init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  static func string(orNull text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
  static func integer(orNull number: Int64?) -> JSONValue { number.map { .integer($0) } ?? .null }

  /// On one line.
  var text: String {
    var result = ""
    write(to: &result)
    return result
  }

  private func write(to result: inout String) {
    switch self {
    case .null: result += "null"
    case .bool(let value): result += value ? "true" : "false"
    case .integer(let number): result += String(number)
    case .string(let text): Self.write(text, to: &result)
    case .array(let values):
      result += "["
      for (index, value) in values.enumerated() {
        if index > 0 { result += ", " }
        value.write(to: &result)
      }
      result += "]"
    case .object(let members):
      result += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { result += ", " }
        Self.write(member.name, to: &result)
        result += ": "
        member.value.write(to: &result)
      }
      result += "}"
    }
  }

  /// RFC 8259 requires escaping C0. DEL, C1 and characters that hide or reorder text are escaped
  /// too: programs read the same value, and a terminal obeys none of them.
  private static func write(_ text: String, to result: inout String) {
    result += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if scalar.isControl || scalar.isInvisible {
          for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            let digits = String(unit, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
          }
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    result += "\""
  }
}

/// Prints an array one element per line, so that a long one is never held in memory.
struct JSONArrayPrinter {
  private let console: any Console
  private var isEmpty = true

  init(on console: any Console) throws(ConsoleError) {
    self.console = console
    try console.write("[", to: .output)
  }

  mutating func print(_ values: [JSONValue]) throws(ConsoleError) {
    var text = ""
    for value in values {
      text += (isEmpty ? "\n" : ",\n") + value.text
      isEmpty = false
    }
    if !text.isEmpty { try console.write(text, to: .output) }
  }

  func end() throws(ConsoleError) { try console.write(isEmpty ? "]\n" : "\n]\n", to: .output) }
}
