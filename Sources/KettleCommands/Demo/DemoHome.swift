import FoundationEssentials
import Glibc

/// Why the demo cannot be given.
enum DemoProblem: Error, Hashable, Sendable {
  /// Something stands at the place of its home that is not a private directory of ours.
  case foreignHome(path: String)
  case homeUnusable(path: String, detail: String)
  case catalogueUnusable(path: String)
  case serviceStillRuns(path: String)
}

/// The throw-away home of the demo: one place for each user, so that a demo whose terminal was
/// closed is found again.
struct DemoHome: Hashable, Sendable {
  let path: String

  var cataloguePath: String { path + "/catalogue.json" }

  /// Makes the home, or takes up the one that is there when it is private and ours: in a directory
  /// that everybody may write to, somebody else could have made it.
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
    return home
  }

  private var runtime: String { path + "/run" }
  private var directories: [String] {
    [runtime, path + "/state", path + "/config", path + "/cache", path + "/data"]
  }

  /// The environment in which every place of Kettle lies in this home.
  func environment(from outer: [String: String]) -> [String: String] {
    var environment = outer
    environment["HOME"] = path
    environment["XDG_RUNTIME_DIR"] = runtime
    environment["XDG_STATE_HOME"] = path + "/state"
    environment["XDG_CONFIG_HOME"] = path + "/config"
    environment["XDG_CACHE_HOME"] = path + "/cache"
    environment["XDG_DATA_HOME"] = path + "/data"
    // Nor is anything said on the user's desktop; without an address no bus is looked for.
    environment["DBUS_SESSION_BUS_ADDRESS"] = ""
    // The origin is on the loopback of this machine, where no proxy can reach it.
    for name in environment.keys where name.lowercased().hasSuffix("_proxy") {
      environment[name] = nil
    }
    return environment
  }

  /// Deletes the home with everything in it; links in it are deleted, not followed.
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
