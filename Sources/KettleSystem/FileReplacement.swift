import Glibc

/// Replaces small files as a whole: a reader sees the old content or the new one.
package enum FileReplacement {
  /// Writes a file that survives a power cut. An existing file keeps its permissions. If the path
  /// is a symbolic link, the file that it leads to is replaced or made. Throws if the file stays as
  /// it was.
  ///
  /// - Parameter mode: the permissions of a new file, less the mask of the process.
  package static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32
  ) throws(SystemError) {
    let target = try destination(of: path)
    let temporary = "\(target).\(getpid()).new"
    var status = stat()
    let kept = stat(target, &status) == 0 ? status.st_mode & 0o777 : nil
    unlink(temporary)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    guard let file = OwnedDescriptor(opened: open(temporary, flags, mode)) else {
      throw SystemError(errno)
    }
    do throws(SystemError) {
      if let kept { try check(fchmod(file.number, kept)) }
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        try check(count < 0 ? -1 : 0)
        rest = rest.dropFirst(count)
      }
      try check(fsync(file.number))
      try check(rename(temporary, target))
    } catch {
      unlink(temporary)
      throw error
    }
    // The name is durable with its directory.
    let directory = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
    if let parent = OwnedDescriptor(opened: open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
      fsync(parent.number)
    }
  }

  private static func check(_ result: Int32) throws(SystemError) {
    if result != 0 { throw SystemError(errno) }
  }

  private static let linkCountMax = 40

  /// Returns the path of the file that a name leads to, whether or not the file exists.
  private static func destination(of path: String) throws(SystemError) -> String {
    var path = path
    for _ in 0..<linkCountMax {
      if let real = realPath(path) { return real }
      let problem = errno
      guard let link = text(ofLink: path) else { return path }
      guard problem == ENOENT else { throw SystemError(problem) }
      let slash = path.lastIndex(of: "/")
      path = link.hasPrefix("/") ? link : (slash.map { path[...$0] } ?? "") + link
    }
    throw SystemError(ELOOP)
  }

  /// Returns nil unless the path is a symbolic link.
  private static func text(ofLink path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
