/// The words of one command line, taken apart as a shell would; nothing is expanded, let alone run.
struct CurlWords {
  struct Word: Hashable {
    var text: String
    /// Where it stands, with its quotes.
    var range: Range<Int>
  }

  private(set) var words: [Word] = []
  /// Behind the command and what ends it.
  private(set) var end: Int
  private(set) var problem: CurlProblem?
  /// Line ends that do not end the command, with what makes them so: between words, and in quotes,
  /// where they stand for nothing.
  private(set) var continuations: [Range<Int>] = []
  private(set) var quotedContinuations: [Range<Int>] = []
  /// Line ends that are part of a word.
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

  /// The command prompt of Windows quotes with `^`, and a line goes on behind one.
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

  /// A word may be empty: `''`.
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

  /// Keeps the first; that a quote is not closed counts more, because then nothing else is sure.
  private mutating func note(_ found: CurlProblem) {
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

// MARK: - The quoting of POSIX shells and bash

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
      // In the middle of a word they belong to an unquoted URL.
      case ";" where isBlankOrEnd(at: index + 1),
        "&" where isBlankOrEnd(at: index + 1) || isSeparatorPair(at: index):
        endWord(at: index)
        end = index + (isSeparatorPair(at: index) ? 2 : 1)
        return
      case "|", "<", ">", "(", ")":
        note(.needsShell(String(character)))
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

  /// Each of these functions returns the position of the closing quote.
  private mutating func readSingleQuoted(from start: Int) -> Int {
    begin(at: start)
    var index = start + 1
    while let next = character(at: index) {
      if next == "'" { return index }
      append(next, at: index)
      index += 1
    }
    note(.unclosedQuote)
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
    note(.unclosedQuote)
    return index
  }

  /// A dollar with nothing behind it that names something is a dollar.
  private mutating func readExpansion(at index: Int) {
    let rest = characters[(index + 1)...].prefix(40)
    let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let next = rest.first ?? " "
    if characters[index] == "`" || !name.isEmpty || "{(@*#?!".contains(next) {
      let isNamed = characters[index] == "$" && !name.isEmpty
      note(.needsShell(String(characters[index]) + (isNamed ? String(name) : "")))
    }
    append(characters[index], at: index)
  }

  /// `$'…'` of bash, in which a backslash says what follows, as in C.
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
      for place in index + 1..<min(index + 1 + escape.length, characters.count)
      where characters[place].isNewline {
        quotedBreaks.append(place)
      }
      switch escape.value {
      case .bytes(let bytes): append(bytes: bytes, at: index)
      // Browsers write what lies beyond 16 bits as two halves, as JavaScript has it.
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
    note(.unclosedQuote)
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

// MARK: - The quoting of the command prompt of Windows

extension CurlWords {
  /// In two steps, as there: `^` makes the next character an ordinary one; then the program takes
  /// the line apart by its double quotes.
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
    var place = 0
    while place < plain.count {
      let (character, index) = plain[place]
      switch character {
      case " " where !isQuoted, "\t" where !isQuoted: endWord(at: index)
      case "\\":
        let count = plain[place...].prefix { $0.character == "\\" }.count
        let isBeforeQuote = place + count < plain.count && plain[place + count].character == "\""
        let kept = isBeforeQuote ? count / 2 : count
        append(bytes: Array(repeating: UInt8(ascii: "\\"), count: kept), at: index)
        place += count
        if isBeforeQuote, count % 2 == 1 {
          append("\"", at: index)
          place += 1
        }
        continue
      case "\"":
        begin(at: index)
        if isQuoted, place + 1 < plain.count, plain[place + 1].character == "\"" {
          append("\"", at: index)
          place += 1
        } else {
          isQuoted.toggle()
        }
      default: append(character, at: index)
      }
      place += 1
    }
    if isQuoted { note(.unclosedQuote) }
    endWord(at: min((plain.last?.index ?? 0) + 1, characters.count))
  }
}
