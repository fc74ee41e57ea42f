/// Finds the bodies of functions, initializers and computed properties by matching brackets:
/// approximate, and when in doubt it finds no body.
struct FunctionScanner {
  struct Function: Hashable {
    /// From 1.
    var line: Int
    var lineCount: Int
  }

  private let code: [UInt8]
  /// The line, from 1, of each byte.
  private let lineOfByte: [Int]

  init(_ file: SourceText) {
    var code: [UInt8] = []
    var lineOfByte: [Int] = []
    for (offset, line) in file.code.enumerated() {
      code += line + [UInt8(ascii: "\n")]
      lineOfByte += Array(repeating: offset + 1, count: line.count + 1)
    }
    self.code = code
    self.lineOfByte = lineOfByte
  }

  var functions: [Function] {
    var functions: [Function] = []
    var start = 0
    while start < code.count {
      guard isWordByte(code[start]) else {
        start += 1
        continue
      }
      var end = start
      while end < code.count, isWordByte(code[end]) { end += 1 }
      if isDeclaration(start..<end), let open = bodyStart(after: end), let close = match(open) {
        let line = lineOfByte[start]
        functions.append(Function(line: line, lineCount: lineOfByte[close] - line + 1))
      }
      start = end
    }
    return functions
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
      || byte > 127
  }

  private func isDeclaration(_ word: Range<Int>) -> Bool {
    let text = String(decoding: code[word], as: UTF8.self)
    guard ["func", "init", "deinit", "subscript", "var"].contains(text) else { return false }
    return word.lowerBound == 0 || code[word.lowerBound - 1] != UInt8(ascii: ".")
  }

  /// The index of the opening brace; nil for a protocol requirement or a stored property.
  private func bodyStart(after end: Int) -> Int? {
    var depth = 0
    var index = end
    while index < code.count {
      switch code[index] {
      case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"):
        depth -= 1
        if depth < 0 { return nil }
      case UInt8(ascii: "{") where depth == 0: return index
      case UInt8(ascii: "}") where depth == 0: return nil
      case UInt8(ascii: "\n") where depth == 0:
        if !goesOn(from: end, over: index) { return nil }
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Whether a declaration continues after a line end.
  private func goesOn(from start: Int, over lineEnd: Int) -> Bool {
    let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 10 }
    if let last = code[start..<lineEnd].last(where: { !isBlank($0) }), ",<&:".utf8.contains(last) {
      return true
    }
    let rest = code[lineEnd...].drop(while: isBlank)
    return ["{", "where ", "->", "async", "throws", ">"].contains { rest.starts(with: $0.utf8) }
  }

  private func match(_ open: Int) -> Int? {
    var depth = 0
    for index in open..<code.count {
      if code[index] == UInt8(ascii: "{") { depth += 1 }
      if code[index] == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }
}
