/// A pattern for names, such as `*.iso`: `*` stands for any text and `?` for one character. Case
/// does not matter.
package struct NamePattern: Hashable, Sendable {
  /// As written.
  package let text: String
  private let characters: [Character]

  package static let byteCountMax = 200

  /// Returns nil if the text is empty, too long, or has a slash or a control character in it.
  package init?(_ text: String) {
    guard (1...Self.byteCountMax).contains(text.utf8.count), !text.contains("/"),
      !text.unicodeScalars.contains(where: \.isControl)
    else { return nil }
    self.text = text
    characters = Array(text.lowercased())
  }

  /// Whether the pattern stands for the whole name. The time is at most proportional to the product
  /// of both lengths.
  package func matches(_ name: String) -> Bool {
    let name = Array(name.lowercased())
    var position = 0
    var nameIndex = 0
    // The last star, and where the text that it stands for ends so far.
    var star: (position: Int, end: Int)?
    while nameIndex < name.count {
      let character = position < characters.count ? characters[position] : nil
      if character == "*" {
        star = (position, nameIndex)
        position += 1
      } else if character == "?" || character == name[nameIndex] {
        position += 1
        nameIndex += 1
      } else if let last = star {
        star = (last.position, last.end + 1)
        position = last.position + 1
        nameIndex = last.end + 1
      } else {
        return false
      }
    }
    return characters[position...].allSatisfy { $0 == "*" }
  }
}
