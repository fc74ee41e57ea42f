import KettleModel

/// A value in a request or a reply, as JSON and XML-RPC have them.
package enum RPCValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case list([RPCValue])
  case object([String: RPCValue])

  package var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  package var list: [RPCValue]? {
    guard case .list(let list) = self else { return nil }
    return list
  }

  package var object: [String: RPCValue]? {
    guard case .object(let object) = self else { return nil }
    return object
  }

  /// A whole number. Some clients send one as a text.
  package var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .real(let number): Int64(exactly: number)
    case .text(let text): Int64(text)
    case .null, .boolean, .list, .object: nil
    }
  }

  /// aria2 writes every number of its answers as a text.
  package static func number(_ number: some BinaryInteger) -> RPCValue { .text(String(number)) }
}

extension RPCValue: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self = .text(text) }
}

extension RPCValue: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: RPCValue...) { self = .list(elements) }
}

extension RPCValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, RPCValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

/// How much a message may contain. Its length is bounded elsewhere; a short text can still stand
/// for a large value.
package enum RPCLimits {
  package static let depthMax = 32
  package static let valueCountMax = 200_000
}

/// Reads and writes the values of XML-RPC (xmlrpc.com/spec.md).
package struct XMLValues {
  package enum Problem: Error, Hashable, Sendable {
    case malformed
    case tooMany
  }

  private var reader: XMLReader
  private var valueCount = 0

  private init(_ bytes: [UInt8]) { reader = XMLReader(bytes) }

  /// Reads a `methodCall`.
  package static func call(
    _ bytes: [UInt8]
  ) throws(Problem) -> (method: String, params: [RPCValue]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformed }
    var values = XMLValues(bytes)
    return try values.readCall()
  }

  private mutating func next() throws(Problem) -> XMLReader.Event? {
    do throws(XMLProblem) { return try reader.next() } catch { throw .malformed }
  }

  /// The next start of an element; nil for the end of the one that is open. Text between elements
  /// is only layout.
  private mutating func nextElement() throws(Problem) -> String? {
    while let event = try next() {
      switch event {
      case .start(let element): return element.name
      case .text: continue
      case .end: return nil
      }
    }
    throw .malformed
  }

  /// The text of the open element, up to its end.
  private mutating func readText() throws(Problem) -> String {
    var text = ""
    while let event = try next() {
      switch event {
      case .text(let piece): text += piece
      case .end: return text
      case .start: throw .malformed
      }
    }
    throw .malformed
  }

  private mutating func expectEnd() throws(Problem) {
    guard try nextElement() == nil else { throw .malformed }
  }

  private mutating func readCall() throws(Problem) -> (String, [RPCValue]) {
    guard try nextElement() == "methodCall", try nextElement() == "methodName" else {
      throw .malformed
    }
    let method = try readText().trimmingBlanks()
    guard try nextElement() == "params" else { return (method, []) }
    var params: [RPCValue] = []
    while let name = try nextElement() {
      guard name == "param", try nextElement() == "value" else { throw .malformed }
      params.append(try readValue())
      try expectEnd()
    }
    return (method, params)
  }

  /// Reads the open `value`, with its end. A text without a type is a string.
  private mutating func readValue() throws(Problem) -> RPCValue {
    valueCount += 1
    guard valueCount <= RPCLimits.valueCountMax else { throw .tooMany }
    var text = ""
    while let event = try next() {
      switch event {
      case .text(let piece): text += piece
      case .end: return .text(text)
      case .start(let element):
        let value = try readTyped(element.name)
        try expectEnd()
        return value
      }
    }
    throw .malformed
  }

  private mutating func readTyped(_ type: String) throws(Problem) -> RPCValue {
    switch type {
    case "string", "dateTime.iso8601", "base64": return .text(try readText())
    case "int", "i4", "i8":
      guard let number = Int64(try readText().trimmingBlanks()) else { throw .malformed }
      return .integer(number)
    case "double":
      guard let number = Double(try readText().trimmingBlanks()) else { throw .malformed }
      return .real(number)
    case "boolean": return .boolean(try readText().trimmingBlanks() == "1")
    case "nil":
      try expectEnd()
      return .null
    case "array": return .list(try readArray())
    case "struct": return .object(try readStruct())
    default: throw .malformed
    }
  }

  private mutating func readArray() throws(Problem) -> [RPCValue] {
    guard try nextElement() == "data" else { throw .malformed }
    var list: [RPCValue] = []
    while let name = try nextElement() {
      guard name == "value" else { throw .malformed }
      list.append(try readValue())
    }
    try expectEnd()
    return list
  }

  private mutating func readStruct() throws(Problem) -> [String: RPCValue] {
    var object: [String: RPCValue] = [:]
    while let name = try nextElement() {
      guard name == "member", try nextElement() == "name" else { throw .malformed }
      let key = try readText()
      guard try nextElement() == "value" else { throw .malformed }
      object[key] = try readValue()
      try expectEnd()
    }
    return object
  }

  // MARK: Writing

  /// Writes a `methodResponse` with this result, or with a fault.
  package static func response(_ result: Result<RPCValue, RPCError>) -> [UInt8] {
    var text = "<?xml version=\"1.0\"?><methodResponse>"
    switch result {
    case .success(let value):
      text += "<params><param>"
      write(value, into: &text)
      text += "</param></params>"
    case .failure(let error):
      text += "<fault>"
      write(error.fault, into: &text)
      text += "</fault>"
    }
    return Array((text + "</methodResponse>").utf8)
  }

  private static func write(_ value: RPCValue, into text: inout String) {
    text += "<value>"
    switch value {
    case .null: text += "<string></string>"
    case .boolean(let isTrue): text += "<boolean>\(isTrue ? 1 : 0)</boolean>"
    case .integer(let number):
      text += Int32(exactly: number) == nil ? "<i8>\(number)</i8>" : "<int>\(number)</int>"
    case .real(let number): text += "<double>\(number)</double>"
    case .text(let content): text += "<string>\(escaped(content))</string>"
    case .list(let list):
      text += "<array><data>"
      for element in list { write(element, into: &text) }
      text += "</data></array>"
    case .object(let object):
      text += "<struct>"
      for (name, member) in object.sorted(by: { $0.key < $1.key }) {
        text += "<member><name>\(escaped(name))</name>"
        write(member, into: &text)
        text += "</member>"
      }
      text += "</struct>"
    }
    text += "</value>"
  }

  /// Characters that XML 1.0 cannot contain become U+FFFD.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
      case "\u{0}"..<" ", "\u{FFFE}"..."\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
