import Glibc
import KettleSystem

/// What is on the disk at a path that the command line names.
enum FilePlace {
  /// The path with the directory of the command in front when it is relative.
  static func absolute(_ path: String, from directory: String) -> String {
    if path.hasPrefix("/") { return path }
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }

  /// The absolute path, without links and dots, of a directory that files can be made in.
  static func writableDirectory(
    _ path: String, from directory: String
  ) -> Result<String, UsageError> {
    guard let (resolved, mode) = resolve(absolute(path, from: directory)) else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      return .failure(
        UsageError(
          .place(
            isMissing
              ? .directoryMissing(path) : .directoryUnwritable(path, detail: errnoText()))))
    }
    guard mode & S_IFMT == S_IFDIR else {
      return .failure(UsageError(.place(.notADirectory(path))))
    }
    guard access(resolved, W_OK | X_OK) == 0 else {
      return .failure(UsageError(.place(.directoryUnwritable(path, detail: errnoText()))))
    }
    return .success(resolved)
  }

  /// The absolute path of a file that can be read.
  static func readableFile(
    _ path: String, from directory: String
  ) -> Result<String, UsageError> {
    guard let (resolved, mode) = resolve(absolute(path, from: directory)) else {
      return .failure(UsageError(.place(.certificateUnreadable(path, detail: errnoText()))))
    }
    guard mode & S_IFMT == S_IFREG else {
      return .failure(UsageError(.place(.certificateNotAFile(path))))
    }
    guard access(resolved, R_OK) == 0 else {
      return .failure(UsageError(.place(.certificateUnreadable(path, detail: errnoText()))))
    }
    return .success(resolved)
  }

  /// The whole content of a file or pipe.
  static func contents(of path: String, from directory: String) throws(UsageError) -> [UInt8] {
    var all: [UInt8] = []
    try read(path, from: directory) { piece in
      piece.withUnsafeBufferPointer { all.append(contentsOf: $0) }
    }
    return all
  }

  /// Hands over the content of a file or pipe, piece by piece.
  static func read(
    _ path: String, from directory: String, _ take: (Span<UInt8>) -> Void
  ) throws(UsageError) {
    let number = open(absolute(path, from: directory), O_RDONLY | O_CLOEXEC)
    guard let file = OwnedDescriptor(opened: number) else {
      throw UsageError(.list(.unreadable(detail: errnoText()), name: path))
    }
    var piece = [UInt8](repeating: 0, count: 262_144)
    while true {
      let count = Glibc.read(file.number, &piece, piece.count)
      if count == 0 { return }
      if count > 0 {
        take(piece.span.extracting(first: count))
      } else if errno != EINTR {
        throw UsageError(.list(.unreadable(detail: errnoText()), name: path))
      }
    }
  }

  private static func resolve(_ path: String) -> (path: String, mode: mode_t)? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    let resolved = String(cString: pointer)
    var status = stat()
    guard stat(resolved, &status) == 0 else { return nil }
    return (resolved, status.st_mode)
  }
}
