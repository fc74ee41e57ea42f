import Glibc

/// The directories in which programs are found by name.
package struct SearchPath: Sendable, Hashable {
  package var directories: [String]

  /// Splits a value of PATH. Skips relative directories, because their meaning depends on the
  /// working directory.
  package init(_ text: String) {
    directories = text.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
  }

  package init(environment: [String: String]) {
    self.init(environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
  }

  /// Returns the path of a program, or nil if no directory has it.
  package func path(
    of program: String, canRun: (String) -> Bool = { access($0, X_OK) == 0 }
  ) -> String? {
    directories.lazy.map { "\($0)/\(program)" }.first(where: canRun)
  }
}
