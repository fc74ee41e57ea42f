/// Where the paths start that the user of the dashboard writes.
package struct UserPlaces: Hashable, Sendable {
  /// Absolute; nil when the environment names none.
  package var home: String?
  /// Absolute.
  package var workingDirectory: String

  package init(home: String?, workingDirectory: String) {
    self.home = home
    self.workingDirectory = workingDirectory
  }

  /// An absolute path for one that was written as to a shell; nil for `~somebody`, which only the
  /// list of users could tell, and for `~` without a home.
  package func absolute(_ path: String) -> String? {
    if path.hasPrefix("/") { return path }
    guard path.hasPrefix("~") else { return Self.joined(workingDirectory, path) }
    guard let home, path == "~" || path.hasPrefix("~/") else { return nil }
    return path == "~" ? home : Self.joined(home, String(path.dropFirst(2)))
  }

  private static func joined(_ directory: String, _ path: String) -> String {
    directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }
}
