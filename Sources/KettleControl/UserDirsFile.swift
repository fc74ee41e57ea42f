/// Reads `user-dirs.dirs(5)`: a shell file in which only `XDG_NAME_DIR="$HOME/path"` and
/// `XDG_NAME_DIR="/path"` have a meaning.
enum UserDirsFile {
  /// Returns the directory for downloads, or nil if the file does not name one. As in a shell, the
  /// last line wins.
  static func downloads(in text: String, home: String) -> String? {
    text.split(whereSeparator: \.isNewline).reversed().lazy.compactMap { line in
      value(of: "XDG_DOWNLOAD_DIR", in: line).flatMap { path(from: $0, home: home) }
    }.first
  }

  /// Returns the text between the quotes, with the shell's backslash escapes removed.
  private static func value(of name: String, in line: Substring) -> String? {
    let trimmed = line.drop { $0 == " " || $0 == "\t" }
    guard trimmed.hasPrefix(name + "=\"") else { return nil }
    var value = ""
    var rest = trimmed.dropFirst(name.count + 2)
    while let character = rest.popFirst() {
      switch character {
      case "\"": return value
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        value.append(escaped)
      default: value.append(character)
      }
    }
    return nil
  }

  private static func path(from value: String, home: String) -> String? {
    let homeMark = "$HOME"
    if value.hasPrefix("/") { return withoutSlashesAtEnd(value) }
    guard value.hasPrefix(homeMark) else { return nil }
    let rest = value.dropFirst(homeMark.count)
    guard rest.isEmpty || rest.hasPrefix("/") else { return nil }
    // `home` ends with a slash only when it is the root.
    return withoutSlashesAtEnd((home == "/" ? "" : home) + rest)
  }

  private static func withoutSlashesAtEnd(_ path: String) -> String {
    let kept = path.reversed().drop { $0 == "/" }
    return kept.isEmpty ? "/" : String(kept.reversed())
  }
}
