/// Separates code from comments and strings in Swift text.
struct SwiftScanner {
  private(set) var output: [UInt8] = []
  private(set) var linesWithComment: Set<Int> = []
  private(set) var linesWithString: Set<Int> = []

  private enum Mode {
    /// Between `\(` and its `)`, with the number of brackets that are open inside.
    case interpolation(open: Int)
    case string(hashes: Int, isMultiline: Bool)
    case blockComment(depth: Int)
    case lineComment
    case quotedName
  }

  private let input: [UInt8]
  private var index = 0
  private var line = 0
  private var modes: [Mode] = []

  init(_ text: String) { input = Array(text.utf8) }

  mutating func scan() {
    output.reserveCapacity(input.count)
    while index < input.count {
      if input[index] == UInt8(ascii: "\n") {
        endLine()
        continue
      }
      switch modes.last {
      case nil: scanCode(open: nil)
      case .interpolation(let open): scanCode(open: open)
      case .string(let hashes, let isMultiline):
        linesWithString.insert(line)
        scanString(hashes: hashes, isMultiline: isMultiline)
      case .blockComment(let depth):
        linesWithComment.insert(line)
        scanBlockComment(depth: depth)
      case .lineComment: blankLine()
      case .quotedName:
        if input[index] == UInt8(ascii: "`") { modes.removeLast() }
        blank(1)
      }
    }
  }

  private mutating func blankLine() {
    let end = input[index...].firstIndex(of: UInt8(ascii: "\n")) ?? input.count
    output += repeatElement(UInt8(ascii: " "), count: end - index)
    index = end
  }

  private mutating func endLine() {
    switch modes.last {
    case .lineComment, .quotedName, .string(_, isMultiline: false): modes.removeLast()
    case nil, .interpolation, .string, .blockComment: break
    }
    output.append(UInt8(ascii: "\n"))
    index += 1
    line += 1
  }

  private mutating func scanCode(open: Int?) {
    // Most bytes begin nothing special, and this check is cheaper than the comparisons below.
    guard Self.isSpecial(input[index]) else { return copyPlain() }
    if starts(with: "//") {
      linesWithComment.insert(line)
      modes.append(.lineComment)
      blank(2)
    } else if starts(with: "/*") {
      modes.append(.blockComment(depth: 1))
      blank(2)
    } else if starts(with: "`") {
      modes.append(.quotedName)
      blank(1)
    } else if let quote = openingQuote() {
      linesWithString.insert(line)
      modes.append(.string(hashes: quote.hashes, isMultiline: quote.isMultiline))
      copy(quote.hashes + (quote.isMultiline ? 3 : 1))
    } else {
      if let open { countBracket(open: open) }
      copy(1)
    }
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "/", "`", "#", "\"", "(", ")", "\n": true
    default: false
    }
  }

  /// Copies all bytes up to the next special one.
  private mutating func copyPlain() {
    var end = index
    while end < input.count, !Self.isSpecial(input[end]) { end += 1 }
    output += input[index..<end]
    index = end
  }

  private mutating func countBracket(open: Int) {
    switch input[index] {
    case UInt8(ascii: "("): modes[modes.count - 1] = .interpolation(open: open + 1)
    case UInt8(ascii: ")"):
      modes.removeLast()
      if open > 0 { modes.append(.interpolation(open: open - 1)) }
    default: break
    }
  }

  private mutating func scanString(hashes: Int, isMultiline: Bool) {
    guard "\\\"".utf8.contains(input[index]) else { return blank(1) }
    let marks = String(repeating: "#", count: hashes)
    let end = (isMultiline ? "\"\"\"" : "\"") + marks
    if starts(with: end) {
      modes.removeLast()
      copy(end.utf8.count)
    } else if starts(with: "\\" + marks + "(") {
      modes.append(.interpolation(open: 0))
      blank(hashes + 2)
    } else if starts(with: "\\" + marks) {
      blank(min(hashes + 2, input.count - index))
    } else {
      blank(1)
    }
  }

  private mutating func scanBlockComment(depth: Int) {
    if starts(with: "*/") {
      modes.removeLast()
      if depth > 1 { modes.append(.blockComment(depth: depth - 1)) }
      blank(2)
    } else if starts(with: "/*") {
      modes[modes.count - 1] = .blockComment(depth: depth + 1)
      blank(2)
    } else {
      blank(1)
    }
  }

  private func openingQuote() -> (hashes: Int, isMultiline: Bool)? {
    var hashes = 0
    while index + hashes < input.count, input[index + hashes] == UInt8(ascii: "#") { hashes += 1 }
    let marks = String(repeating: "#", count: hashes)
    guard starts(with: marks + "\"") else { return nil }
    return (hashes, starts(with: marks + "\"\"\""))
  }

  private func starts(with text: String) -> Bool {
    input[index...].starts(with: text.utf8)
  }

  private mutating func copy(_ count: Int) {
    output += input[index..<min(index + count, input.count)]
    index += count
  }

  /// Keeps line ends, so that line numbers stay the same.
  private mutating func blank(_ count: Int) {
    for _ in 0..<count where index < input.count {
      if input[index] == UInt8(ascii: "\n") {
        endLine()
      } else {
        output.append(UInt8(ascii: " "))
        index += 1
      }
    }
  }
}
