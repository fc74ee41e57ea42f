/// An absolute path, split into a directory and the last component.
struct FilePath: Hashable, Sendable {
  var directory: String
  var name: String

  /// Returns nil for a relative path and for one that does not end in a name.
  init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "/"), let slash = text.lastIndex(of: "/") else {
      return nil
    }
    let name = String(text[text.index(after: slash)...])
    guard Self.isComponent(name) else { return nil }
    directory = slash == text.startIndex ? "/" : String(text[..<slash])
    self.name = name
  }

  /// Returns whether `name` can name an entry of a directory, and nothing outside of it.
  static func isComponent(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".."
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }

  static func joined(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}
