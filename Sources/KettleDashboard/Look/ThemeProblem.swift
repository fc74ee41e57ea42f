/// A configured colour whose name is unknown.
package struct ThemeProblem: Hashable, Sendable {
  package var name: String
  package var line: Int

  package init(name: String, line: Int) {
    self.name = name
    self.line = line
  }

  /// What is wrong, where, and how to fix it.
  package func sentence(path: String) -> String { Strings.sentence(on: self, path: path) }
}
