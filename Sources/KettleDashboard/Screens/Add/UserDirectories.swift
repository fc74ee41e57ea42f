/// The base directories for paths that the user of the dashboard types.
package struct UserDirectories: Hashable, Sendable {
  /// Absolute; nil when the environment defines none.
  package var home: String?
  /// Absolute; nil when it does not exist any more.
  package var workingDirectory: String?

  package init(home: String?, workingDirectory: String?) {
    self.home = home
    self.workingDirectory = workingDirectory
  }

  /// Resolves a path as a shell would. Returns nil for `~user`, which requires the user database,
  /// for `~` without a home directory, and for a relative path without a working directory.
  package func absolute(_ path: String) -> String? {
    if path.hasPrefix("/") { return path }
    guard path.hasPrefix("~") else { return workingDirectory.map { Self.joined($0, path) } }
    guard let home, path == "~" || path.hasPrefix("~/") else { return nil }
    return path == "~" ? home : Self.joined(home, String(path.dropFirst(2)))
  }

  private static func joined(_ directory: String, _ path: String) -> String {
    directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }
}
