/// The words of one command line, split as a shell would. Nothing is expanded or executed.
struct CurlWords {
  struct Word: Hashable {
    var text: String
    /// The range of the word with its quotes.
    var range: Range<Int>
  }

  private(set) var words: [Word] = []
  /// The index after the command and its terminator.
  private(set) var end: Int
  private(set) var problem: CurlProblem?
  /// Escaped line ends outside and inside quotes, with their escapes. They do not end the command,
  /// and those inside quotes add nothing to a word.
  private(set) var continuations: [Range<Int>] = []
  private(set) var quotedContinuations: [Range<Int>] = []
  /// Line ends that belong to a word.
  private(set) var quotedBreaks: [Int] = []

  private let characters: [Character]
  private var bytes: [UInt8]?
  private var wordStart = 0

  /// Reads from `start` to the end of the command.
  init(_ characters: [Character], from start: Int = 0) {
    self.characters = characters
    end = start
    if Self.isForCommandPrompt(characters, from: start) {
      readCommandPrompt(from: start)
    } else {
      readShell(from: start)
    }
  }

  var isClosed: Bool { problem != .unclosedQuote }

  /// Whether the command is written for the Windows command prompt, which quotes with `^` and
  /// continues a line after one.
  private static func isForCommandPrompt(_ characters: [Character], from start: Int) -> Bool {
    var previous: Character = " "
    for character in characters[start...] {
      if previous == "^", character == "\"" { return true }
      if character.isNewline { break }
      previous = character
    }
    return previous == "^"
  }

  // MARK: - Words

  private mutating func append(_ character: Character, at index: Int) {
    if character.isNewline { quotedBreaks.append(index) }
    append(bytes: String(character).utf8, at: index)
  }

  private mutating func append(bytes added: some Sequence<UInt8>, at index: Int) {
    begin(at: index)
    bytes?.append(contentsOf: added)
  }

  /// Starts a word unless one has started. A word may be empty: `''`.
  private mutating func begin(at index: Int) {
    guard bytes == nil else { return }
    bytes = []
    wordStart = index
  }

  private mutating func endWord(at index: Int) {
    guard let bytes else { return }
    words.append(Word(text: String(decoding: bytes, as: UTF8.self), range: wordStart..<index))
    self.bytes = nil
  }

  /// Keeps the first problem. An unclosed quote takes precedence, because it makes all others
  /// uncertain.
  private mutating func recordProblem(_ found: CurlProblem) {
    if problem == nil || found == .unclosedQuote { problem = found }
  }

  private func character(at index: Int) -> Character? {
    characters.indices.contains(index) ? characters[index] : nil
  }

  private func isBlankOrEnd(at index: Int) -> Bool {
    guard let character = character(at: index) else { return true }
    return character.isNewline || character == " " || character == "\t"
  }
}

// MARK: - POSIX shells and bash

extension CurlWords {
  private mutating func readShell(from start: Int) {
    var index = start
    while let character = character(at: index) {
      if character.isNewline { break }
      switch character {
      case " ", "\t": endWord(at: index)
      case "\\":
        index += 1
        readEscaped(at: index)
      case "'": index = readSingleQuoted(from: index)
      case "\"": index = readDoubleQuoted(from: index)
      case "$" where self.character(at: index + 1) == "'":
        index = readEscapeQuoted(from: index)
      case "$", "`": readExpansion(at: index)
      // Inside a word these belong to an unquoted URL.
      case ";" where isBlankOrEnd(at: index + 1),
        "&" where isBlankOrEnd(at: index + 1) || isSeparatorPair(at: index):
        endWord(at: index)
        end = index + (isSeparatorPair(at: index) ? 2 : 1)
        return
      case "|", "<", ">", "(", ")":
        recordProblem(.needsShell(String(character)))
        append(character, at: index)
      default: append(character, at: index)
      }
      index += 1
    }
    endWord(at: min(index, characters.count))
    end = min(index + 1, characters.count)
  }

  private func isSeparatorPair(at index: Int) -> Bool {
    characters[index] == "&" && character(at: index + 1) == "&" && isBlankOrEnd(at: index + 2)
  }

  private mutating func readEscaped(at index: Int) {
    guard let next = character(at: index) else { return }
    if next.isNewline {
      continuations.append((index - 1)..<(index + 1))
      if bytes != nil { endWord(at: index - 1) }
    } else {
      append(next, at: index - 1)
    }
  }

  /// Returns the index of the closing quote, as do the next two functions.
  private mutating func readSingleQuoted(from start: Int) -> Int {
    begin(at: start)
    var index = start + 1
    while let next = character(at: index) {
      if next == "'" { return index }
      append(next, at: index)
      index += 1
    }
    recordProblem(.unclosedQuote)
    return index
  }

  private mutating func readDoubleQuoted(from start: Int) -> Int {
    begin(at: start)
    var index = start + 1
    while let next = character(at: index) {
      switch next {
      case "\"": return index
      case "\\":
        let escaped = character(at: index + 1)
        if let escaped, "\"\\$`".contains(escaped) {
          append(escaped, at: index)
          index += 1
        } else if let escaped, escaped.isNewline {
          quotedContinuations.append(index..<(index + 2))
          index += 1
        } else {
          append(next, at: index)
        }
      case "$", "`": readExpansion(at: index)
      default: append(next, at: index)
      }
      index += 1
    }
    recordProblem(.unclosedQuote)
    return index
  }

  /// Reports that an expansion needs a shell. A dollar sign that starts no expansion is literal.
  private mutating func readExpansion(at index: Int) {
    let rest = characters[(index + 1)...].prefix(40)
    let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let next = rest.first ?? " "
    if characters[index] == "`" || !name.isEmpty || "{(@*#?!".contains(next) {
      let isNamed = characters[index] == "$" && !name.isEmpty
      recordProblem(.needsShell(String(characters[index]) + (isNamed ? String(name) : "")))
    }
    append(characters[index], at: index)
  }

  /// Reads `$'…'` of bash, which has escapes like those of C.
  private mutating func readEscapeQuoted(from start: Int) -> Int {
    begin(at: start)
    var index = start + 2
    var pendingHigh: UInt32?
    while let next = character(at: index) {
      if next == "'" { return index }
      guard next == "\\" else {
        append(next, at: index)
        pendingHigh = nil
        index += 1
        continue
      }
      let escape = CurlEscape(characters[(index + 1)...].prefix(9))
      for escaped in index + 1..<min(index + 1 + escape.length, characters.count)
      where characters[escaped].isNewline {
        quotedBreaks.append(escaped)
      }
      switch escape.value {
      case .bytes(let bytes): append(bytes: bytes, at: index)
      // Browsers write scalars beyond 16 bits as surrogate pairs, as JavaScript does.
      case .unit(let unit) where (0xD800..<0xDC00).contains(unit):
        pendingHigh = unit
        index += 1 + escape.length
        continue
      case .unit(let unit):
        append(bytes: Self.utf8(unit, after: pendingHigh), at: index)
      }
      pendingHigh = nil
      index += 1 + escape.length
    }
    recordProblem(.unclosedQuote)
    return index
  }

  private static func utf8(_ unit: UInt32, after high: UInt32?) -> [UInt8] {
    var value = unit
    if let high, (0xDC00..<0xE000).contains(unit) {
      value = 0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00)
    }
    return Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
  }
}

// MARK: - The Windows command prompt

extension CurlWords {
  /// Reads in two steps, as Windows does: first `^` makes the next character literal, then the
  /// program splits the line at its double quotes.
  private mutating func readCommandPrompt(from start: Int) {
    var plain: [(character: Character, index: Int)] = []
    var isQuoted = false
    var index = start
    end = characters.count
    reading: while let next = character(at: index) {
      switch next {
      case "^" where !isQuoted:
        index += 1
        guard let escaped = character(at: index) else { break }
        if !escaped.isNewline {
          plain.append((escaped, index))
        } else if let second = character(at: index + 1), second.isNewline {
          quotedContinuations.append((index - 1)..<(index + 1))
          index += 1
          plain.append((second, index))
        } else {
          continuations.append((index - 1)..<(index + 1))
          plain.append((" ", index))
        }
      case "&" where !isQuoted && isBlankOrEnd(at: index + 1), _ where next.isNewline:
        end = index + 1
        break reading
      default:
        if next == "\"" { isQuoted.toggle() }
        plain.append((next, index))
      }
      index += 1
    }
    splitQuoted(plain)
  }

  private mutating func splitQuoted(_ plain: [(character: Character, index: Int)]) {
    var isQuoted = false
    var position = 0
    while position < plain.count {
      let (character, index) = plain[position]
      switch character {
      case " " where !isQuoted, "\t" where !isQuoted: endWord(at: index)
      case "\\":
        let count = plain[position...].prefix { $0.character == "\\" }.count
        let next = position + count
        let isBeforeQuote = next < plain.count && plain[next].character == "\""
        let kept = isBeforeQuote ? count / 2 : count
        append(bytes: Array(repeating: UInt8(ascii: "\\"), count: kept), at: index)
        position = next
        if isBeforeQuote, count % 2 == 1 {
          append("\"", at: index)
          position += 1
        }
        continue
      case "\"":
        begin(at: index)
        if isQuoted, position + 1 < plain.count, plain[position + 1].character == "\"" {
          append("\"", at: index)
          position += 1
        } else {
          isQuoted.toggle()
        }
      default: append(character, at: index)
      }
      position += 1
    }
    if isQuoted { recordProblem(.unclosedQuote) }
    endWord(at: min((plain.last?.index ?? 0) + 1, characters.count))
  }
}
