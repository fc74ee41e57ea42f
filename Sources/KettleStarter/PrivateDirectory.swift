import Glibc
import KettleSystem

/// A directory that only its owner can access. It keeps other users away from the socket, whatever
/// the permissions of the socket itself.
package enum PrivateDirectory {
  /// Creates the directory and its missing parents, and checks that it is owned by the user and
  /// closed to everyone else.
  package static func prepare(
    _ path: String, userID: Int64 = Int64(geteuid())
  ) throws(ControlSocketError) {
    try make(path)
    guard let status = SystemCall.status(ofName: path) else {
      throw unsafe(path, SystemError(errno).message)
    }
    guard status.isDirectory else { throw unsafe(path, "it is not a directory") }
    guard Int64(status.st_uid) == userID else {
      throw unsafe(path, "it belongs to user \(status.st_uid)")
    }
    guard !status.isOpenToOthers else {
      throw unsafe(path, "its mode is \(String(status.st_mode & 0o777, radix: 8)), not 700")
    }
  }

  /// Creates the directory and its missing parents, closed to others. An existing directory is left
  /// unchanged.
  package static func make(_ path: String) throws(ControlSocketError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path != "/", !path.isEmpty else {
      throw .cannotCreateDirectory(path: path, code: errno)
    }
    try make(SystemCall.parent(of: path))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .cannotCreateDirectory(path: path, code: errno)
    }
  }

  private static func unsafe(_ path: String, _ detail: String) -> ControlSocketError {
    .unsafeDirectory(path: path, detail: detail)
  }
}
