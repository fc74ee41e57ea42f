import CKettleLinux
import Glibc
import KettleSystem
import KettleModel

/// The files of the store: who may read them, and where a damaged one goes.
struct StorePlace {
  let path: String
  private let directory: String

  /// Files that SQLite keeps beside the database.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// A store that is being made; it gets its name when it is complete, so that an empty file under
  /// that name is never taken for an empty list.
  var unfinishedPath: String { path + ".new" }

  init(_ path: String) {
    self.path = path
    let slash = path.lastIndex(of: "/")
    directory = slash.map { String(path[..<$0]) } ?? "."
  }

  // MARK: Access

  /// Makes the directory and keeps others out of it: headers and passwords are in the store.
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

  /// Answers false when there is no store. A store that others could read is closed to them.
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

  /// Makes the empty file of a new store. SQLite gives the files beside it the same permissions
  /// (sqlite.org/src/file/src/os_unix.c, `findCreateFileMode`), so nobody can look in for an
  /// instant.
  func makeUnfinished() throws(StoreError) {
    for suffix in [""] + Self.companions { unlink(unfinishedPath + suffix) }
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard OwnedDescriptor(opened: open(unfinishedPath, flags, 0o600)) != nil else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
  }

  /// Whether the file system and the permissions let the store be written to.
  var isWritable: Bool { access(path, W_OK) == 0 }

  /// Whether there is a new store that may be complete and never got its name. In the middle of a
  /// transaction that is to be taken back it is not, and cannot even be looked at: who only reads
  /// takes nothing back (sqlite.org/lockingv3.html, "Hot Journals").
  var mayHaveComplete: Bool {
    access(unfinishedPath, F_OK) == 0 && access(unfinishedPath + "-journal", F_OK) != 0
  }

  /// Gives the complete store its name.
  func adoptUnfinished() throws(StoreError) {
    try rename(unfinishedPath, to: path)
    try syncDirectory()
  }

  // MARK: Progress

  /// Lies beside the store, and is of no use without it.
  var progressPath: String { path + "-progress" }

  /// Opens the progress file; a new one survives a power cut.
  func openProgress() throws(StoreError) -> OwnedDescriptor {
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: open(progressPath, flags, 0o600)) else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
    try syncDirectory()
    return file
  }

  // MARK: Commits

  /// The file of the `CommitRecord`.
  var commitsPath: String { path + "-commits" }

  /// Opens the commit record for writing; a new file survives a power cut.
  func openCommits() throws(StoreError) -> OwnedDescriptor {
    let number = open(commitsPath, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .ofKernel(at: path, otherwise: .unwritable) }
    let file = OwnedDescriptor(owning: number)
    try syncDirectory()
    return file
  }

  // MARK: Damage

  /// Lies beside a store in which damage was met while it was in use; the next opening inspects it
  /// in full.
  private var suspicionPath: String { path + ".suspect" }

  var isSuspect: Bool { access(suspicionPath, F_OK) == 0 }

  /// Leaves a note for the next opening, which survives a power cut.
  func markSuspect(_ reason: String) throws(StoreError) {
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: open(suspicionPath, flags, 0o600)) else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
    // The note itself is what counts; its words are for people.
    var text = reason + "\n"
    _ = text.withUTF8 { write(file.number, $0.baseAddress, $0.count) }
    fsync(file.number)
    try syncDirectory()
  }

  func clearSuspicion() { unlink(suspicionPath) }

  /// Of the store and its log.
  var byteCount: Int64 {
    ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
    }
  }

  /// Moves the store and what lies beside it to names that are free. Answers the new path.
  ///
  /// The store goes first: a log without its store is put aside at the next start, while a store
  /// without its log would be taken for an older one that is whole.
  func putAside(at now: WallTime) throws(StoreError) -> String {
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

  /// Whether a log lies there without a store. A new store must not begin with it.
  var hasOrphanedCompanion: Bool {
    Self.companions.contains { access(path + $0, F_OK) == 0 }
  }

  private static func isTaken(_ aside: String) -> Bool {
    ([""] + companions).contains { access(aside + $0, F_OK) == 0 }
  }

  private func rename(_ from: String, to newPath: String) throws(StoreError) {
    let code = kettle_rename_noreplace(from, newPath)
    guard code != 0 else { return }
    errno = code
    throw .ofKernel(at: path, otherwise: .unwritable)
  }

  private func syncDirectory() throws(StoreError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: open(directory, flags)) else {
      throw .ofKernel(at: path, otherwise: .unwritable)
    }
    guard fsync(file.number) == 0 else { throw .ofKernel(at: path, otherwise: .unwritable) }
  }
}
