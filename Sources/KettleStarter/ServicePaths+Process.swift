import FoundationEssentials
import Glibc
import KettleControl
import KettleSystem

extension ServicePaths {
  /// The paths of the user who runs this process.
  package static func ofThisProcess() -> ServicePaths {
    of(environment: ProcessInfo.processInfo.environment)
  }

  /// The paths for a process with this environment.
  package static func of(environment: [String: String]) -> ServicePaths {
    let passwordHome = passwordHome() ?? "/"
    let path = userDirectoriesPath(environment: environment, passwordHome: passwordHome)
    return ServicePaths(
      environment: environment, passwordHome: passwordHome, userDirectories: text(ofFile: path),
      isUsableRuntimeDirectory: isOwnDirectory)
  }

  /// Creates the state directory and its missing parents, closed to others, for a program that
  /// writes there or to the configuration. Returns whether it is there. Throws like `checkWriter`.
  package func makeStateDirectory() throws(ClientError) -> Bool {
    try checkWriter()
    return (try? PrivateDirectory.make(stateDirectory)) != nil
  }

  /// Throws if this is root and would write to the configuration or the state of another user, who
  /// could not read or change it afterwards.
  package func checkWriter() throws(ClientError) {
    for path in [stateDirectory, configPath] {
      guard let owner = Self.foreignOwner(of: path) else { continue }
      throw .foreignHome(path: homeDirectory, ownerID: owner)
    }
  }

  /// Throws if this is root and the state directory would be made in a directory of another user,
  /// who could not use it.
  package func checkOwner() throws(ClientError) {
    var status = stat()
    guard stat(stateDirectory, &status) != 0, let owner = Self.foreignOwner(of: stateDirectory)
    else { return }
    throw .foreignHome(path: homeDirectory, ownerID: owner)
  }

  /// Returns the owner of a path, or of the first parent that exists, if this is root and that is
  /// another user. Root's own home may belong to another user, as in some containers.
  private static func foreignOwner(of path: String) -> Int64? {
    guard geteuid() == 0, !isIn(passwordHome() ?? "/root", path) else { return nil }
    var path = path
    var status = stat()
    while stat(path, &status) != 0 {
      guard path != "/" else { return nil }
      path = SystemCall.parent(of: path)
    }
    return status.st_uid == 0 ? nil : Int64(status.st_uid)
  }

  private static func isIn(_ directory: String, _ path: String) -> Bool {
    path.hasPrefix(directory == "/" ? "/" : directory + "/")
  }

  /// Returns the home directory in the password database (getpwuid_r(3)), or nil when the user has
  /// no entry.
  private static func passwordHome() -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 * 1024)
    let result = getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found)
    guard result == 0, let home = found?.pointee.pw_dir else { return nil }
    return String(cString: home)
  }

  private static func isOwnDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid()
  }

  /// Returns the beginning of a small text file without the lines that are not UTF-8, whose paths
  /// would lead elsewhere. Returns nil when it cannot be read.
  private static func text(ofFile path: String) -> String? {
    guard let file = OwnedDescriptor(opened: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(file.number, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    return bytes.prefix(count).split(separator: UInt8(ascii: "\n"))
      .compactMap { String(validating: $0, as: UTF8.self) }.joined(separator: "\n")
  }
}
