import Glibc

/// System calls with their possible results as values.
package enum SystemCall {
  /// Repeats the call while it is interrupted by a signal.
  package static func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  /// Returns the result of lstat(2), which does not follow a symbolic link; nil if there is no
  /// file.
  package static func status(ofName path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

extension stat {
  package var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
  package var isSocket: Bool { st_mode & S_IFMT == S_IFSOCK }
  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  /// Whether group or others have any permission.
  package var isOpenToOthers: Bool { st_mode & 0o077 != 0 }
}
