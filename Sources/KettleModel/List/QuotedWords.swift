/// A word of a text split at blanks; text in double quotes stays together.
package struct QuotedWord: Hashable, Sendable {
  /// Without the quotes.
  package var text = ""
  /// As it was written.
  package var written = ""
  /// How many characters of `text` stand before the first colon outside of quotes.
  package var colonOffset: Int?

  /// An unclosed quote extends to the end, because the user is still typing.
  package static func split(_ text: String) -> [QuotedWord] {
    var words: [QuotedWord] = []
    var word: QuotedWord?
    var isQuoted = false
    for character in text {
      if character.isWhitespace, !isQuoted {
        if let word { words.append(word) }
        word = nil
        continue
      }
      var next = word ?? QuotedWord()
      next.written.append(character)
      if character == "\"" {
        isQuoted.toggle()
      } else {
        if character == ":", !isQuoted, next.colonOffset == nil {
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

extension RowFilter {
  /// What `text` asks for, in lower case.
  package var words: [String] { Self.words(of: text ?? "") }

  package static func words(of text: String) -> [String] {
    QuotedWord.split(text).map { $0.text.lowercased() }.filter { !$0.isEmpty }
  }
}
