/// Words of a filter or a search, prepared for testing many rows.
package struct WordTest: Sendable {
  private struct Word: Sendable {
    var text: String
    /// The word as bytes if it is ASCII: comparing bytes is many times faster.
    var bytes: [UInt8]?
  }

  private let words: [Word]

  /// - Parameter words: In lower case, as `RowFilter.words` returns them.
  package init(_ words: [String]) {
    self.words = words.map { word in
      Word(text: word, bytes: word.utf8.allSatisfy { $0 < 0x80 } ? Array(word.utf8) : nil)
    }
  }

  /// Whether each word occurs in the title, the URL or the path.
  package func passes(_ row: TransferSnapshot) -> Bool {
    if words.isEmpty { return true }
    let fields = [row.title, row.url, row.path ?? ""].map { $0.lowercased() }
    return words.allSatisfy { word in fields.contains { Self.occurs(word, in: $0) } }
  }

  private static func occurs(_ word: Word, in field: String) -> Bool {
    guard let bytes = word.bytes, let first = bytes.first else { return field.contains(word.text) }
    var field = field
    return field.withUTF8 { field in
      guard field.count >= bytes.count else { return false }
      return (0...(field.count - bytes.count)).contains { start in
        field[start] == first && field[start..<(start + bytes.count)].elementsEqual(bytes)
      }
    }
  }
}
