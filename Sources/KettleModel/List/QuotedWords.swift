/// A word of a text that is split at blanks outside double quotes.
package struct QuotedWord: Hashable, Sendable {
  /// The word without its quotes.
  package var text = ""
  /// The word with its quotes.
  package var written = ""
  /// The offset in `text` of the first colon outside quotes.
  package var colonOffset: Int?

  /// Splits `text` into words. An unclosed quote extends to the end, because the user may still be
  /// typing.
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
  /// The words of `text`, in lower case.
  package var words: [String] { Self.words(of: text ?? "") }

  package static func words(of text: String) -> [String] {
    QuotedWord.split(text).map { $0.text.lowercased() }.filter { !$0.isEmpty }
  }
}
