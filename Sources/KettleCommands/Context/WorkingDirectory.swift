import Glibc

/// The directory where relative paths on the command line begin. No path can be resolved from one
/// that does not exist any more: `/` in its place would lead to other files.
package enum WorkingDirectory: Hashable, Sendable {
  /// Absolute.
  case at(String)
  case unreachable(Problem)

  package enum Problem: Hashable, Sendable {
    /// It was deleted, or is outside of the root directory.
    case gone
    case unreadable(detail: String)
    case notText
  }

  /// Of this process (getcwd(3)).
  static var current: WorkingDirectory {
    guard let pointer = getcwd(nil, 0) else {
      return .unreachable(errno == ENOENT ? .gone : .unreadable(detail: errnoText()))
    }
    defer { free(pointer) }
    return String(validatingCString: pointer).map(Self.at) ?? .unreachable(.notText)
  }

  /// nil when it is unreachable.
  var path: String? {
    switch self {
    case .at(let path): path
    case .unreachable: nil
    }
  }

  /// Returns the path, resolved against this directory when it is relative.
  func absolute(_ path: String) throws(UsageError) -> String {
    if path.hasPrefix("/") { return path }
    switch self {
    case .at(let directory):
      return directory.hasSuffix("/") ? directory + path : directory + "/" + path
    case .unreachable(let problem): throw UsageError(.path(.relativeToNothing(path, problem)))
    }
  }
}

extension WorkingDirectory: ExpressibleByStringLiteral {
  package init(stringLiteral path: String) { self = .at(path) }
}

/// A word from outside that is not UTF-8. Names and paths are handled as text, so it would lead to
/// another file than the one that is meant.
package enum WordNotText: Hashable, Sendable {
  case argument(shown: String)
  case variable(name: String)

  /// The variables that name places.
  private static let variables = [
    "HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "XDG_DOWNLOAD_DIR", "TMPDIR",
  ]

  /// The first such word of this process; nil for none.
  static var ofThisProcess: WordNotText? {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = CommandLine.unsafeArgv[index] else { break }
      if String(validatingCString: pointer) == nil {
        return .argument(shown: String(cString: pointer))
      }
    }
    return variables.first { name in
      getenv(name).map { String(validatingCString: $0) == nil } ?? false
    }.map { .variable(name: $0) }
  }
}
