import FoundationEssentials
import Glibc

/// Why the demo cannot run.
enum DemoProblem: Error, Hashable, Sendable {
  /// The path of the home exists and is not a private directory of ours.
  case foreignHome(path: String)
  case homeUnusable(path: String, detail: String)
  case catalogueUnusable(path: String)
  case serviceStillRuns(path: String)
  case portUnusable(port: Int, detail: String?)
}

/// The temporary home of the demo. Each user has one, so that a demo whose terminal was closed is
/// found again.
struct DemoHome: Hashable, Sendable {
  let path: String

  var cataloguePath: String { path + "/catalogue.json" }

  /// Creates the home, or reuses an existing one if it is private and ours: in a world-writable
  /// directory another user could have created it.
  static func open(environment: [String: String]) throws(DemoProblem) -> DemoHome {
    let given = environment["TMPDIR"] ?? ""
    let parent = given.hasPrefix("/") ? given : "/tmp"
    let path = (parent.hasSuffix("/") ? parent : parent + "/") + "kettle-demo-\(geteuid())"
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw .homeUnusable(path: path, detail: errnoText())
    }
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw .homeUnusable(path: path, detail: errnoText())
    }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else { throw .foreignHome(path: path) }
    let home = DemoHome(path: path)
    for directory in home.directories where mkdir(directory, 0o700) != 0 && errno != EEXIST {
      throw .homeUnusable(path: directory, detail: errnoText())
    }
    try home.configure()
    return home
  }

  /// Few transfers at once, so that some wait for their turn, and few connections each, so that
  /// there is time to look.
  private static let configuration = """
    [limits]
    transfers = 3
    connections-per-transfer = 4

    """

  private func configure() throws(DemoProblem) {
    let file = path + "/config/kettle/config.toml"
    guard access(file, F_OK) != 0 else { return }
    do {
      try Data(Self.configuration.utf8).write(to: URL(filePath: file))
    } catch {
      throw .homeUnusable(path: file, detail: errnoText())
    }
  }

  private var runtime: String { path + "/run" }
  private var directories: [String] {
    [
      runtime, path + "/state", path + "/config", path + "/config/kettle", path + "/cache",
      path + "/data",
    ]
  }

  /// The environment that places all of Kettle's files in this home.
  func environment(from outer: [String: String]) -> [String: String] {
    var environment = outer
    environment["HOME"] = path
    environment["XDG_RUNTIME_DIR"] = runtime
    environment["XDG_STATE_HOME"] = path + "/state"
    environment["XDG_CONFIG_HOME"] = path + "/config"
    environment["XDG_CACHE_HOME"] = path + "/cache"
    environment["XDG_DATA_HOME"] = path + "/data"
    // No notifications on the user's desktop either: an empty address means no bus.
    environment["DBUS_SESSION_BUS_ADDRESS"] = ""
    // The origin is on this machine's loopback, which no proxy can reach.
    for name in environment.keys where name.lowercased().hasSuffix("_proxy") {
      environment[name] = nil
    }
    return environment
  }

  /// Deletes the home and its contents. Symbolic links are deleted, not followed.
  func delete() throws(DemoProblem) {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      var status = stat()
      guard lstat(path, &status) == 0 else { return }
      throw .homeUnusable(path: path, detail: errnoText(EBUSY))
    }
  }
}
