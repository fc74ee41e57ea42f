import Glibc
import KettleModel
import KettleSystem

/// Copies a database that another program may have open.
///
/// Even a connection that only reads would create files beside the database and wait for the locks
/// of its program. A copy needs neither.
enum DatabaseCopy {
  /// The file, the log of a database in WAL mode, and the journal with which SQLite rolls back an
  /// unfinished change otherwise (sqlite.org/tempfiles.html).
  private static let suffixes = ["", "-wal", "-journal"]
  /// A checkpoint during a copy makes the file and its log disagree, so both are copied again.
  private static let attemptCountMax = 5

  /// Copies the database into a private directory, passes the path of the copy to `body`, and
  /// deletes the directory.
  ///
  /// - Parameters:
  ///   - parent: where the directory is made; absolute.
  ///   - byteCountMax: for the file and its log together, a whole number of MiB.
  static func with<Value>(
    _ path: String, in parent: String, byteCountMax: Int64,
    _ body: (String) throws(BrowserCookieProblem) -> Value
  ) throws(BrowserCookieProblem) -> Value {
    var template = Array((parent + "/kettle-cookies-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .notCopied(directory: parent, detail: SystemError(errno).message)
    }
    let directory = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let copy = directory + "/cookies"
    defer {
      for suffix in suffixes + ["-shm"] { unlink(copy + suffix) }
      rmdir(directory)
    }
    try make(copy, of: try resolved(path), in: parent, byteCountMax: byteCountMax)
    return try body(copy)
  }

  /// The log is beside the file that a symbolic link leads to.
  private static func resolved(_ path: String) throws(BrowserCookieProblem) -> String {
    guard let pointer = realpath(path, nil) else {
      throw .unreadable(detail: SystemError(errno).message)
    }
    defer { free(pointer) }
    return String(cString: pointer)
  }

  private static func make(
    _ copy: String, of path: String, in parent: String, byteCountMax: Int64
  ) throws(BrowserCookieProblem) {
    for _ in 0..<attemptCountMax {
      let before = try states(of: path)
      let byteCount = before.reduce(0) { $0 + ($1?.byteCount ?? 0) }
      guard byteCount <= byteCountMax else { throw .tooLarge(byteCountMax: byteCountMax) }
      for (suffix, state) in zip(suffixes, before) {
        unlink(copy + suffix)
        guard let state else { continue }
        try FileCopy(from: path + suffix, to: copy + suffix, in: parent)?.run(state.byteCount)
      }
      if try states(of: path) == before { return }
    }
    throw .changing
  }

  private struct FileState: Equatable {
    var device: dev_t
    var inode: ino_t
    var byteCount: Int64
    var seconds: Int
    var nanoseconds: Int
  }

  /// The state of each file, nil for one that does not exist.
  private static func states(of path: String) throws(BrowserCookieProblem) -> [FileState?] {
    var states: [FileState?] = []
    for suffix in suffixes {
      var status = stat()
      if stat(path + suffix, &status) == 0 {
        guard status.st_mode & S_IFMT == S_IFREG else {
          throw .unreadable(detail: "it is not a regular file")
        }
        states.append(
          FileState(
            device: status.st_dev, inode: status.st_ino, byteCount: Int64(status.st_size),
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec))
      } else if errno == ENOENT, !suffix.isEmpty {
        states.append(nil)
      } else {
        throw .unreadable(detail: SystemError(errno).message)
      }
    }
    return states
  }
}

/// Copies one file.
private struct FileCopy: ~Copyable {
  private static let pieceByteCount = 1 << 20

  private let source: OwnedDescriptor
  private let copy: OwnedDescriptor
  private let parent: String

  /// Returns nil if the source is gone, as a log is after a checkpoint.
  init?(from path: String, to copyPath: String, in parent: String) throws(BrowserCookieProblem) {
    // A FIFO that takes the place of the file does not block the caller.
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    guard let source = OwnedDescriptor(opened: open(path, flags)) else {
      if errno == ENOENT { return nil }
      throw .unreadable(detail: SystemError(errno).message)
    }
    let creation = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    guard let copy = OwnedDescriptor(opened: open(copyPath, creation, 0o600)) else {
      throw .notCopied(directory: parent, detail: SystemError(errno).message)
    }
    self.source = source
    self.copy = copy
    self.parent = parent
  }

  /// Copies at most `byteCount` bytes: the source may grow meanwhile.
  consuming func run(_ byteCount: Int64) throws(BrowserCookieProblem) {
    var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
    var left = byteCount
    while left > 0 {
      let count = read(source.number, &piece, Int(min(left, Int64(piece.count))))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(detail: SystemError(errno).message) }
      if count == 0 { return }
      try write(piece.prefix(count))
      left -= Int64(count)
    }
  }

  private func write(_ bytes: ArraySlice<UInt8>) throws(BrowserCookieProblem) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(copy.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw .notCopied(directory: parent, detail: SystemError(errno).message)
      }
      rest = rest.dropFirst(count)
    }
  }
}
