/// A name in the settings of the colours that is unknown.
package struct ThemeProblem: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case unknownColor(String)
    /// There is neither a built-in theme of the name nor the file.
    case unknownTheme(String, file: String)
    /// The theme that a file of a theme builds on is not built in.
    case unknownBase(String)
  }

  package var what: What
  package var line: Int

  package init(_ what: What, line: Int) {
    self.what = what
    self.line = line
  }

  /// What is wrong, where, and how to fix it.
  package func sentence(path: String) -> String { Strings.sentence(on: self, path: path) }
}
