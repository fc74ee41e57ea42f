import KettleModel

/// Which URLs of the form are already in the list, according to the service.
package struct DuplicateSearch: Hashable, Sendable {
  /// A transfer with the same URL.
  package struct Found: Hashable, Sendable {
    package var id: TransferID
    package var state: TransferState

    package init(id: TransferID, state: TransferState) {
      self.id = id
      self.state = state
    }
  }

  /// The list may be long, so the search waits until the user has stopped typing.
  package static let delayMilliseconds: Int64 = 300

  package internal(set) var found: [String: Found] = [:]
  /// The time of the last change that has not been searched for yet.
  private var changedAt: MonotonicTime?

  package init() {}

  mutating func textChanged(at now: MonotonicTime) { changedAt = now }

  func millisecondsLeft(at now: MonotonicTime) -> Int64? {
    changedAt.map { max(0, Self.delayMilliseconds - now.milliseconds(since: $0)) }
  }

  /// Returns whether the search is due; returns true only once for each text.
  mutating func isDue(at now: MonotonicTime) -> Bool {
    guard millisecondsLeft(at: now) == 0 else { return false }
    changedAt = nil
    return true
  }
}

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
