import GRDB
import Glibc
import KettleModel
import KettleSystem

/// The paths of the store's files, their permissions, and where a damaged store is moved.
struct StorePaths {
  let path: String
  private let directory: String
  private let freeNameRename: FreeNameRename

  /// Files that SQLite keeps beside the database.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// The path of a store under construction. It is renamed when complete, so that an empty file
  /// under the final name is never mistaken for an empty list.
  var unfinishedPath: String { path + ".new" }

  init(_ path: String, freeNameRename: FreeNameRename = FreeNameRename()) {
    self.path = path
    self.freeNameRename = freeNameRename
    let slash = path.lastIndex(of: "/")
    directory = slash.map { String(path[..<$0]) } ?? "."
  }

  // MARK: Access

  /// Creates the directory and closes it to other users: the store contains headers and passwords.
  func prepareDirectory() throws(StoreError) {
    try Self.makeDirectory(directory)
    var status = stat()
    guard stat(directory, &status) == 0 else {
      throw .ofKernel(at: path, otherwise: .unreadable)
    }
    guard status.st_uid == geteuid() else {
      throw StoreError(
        code: .wrongOwner, path: path, detail: "its directory is of user \(status.st_uid)")
    }
    if status.st_mode & 0o077 != 0, chmod(directory, 0o700) != 0 {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
  }

  private static func makeDirectory(_ path: String) throws(StoreError) {
    if path.isEmpty || mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
    try makeDirectory(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
  }

  /// Returns false when there is no store. If others could read the store, removes their access.
  func checkFile() throws(StoreError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return false }
      throw .ofKernel(at: path, otherwise: .unreadable)
    }
    guard status.st_uid == geteuid() else {
      throw StoreError(
        code: .wrongOwner, path: path, detail: "the file is of user \(status.st_uid)")
    }
    if status.st_mode & 0o177 != 0, chmod(path, 0o600) != 0 {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
    return true
  }

  /// Creates the empty file of a new store. SQLite gives the files beside it the same permissions
  /// (sqlite.org/src/file/src/os_unix.c, `findCreateFileMode`), so they are private from the start.
  func makeUnfinished() throws(StoreError) {
    for suffix in [""] + Self.companions { unlink(unfinishedPath + suffix) }
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard OwnedDescriptor(opened: open(unfinishedPath, flags, 0o600)) != nil else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
  }

  /// Whether the file system and the permissions allow writing to the store.
  var isWritable: Bool { access(path, W_OK) == 0 }

  /// Whether there is a new store that may be complete but was never renamed. It is not complete if
  /// a transaction must be rolled back, and cannot even be read then: a reader rolls nothing back
  /// (sqlite.org/lockingv3.html, "Hot Journals").
  var mayHaveComplete: Bool {
    access(unfinishedPath, F_OK) == 0 && access(unfinishedPath + "-journal", F_OK) != 0
  }

  /// Renames the complete store to its final name.
  func adoptUnfinished() throws(StoreError) {
    try rename(unfinishedPath, to: path)
    try syncDirectory()
  }

  // MARK: Commits

  /// The file of the `CommitRecord`.
  var commitsPath: String { path + "-commits" }

  /// Opens the commit record for writing; a newly created file survives a power cut.
  func openCommits() throws(StoreError) -> OwnedDescriptor {
    let number = open(commitsPath, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .ofKernel(at: path, otherwise: .unwritable) }
    let file = OwnedDescriptor(owning: number)
    try syncDirectory()
    return file
  }

  // MARK: Damage

  /// A marker beside a store in which damage was found during use; the next opening inspects the
  /// store in full.
  private var suspicionPath: String { path + ".suspect" }

  var isSuspect: Bool { access(suspicionPath, F_OK) == 0 }

  /// Leaves a marker for the next opening. It survives a power cut.
  func markSuspect(_ reason: String) throws(StoreError) {
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: open(suspicionPath, flags, 0o600)) else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
    // Only its existence matters; the text is for people.
    var text = reason + "\n"
    _ = text.withUTF8 { write(file.number, $0.baseAddress, $0.count) }
    fsync(file.number)
    try syncDirectory()
  }

  func clearSuspicion() { unlink(suspicionPath) }

  /// The size of the store and its log.
  var byteCount: Int64 {
    ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
    }
  }

  /// Moves the store and its companion files to free names. Returns the new path.
  ///
  /// The store is moved first: a log without its store is put aside at the next start, but a store
  /// without its log would be mistaken for an intact older one.
  func setAside(at now: WallTime) throws(StoreError) -> String {
    let stamp = now.iso8601.filter { $0 != "-" && $0 != ":" }
    var aside = path + ".damaged-" + stamp
    var number = 2
    while Self.isTaken(aside) {
      aside = path + ".damaged-" + stamp + "-\(number)"
      number += 1
    }
    for suffix in [""] + Self.companions where access(path + suffix, F_OK) == 0 {
      try rename(path + suffix, to: aside + suffix)
    }
    try syncDirectory()
    return aside
  }

  /// Whether a log exists without a store. A new store must not start with it.
  var hasOrphanedCompanion: Bool {
    Self.companions.contains { access(path + $0, F_OK) == 0 }
  }

  private static func isTaken(_ aside: String) -> Bool {
    ([""] + companions).contains { access(aside + $0, F_OK) == 0 }
  }

  private func rename(_ from: String, to newPath: String) throws(StoreError) {
    do {
      try freeNameRename.rename(from, to: newPath)
    } catch {
      throw .ofKernel(error, at: path, otherwise: .unwritable)
    }
  }

  private func syncDirectory() throws(StoreError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: open(directory, flags)) else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
    guard fsync(file.number) != 0, !SystemError(errno).meansNoDirectorySync else { return }
    throw .ofKernel(at: path, otherwise: .unwritable)
  }
}

/// Why the store cannot be used.
package struct StoreError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// A later version of Kettle created it; using it would lose data that only that version knows.
    case newer
    /// The file or its directory belongs to another user.
    case wrongOwner
    case diskFull
    /// Another program holds a lock on it.
    case busy
    case unreadable
    case unwritable
  }

  package var code: Code
  package var path: String
  /// The message of SQLite or the kernel.
  package var detail: String?

  /// What failed, on what, and what to do; without a period.
  package var sentence: String {
    let shown = "\"" + path.sanitizedForDisplay() + "\""
    let said = detail.map { " (\($0))" } ?? ""
    return switch code {
    case .newer:
      "The store \(shown) was made by a newer Kettle\(said); install that version again, "
        + "or move the file away to begin with an empty list"
    case .wrongOwner:
      "The store \(shown) belongs to another user\(said); run Kettle as that user, "
        + "or set XDG_STATE_HOME to a directory of your own"
    case .diskFull:
      "The disk of the store \(shown) is full\(said); free some space"
    case .busy:
      "The store \(shown) is in use by another program\(said); end that program"
    case .unreadable:
      "The store \(shown) cannot be read\(said); check its disk and its permissions"
    case .unwritable:
      "The store \(shown) cannot be written\(said); check its disk and its permissions"
    }
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String { sentence }
}

extension StoreError {
  /// Maps an SQLite error to an error of the store at a path.
  ///
  /// - Parameter code: the code to use when SQLite's own is not more specific.
  init(_ error: any Error, at path: String, otherwise code: Code) {
    guard let error = error as? DatabaseError else {
      self.init(code: code, path: path, detail: "\(error)")
      return
    }
    let meaning: Code =
      switch error.resultCode {
      case .SQLITE_FULL: .diskFull
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
      // SQLite reports these when the disk has no room for the index of its log.
      case .SQLITE_IOERR, .SQLITE_CANTOPEN: Self.isFull(diskOf: path) ? .diskFull : code
      default: code
      }
    // The message without the statement, which contains the user's values.
    self.init(
      code: meaning, path: path,
      detail: error.message ?? "SQLite error \(error.resultCode.rawValue)")
  }

  /// Whether the disk has no room for the smallest store, which needs more with its log and index.
  private static func isFull(diskOf path: String) -> Bool {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return false }
    return UInt64(status.f_bavail) < 65_536 / max(1, UInt64(status.f_frsize))
  }

  /// Maps errno to a store error.
  static func ofKernel(at path: String, otherwise code: Code) -> StoreError {
    ofKernel(SystemError(errno), at: path, otherwise: code)
  }

  static func ofKernel(
    _ error: SystemError, at path: String, otherwise code: Code
  ) -> StoreError {
    StoreError(
      code: error.code == ENOSPC ? .diskFull : code, path: path, detail: error.message)
  }
}

extension DatabaseError {
  /// Whether the file itself is at fault, rather than the disk, a lock or memory.
  var meansDamage: Bool {
    switch resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_MISMATCH,
      .SQLITE_SCHEMA, .SQLITE_CONSTRAINT, .SQLITE_TOOBIG:
      true
    default: false
    }
  }
}
