import Glibc

/// Calls into the system, with what each may answer as values.
enum SystemCall {
  /// Calls again as long as a signal interrupts.
  static func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  static func text(ofCode code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What lstat(2) tells of a name, a symbolic link not followed; nil when there is nothing.
  static func status(ofName path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

extension stat {
  var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
  var isSocket: Bool { st_mode & S_IFMT == S_IFSOCK }
  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  /// Group or others may do something.
  var isOpenToOthers: Bool { st_mode & 0o077 != 0 }
}
