/// A colour of the configuration that is the colour of nothing.
package struct ThemeProblem: Hashable, Sendable {
  package var name: String
  package var line: Int

  package init(name: String, line: Int) {
    self.name = name
    self.line = line
  }

  /// What is wrong, where, and what to do.
  package func sentence(path: String) -> String { Strings.sentence(on: self, path: path) }
}
