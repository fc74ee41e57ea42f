/// Takes an absolute path apart into a directory and the one component in it.
struct FilePath: Hashable, Sendable {
  var directory: String
  var name: String

  /// Answers nil for a relative path and for one that does not end in a name.
  init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "/"), let slash = text.lastIndex(of: "/") else {
      return nil
    }
    let name = String(text[text.index(after: slash)...])
    guard Self.isComponent(name) else { return nil }
    directory = slash == text.startIndex ? "/" : String(text[..<slash])
    self.name = name
  }

  /// Whether a text can name an entry of a directory, and nothing outside of it.
  static func isComponent(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".."
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }

  static func joined(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}
