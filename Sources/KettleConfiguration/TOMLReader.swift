/// Reads the part of TOML 1.0 (https://toml.io/en/v1.0.0) that a configuration file needs: tables
/// and arrays of tables, bare and dotted keys, strings of one line, decimal integers, booleans,
/// arrays, comments.
///
/// Every TOML reader gives the same meaning to what this one accepts, but some refuse a table that
/// is continued in another place. The rest is a problem with its line; nothing is guessed.
struct TOMLReader {
  /// Protects the stack from nesting.
  private static let depthMax = 8

  var bytes: ArraySlice<UInt8>
  var line = 1
  /// The full name of the table of the last header; empty before the first one.
  private var table = ""
  /// The element of an array of tables that the last header began.
  private var element: TOMLElement?
  private var definitions = TOMLDefinitions()
  private var document = TOMLDocument()
  private var layout = TOMLLayout()

  private init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  static func read(_ bytes: [UInt8]) throws(TOMLProblem) -> TOMLDocument {
    try readAll(bytes).document
  }

  /// Returns where everything is in the text.
  static func layout(of bytes: [UInt8]) throws(TOMLProblem) -> TOMLLayout {
    try readAll(bytes).layout
  }

  private static func readAll(_ bytes: [UInt8]) throws(TOMLProblem) -> TOMLReader {
    var reader = TOMLReader(bytes)
    // A byte order mark is not part of the text (TOML 1.0 is UTF-8; Unicode 15, section 23.8).
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.bytes = reader.bytes.dropFirst(3) }
    try reader.checkCharacters()
    while reader.bytes.first != nil { try reader.readLine() }
    return reader
  }

  func problem(_ detail: String) -> TOMLProblem { TOMLProblem(line: line, detail: detail) }

  /// Control characters are allowed only as blanks and line ends.
  private func checkCharacters() throws(TOMLProblem) {
    var line = 1
    for byte in bytes {
      if byte == UInt8(ascii: "\n") { line += 1 }
      let isBlank = byte == 9 || byte == 10 || byte == 13
      if (byte < 32 && !isBlank) || byte == 127 {
        throw TOMLProblem(line: line, detail: "it contains a control character")
      }
    }
    guard String(validating: bytes, as: UTF8.self) == nil else { return }
    line = 1
    for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if String(validating: part, as: UTF8.self) == nil { break }
      line += 1
    }
    throw TOMLProblem(line: line, detail: "it is not UTF-8 text")
  }

  private mutating func readLine() throws(TOMLProblem) {
    let start = bytes.startIndex
    skipBlanks()
    switch bytes.first {
    case nil, UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "#"): try endLine()
    case UInt8(ascii: "["):
      try readHeader()
      try endLine()
      layout.tables.append(
        TOMLLayout.Table(name: table, array: element?.array, lines: start..<bytes.startIndex))
    default:
      var place = try readEntry()
      try endLine()
      place.lines = start..<bytes.startIndex
      layout.entries.append(place)
    }
  }

  /// Reads `[table]` or `[[array of tables]]`.
  private mutating func readHeader() throws(TOMLProblem) {
    bytes = bytes.dropFirst()
    let isElement = skip(UInt8(ascii: "["))
    let parts = try readName()
    // The two brackets of an array are one token each (TOML 1.0, array-table-open).
    guard skip(UInt8(ascii: "]")), !isElement || skip(UInt8(ascii: "]")) else {
      throw problem("the table name has no closing \"\(isElement ? "]]" : "]")\"")
    }
    do throws(TOMLConflict) {
      if isElement {
        let (array, number) = try definitions.defineElement(parts)
        let element = TOMLElement(array: array, number: number, line: line)
        document.elements.append(element)
        self.element = element
        table = element.name
      } else {
        table = try definitions.defineTable(parts)
        element = nil
      }
    } catch { throw problem(error.detail) }
  }

  /// Reads `key = value`. Returns where it is, without its lines.
  private mutating func readEntry() throws(TOMLProblem) -> TOMLLayout.Entry {
    let start = line
    let parts = try readName()
    guard skip(UInt8(ascii: "=")) else { throw problem("the key is not followed by \"=\"") }
    skipBlanks()
    let valueStart = bytes.startIndex
    let value = try readValue(depth: 0)
    let name: String
    do throws(TOMLConflict) {
      name = try definitions.defineKey(parts, in: table)
    } catch { throw problem(error.detail) }
    document.entries.append(TOMLEntry(name: name, value: value, line: start, element: element))
    return TOMLLayout.Entry(name: name, table: table, value: valueStart..<bytes.startIndex)
  }

  private mutating func readName() throws(TOMLProblem) -> [String] {
    var parts: [String] = []
    repeat {
      skipBlanks()
      parts.append(try readNamePart())
      skipBlanks()
    } while skip(UInt8(ascii: "."))
    return parts
  }

  /// Reads a bare or a quoted part of a name. Dots in quotes do not divide it, but the full name of
  /// the key is the same as without quotes.
  private mutating func readNamePart() throws(TOMLProblem) -> String {
    switch bytes.first {
    case UInt8(ascii: "\""): return try checkedName(readBasicString())
    case UInt8(ascii: "'"): return try checkedName(readLiteralString())
    default:
      let part = bytes.prefix { Self.isBareKey($0) }
      guard !part.isEmpty else { throw problem("the key is missing") }
      bytes = bytes.dropFirst(part.count)
      return String(decoding: part, as: UTF8.self)
    }
  }

  private func checkedName(_ name: String) throws(TOMLProblem) -> String {
    guard !name.isEmpty, name.utf8.allSatisfy({ (33...126).contains($0) }) else {
      throw problem("a key in quotes may contain only visible ASCII characters")
    }
    return name
  }

  private mutating func readValue(depth: Int) throws(TOMLProblem) -> TOMLValue {
    switch bytes.first {
    case UInt8(ascii: "\""): return .string(try readBasicString())
    case UInt8(ascii: "'"): return .string(try readLiteralString())
    case UInt8(ascii: "["):
      guard depth < Self.depthMax else { throw problem("arrays are nested too deeply") }
      return .array(try readArray(depth: depth + 1))
    case UInt8(ascii: "{"): throw problem("inline tables are not supported")
    default: return depth == 0 ? try readWordOfLine() : try readWord()
    }
  }

  /// Reads a boolean or a number alone on its line, or else unquoted text.
  private mutating func readWordOfLine() throws(TOMLProblem) -> TOMLValue {
    let start = bytes
    let isEnd: (UInt8) -> Bool = { "\r\n#".utf8.contains($0) }
    guard start.first.map(isEnd) == false else { throw problem("the value is missing") }
    if let value = try? readWord() {
      skipBlanks()
      if bytes.first.map(isEnd) != false { return value }
    }
    bytes = start.drop { !isEnd($0) }
    return .unquoted
  }

  private mutating func readArray(depth: Int) throws(TOMLProblem) -> [TOMLValue] {
    bytes = bytes.dropFirst()
    var values: [TOMLValue] = []
    while true {
      skipBlanksAndLines()
      if skip(UInt8(ascii: "]")) { return values }
      guard bytes.first != nil else { throw problem("the array has no closing \"]\"") }
      values.append(try readValue(depth: depth))
      skipBlanksAndLines()
      if skip(UInt8(ascii: ",")) { continue }
      guard bytes.isEmpty || bytes.first == UInt8(ascii: "]") else {
        throw problem("a value of the array is not followed by \",\" or \"]\"")
      }
    }
  }

  /// Reads a boolean or a number.
  private mutating func readWord() throws(TOMLProblem) -> TOMLValue {
    let word = bytes.prefix { Self.isBareKey($0) || "+.:".utf8.contains($0) }
    bytes = bytes.dropFirst(word.count)
    let text = String(decoding: word, as: UTF8.self)
    switch text {
    case "": throw problem("the value is missing")
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default:
      guard let number = Self.integer(text) else {
        throw problem("\"\(text)\" is not a quoted string, a whole number, true or false")
      }
      return .integer(number)
    }
  }

  /// Decimal, with single underscores between digits, and without leading zeros.
  private static func integer(_ text: String) -> Int64? {
    var digits = text[...]
    let sign = digits.first.flatMap { $0 == "+" || $0 == "-" ? String($0) : nil } ?? ""
    digits = digits.dropFirst(sign.count)
    let groups = digits.split(separator: "_", omittingEmptySubsequences: false)
    let isNumber = groups.allSatisfy { group in
      !group.isEmpty && group.utf8.allSatisfy { (48...57).contains($0) }
    }
    guard isNumber, digits == "0" || digits.first != "0" else { return nil }
    return Int64(sign + groups.joined())
  }

  // MARK: - Blanks and line ends

  /// Consumes the byte if it comes next; returns whether it did.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard bytes.first == byte else { return false }
    bytes = bytes.dropFirst()
    return true
  }

  private mutating func skipBlanks() {
    bytes = bytes.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  private mutating func skipBlanksAndLines() {
    while true {
      skipBlanks()
      if bytes.first == UInt8(ascii: "#") { skipComment() }
      guard skipLineEnd() else { return }
    }
  }

  private mutating func skipComment() {
    bytes = bytes.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
  }

  /// Consumes a line end if it comes next; returns whether it did.
  private mutating func skipLineEnd() -> Bool {
    if bytes.starts(with: [13, 10]) {
      bytes = bytes.dropFirst(2)
    } else if !skip(UInt8(ascii: "\n")) {
      return false
    }
    line += 1
    return true
  }

  private mutating func endLine() throws(TOMLProblem) {
    skipBlanks()
    if bytes.first == UInt8(ascii: "#") { skipComment() }
    guard bytes.isEmpty || skipLineEnd() else {
      throw problem("there is text after the value")
    }
  }

  private static func isBareKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

extension TOMLReader {
  /// Reads a string in double quotes, with escapes.
  mutating func readBasicString() throws(TOMLProblem) -> String {
    if bytes.starts(with: "\"\"\"".utf8) {
      throw problem("multi-line strings are not supported")
    }
    bytes = bytes.dropFirst()
    var text: [UInt8] = []
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try readEscape()
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): throw problem("the string is not closed")
      default: text.append(byte)
      }
    }
    throw problem("the string is not closed")
  }

  /// Reads a string in single quotes, without escapes.
  mutating func readLiteralString() throws(TOMLProblem) -> String {
    if bytes.starts(with: "'''".utf8) {
      throw problem("multi-line strings are not supported")
    }
    bytes = bytes.dropFirst()
    let text = bytes.prefix { $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\n") }
    bytes = bytes.dropFirst(text.count)
    guard skip(UInt8(ascii: "'")) else { throw problem("the string is not closed") }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func readEscape() throws(TOMLProblem) -> [UInt8] {
    switch bytes.popFirst() {
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "\""): return [34]
    case UInt8(ascii: "\\"): return [92]
    case UInt8(ascii: "u"): return try readScalar(digitCount: 4)
    case UInt8(ascii: "U"): return try readScalar(digitCount: 8)
    default: throw problem("the string contains an unknown escape")
    }
  }

  private mutating func readScalar(digitCount: Int) throws(TOMLProblem) -> [UInt8] {
    let digits = bytes.prefix(digitCount)
    let areDigits = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 128 }
    guard digits.count == digitCount, areDigits,
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(number)
    else { throw problem("the string contains an invalid Unicode escape") }
    bytes = bytes.dropFirst(digitCount)
    return Array(String(Character(scalar)).utf8)
  }
}
