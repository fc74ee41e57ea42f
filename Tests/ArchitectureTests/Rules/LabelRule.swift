/// Finds functions and initializers whose calls are hard to read, because three or more of their
/// parameters have no label. Operators, subscripts and closures are exempt.
enum LabelRule {
  static let unlabeledCountMax = 2

  static func findings(in file: SourceText) -> [Finding] {
    let code = file.code.joined(separator: [UInt8(ascii: "\n")])
    var scanner = ParameterScanner(Array(code))
    return scanner.declarations().compactMap { declaration in
      guard declaration.unlabeledCount > unlabeledCountMax else { return nil }
      return Finding(
        path: file.path, line: declaration.line,
        why: "\(declaration.unlabeledCount) parameters have no label")
    }
  }
}

/// Finds the parameter lists of functions and initializers.
struct ParameterScanner {
  struct Declaration: Hashable {
    /// From 1.
    var line: Int
    var unlabeledCount: Int
  }

  private let code: [UInt8]
  private var index = 0
  private var line = 1

  init(_ code: [UInt8]) { self.code = code }

  mutating func declarations() -> [Declaration] {
    var declarations: [Declaration] = []
    while index < code.count {
      let isMember = index > 0 && code[index - 1] == UInt8(ascii: ".")
      let word = readWord()
      guard !word.isEmpty else {
        advance()
        continue
      }
      guard !isMember, word == "func" || word == "init" else { continue }
      let start = line
      guard skipToParameters(isFunction: word == "func") else { continue }
      declarations.append(Declaration(line: start, unlabeledCount: readParameters()))
    }
    return declarations
  }

  private mutating func advance() {
    if code[index] == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  private mutating func readWord() -> String {
    let start = index
    while index < code.count, Self.isWordByte(code[index]) { index += 1 }
    return String(decoding: code[start..<index], as: UTF8.self)
  }

  private mutating func skipBlanks() {
    while index < code.count, code[index] == 32 || code[index] == 10 { advance() }
  }

  /// Skips the name and the generic parameters. Returns whether a parameter list follows, and false
  /// for an operator. A name in backquotes is blank here.
  private mutating func skipToParameters(isFunction: Bool) -> Bool {
    if isFunction {
      skipBlanks()
      let name = readWord()
      let isOperator = name.isEmpty && index < code.count && code[index] != UInt8(ascii: "(")
      if isOperator { return false }
    } else if index < code.count, "?!".utf8.contains(code[index]) {
      index += 1
    }
    skipBlanks()
    if index < code.count, code[index] == UInt8(ascii: "<") { skipGenericParameters() }
    return index < code.count && code[index] == UInt8(ascii: "(")
  }

  private mutating func skipGenericParameters() {
    var depth = 0
    while index < code.count {
      switch code[index] {
      case UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ">") where code[index - 1] != UInt8(ascii: "-"): depth -= 1
      default: break
      }
      advance()
      if depth == 0 { return }
    }
  }

  /// Reads from the opening bracket to the closing one. Returns the number of parameters that begin
  /// with `_ `.
  private mutating func readParameters() -> Int {
    var depth = 0
    var count = 0
    var isAtStart = false
    while index < code.count {
      let byte = code[index]
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        isAtStart = depth == 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { return count }
      case UInt8(ascii: ",") where depth == 1: isAtStart = true
      case UInt8(ascii: " "), UInt8(ascii: "\n"): break
      case UInt8(ascii: "_") where isAtStart:
        if index + 1 < code.count, code[index + 1] == UInt8(ascii: " ") { count += 1 }
        isAtStart = false
      default: isAtStart = false
      }
      advance()
    }
    return count
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
      || byte > 127
  }
}
