import TransferModel

/// A filter, made ready to be asked about many rows.
struct RowTest: Sendable {
  private let filter: RowFilter
  private let words: [Word]

  private struct Word: Sendable {
    var text: String
    /// The same, when it is ASCII: then bytes can be compared, which is many times faster.
    var bytes: [UInt8]?
  }

  init(_ filter: RowFilter) {
    self.filter = filter
    words = filter.words.map { word in
      Word(
        text: word, bytes: word.utf8.allSatisfy { $0 < 0x80 } ? Array(word.utf8) : nil)
    }
  }

  func passes(_ row: TransferSnapshot) -> Bool {
    switch filter.scope {
    case .all: break
    case .uncleared: if row.isCleared == true { return false }
    }
    if let states = filter.states, !states.contains(row.state) { return false }
    if let session = filter.session, session != row.session { return false }
    if let host = filter.host, !row.hasHost(host) { return false }
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
