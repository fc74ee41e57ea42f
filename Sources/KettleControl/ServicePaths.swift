/// The paths and the socket of one user's service.
///
/// Every path follows the environment (XDG Base Directory Specification), so a changed `HOME`
/// isolates a service completely.
package struct ServicePaths: Hashable, Sendable {
  package var homeDirectory: String
  /// Store, lock and log; private to the user.
  package var stateDirectory: String
  package var storePath: String
  package var lockPath: String
  package var logPath: String
  /// Contains only the socket; private to the user.
  package var runtimeDirectory: String
  package var socketPath: String
  package var configPath: String
  /// The default directory for finished files.
  package var documentsDirectory: String
}

extension ServicePaths {
  /// Derives the paths from the environment of the process.
  ///
  /// - Parameters:
  ///   - environment: Relative paths in it count as not set, as the specification asks for.
  ///   - passwordHome: The home directory of the password database, for when `HOME` is not set.
  ///   - userDirectories: The text of the file at `userDirectoriesPath`; nil when it cannot be
  ///     read.
  ///   - isUsableRuntimeDirectory: Whether the directory in `XDG_RUNTIME_DIR` is there and is the
  ///     user's own. After `su` the variable is another user's, and after the last logout the
  ///     directory is gone.
  package init(
    environment: [String: String], passwordHome: String, userDirectories: String?,
    isUsableRuntimeDirectory: (String) -> Bool = { _ in true }
  ) {
    let home = Self.home(environment: environment, passwordHome: passwordHome)
    let state = Self.path("XDG_STATE_HOME", environment) ?? Self.join(home, ".local/state")
    let config = Self.path("XDG_CONFIG_HOME", environment) ?? Self.join(home, ".config")
    homeDirectory = home
    stateDirectory = Self.join(state, "kettle")
    storePath = Self.join(stateDirectory, "store.sqlite")
    lockPath = Self.join(stateDirectory, "service.lock")
    logPath = Self.join(stateDirectory, "service.log")
    if let runtime = Self.path("XDG_RUNTIME_DIR", environment), isUsableRuntimeDirectory(runtime) {
      runtimeDirectory = Self.join(runtime, "kettle")
    } else {
      runtimeDirectory = Self.join(stateDirectory, "run")
    }
    socketPath = Self.join(runtimeDirectory, "control.sock")
    configPath = Self.join(config, "kettle/config.toml")
    documentsDirectory =
      Self.path("XDG_DOWNLOAD_DIR", environment)
      ?? userDirectories.flatMap { UserDirsFile.downloads(in: $0, home: home) }
      ?? Self.join(home, "Downloads")
  }

  /// Finished files that their programs have not taken yet; private to the user.
  package var heldDirectory: String { Self.join(stateDirectory, "held") }

  /// How this machine takes part in a fleet.
  package var fleetPath: String { Self.join(stateDirectory, "fleet.json") }

  /// Where files of a fleet wait whose destination is an object store.
  package var fleetStagingDirectory: String { Self.join(stateDirectory, "fleet") }

  /// The directory of the dashboard's themes, beside the configuration.
  package var themesDirectory: String {
    configPath[..<(configPath.lastIndex(of: "/") ?? configPath.endIndex)] + "/themes"
  }

  /// Returns the path of the file of a theme.
  package func themePath(of name: String) -> String { themesDirectory + "/" + name + ".toml" }

  /// The socket while the service of another home, or nothing, is in the runtime directory.
  package var fallbackSocketPath: String { Self.join(stateDirectory, "run/control.sock") }

  /// Locked by the program that starts the service, until the service is ready.
  package var startLockPath: String { Self.join(stateDirectory, "start.lock") }

  /// Locked by the command that changes the configuration file.
  package var configLockPath: String { Self.join(stateDirectory, "config.lock") }

  /// The secret that clients of the RPC present; readable for the user alone.
  package var rpcSecretPath: String { Self.join(stateDirectory, "rpc-secret") }

  /// Contains one byte for each consecutive crash of the service.
  package var crashCountPath: String { Self.join(stateDirectory, "crashes") }
  package var unrecordedFilesPath: String { Self.join(stateDirectory, "unrecorded") }
  /// Empty; its modification time is when a dashboard was last open.
  package var watchedPath: String { Self.join(stateDirectory, "watched") }
  /// What the dashboard remembers of the user's choices.
  package var choicesPath: String { Self.join(stateDirectory, "dashboard.json") }

  /// The file in which the desktop stores the names of the user's directories
  /// (`user-dirs.dirs(5)`).
  package static func userDirectoriesPath(
    environment: [String: String], passwordHome: String
  ) -> String {
    let home = home(environment: environment, passwordHome: passwordHome)
    let config = path("XDG_CONFIG_HOME", environment) ?? join(home, ".config")
    return join(config, "user-dirs.dirs")
  }

  private static func home(environment: [String: String], passwordHome: String) -> String {
    path("HOME", environment) ?? absolute(passwordHome) ?? "/"
  }

  private static func path(_ name: String, _ environment: [String: String]) -> String? {
    environment[name].flatMap(absolute)
  }

  /// Returns the path without trailing slashes, or nil if it is relative.
  private static func absolute(_ text: String) -> String? {
    guard text.hasPrefix("/") else { return nil }
    var path = text[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return String(path)
  }

  private static func join(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}

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
