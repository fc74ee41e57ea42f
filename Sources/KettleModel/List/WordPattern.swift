/// A word of a filter or a search, with the signs that say where it must occur.
///
/// `word` occurs anywhere, `'word` is a whole word, `^word` a beginning, `word$` an end, and
/// `^word$` everything. A `!` before any of them excludes what matches it. In double quotes, signs
/// and spaces are part of the word.
package struct WordPattern: Hashable, Sendable {
  package enum Place: Hashable, Sendable, CaseIterable {
    case anywhere, wholeWord, beginning, end, everything
  }

  /// In lower case, without the signs.
  package let text: String
  package let place: Place
  package let isExcluded: Bool

  package init(_ text: String, _ place: Place = .anywhere, isExcluded: Bool = false) {
    self.text = text.lowercased()
    self.place = place
    self.isExcluded = isExcluded
  }

  /// Returns nil for signs without a word: the user is still typing.
  package init?(_ word: QuotedWord) {
    // Signs come before any quote, so they are the same characters in both forms.
    var written = word.written[...]
    let isExcluded = written.first == "!"
    if isExcluded { written = written.dropFirst() }
    let first = written.first
    let isWholeWord = first == "'"
    let isBeginning = first == "^"
    if isWholeWord || isBeginning { written = written.dropFirst() }
    let isEnd = !isWholeWord && !word.isUnclosed && written.last == "$"
    var text = word.text.dropFirst(word.written.count - written.count)
    if isEnd { text = text.dropLast() }
    guard !text.isEmpty else { return nil }
    let place: Place =
      switch (isBeginning, isEnd) {
      case (true, true): .everything
      case (true, false): .beginning
      case (false, true): .end
      case (false, false): isWholeWord ? .wholeWord : .anywhere
      }
    self.init(String(text), place, isExcluded: isExcluded)
  }

  /// Returns the words of a text.
  package static func all(in text: String) -> [WordPattern] {
    QuotedWord.split(text).compactMap { WordPattern($0) }
  }
}

/// Words of a filter or a search, prepared for testing many rows.
package struct WordTest: Sendable {
  private struct Word: Sendable {
    var pattern: WordPattern
    /// The word as bytes if it is ASCII: comparing bytes is many times faster.
    var bytes: [UInt8]?
  }

  private let words: [Word]

  package init(_ words: [WordPattern]) {
    self.words = words.map { word in
      Word(
        pattern: word, bytes: word.text.utf8.allSatisfy { $0 < 0x80 } ? Array(word.text.utf8) : nil)
    }
  }

  /// Whether each word occurs in the title, the URL or the path, and none of the excluded ones
  /// does.
  package func passes(_ row: TransferSnapshot) -> Bool {
    words.isEmpty || passes([row.title, row.url, row.path ?? ""])
  }

  /// Whether each word occurs in one of the texts, and none of the excluded ones does in any.
  package func passes(_ texts: [String]) -> Bool {
    let fields = texts.map { $0.lowercased() }
    return words.allSatisfy { word in
      fields.contains { Self.occurs(word, in: $0) } != word.pattern.isExcluded
    }
  }

  private static func occurs(_ word: Word, in field: String) -> Bool {
    switch word.pattern.place {
    case .anywhere: return isContained(word, in: field)
    case .wholeWord:
      return isContained(word, in: field) && isWholeWord(word.pattern.text, in: field)
    case .beginning: return field.hasPrefix(word.pattern.text)
    case .end: return field.hasSuffix(word.pattern.text)
    case .everything: return field == word.pattern.text
    }
  }

  private static func isContained(_ word: Word, in field: String) -> Bool {
    guard let bytes = word.bytes, let first = bytes.first else {
      return field.contains(word.pattern.text)
    }
    var field = field
    return field.withUTF8 { field in
      guard field.count >= bytes.count else { return false }
      return (0...(field.count - bytes.count)).contains { start in
        field[start] == first && field[start..<(start + bytes.count)].elementsEqual(bytes)
      }
    }
  }

  /// Whether a word occurs without a letter or a digit that continues it.
  private static func isWholeWord(_ word: String, in field: String) -> Bool {
    let (wanted, field) = (Array(word), Array(field))
    guard let first = wanted.first, let last = wanted.last, wanted.count <= field.count else {
      return false
    }
    return (0...(field.count - wanted.count)).contains { start in
      let end = start + wanted.count
      return field[start..<end].elementsEqual(wanted)
        && !(start > 0 && first.continuesWords && field[start - 1].continuesWords)
        && !(end < field.count && last.continuesWords && field[end].continuesWords)
    }
  }
}

extension Character {
  fileprivate var continuesWords: Bool { isLetter || isNumber }
}

/// A word of a text that is split at blanks outside double quotes.
package struct QuotedWord: Hashable, Sendable {
  /// The word without its quotes.
  package var text = ""
  /// The word with its quotes.
  package var written = ""
  /// The offset in `text` of the first colon outside quotes.
  package var colonOffset: Int?
  /// Whether a quote in it has no end.
  package var isUnclosed = false

  /// Splits `text` into words. An unclosed quote extends to the end, because the user may still be
  /// typing.
  package static func split(_ text: String) -> [QuotedWord] {
    var words: [QuotedWord] = []
    var word: QuotedWord?
    for character in text {
      var next = word ?? QuotedWord()
      if character.isWhitespace, !next.isUnclosed {
        if let word { words.append(word) }
        word = nil
        continue
      }
      next.written.append(character)
      if character == "\"" {
        next.isUnclosed.toggle()
      } else {
        if character == ":", !next.isUnclosed, next.colonOffset == nil {
          next.colonOffset = next.text.count
        }
        next.text.append(character)
      }
      word = next
    }
    if let word { words.append(word) }
    return words
  }
}
