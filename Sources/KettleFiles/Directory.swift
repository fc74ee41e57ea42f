import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// An open directory. Entries are accessed relative to its descriptor, so replacing the directory
/// at its path between two calls has no effect.
final class Directory: Sendable {
  let path: String
  let calls: FileCalls
  /// The longest name of an entry, in bytes. The limit is below the usual 255 where names are
  /// stored encrypted: 143 on eCryptfs and Synology's shares, 189 on EncFS.
  let nameByteCountMax: Int
  private let file: OpenFile

  /// Opens an existing directory. Follows links on the way: the path is the user's.
  init(_ path: String, calls: FileCalls = .kernel) throws(Errno) {
    self.path = path
    self.calls = calls
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    file = OpenFile(owning: try Errno.retrying { Glibc.open(path, flags) }, calls: calls)
    let stated = calls.nameByteCountMax(file.descriptor)
    nameByteCountMax =
      stated > 0 ? min(stated, FileName.componentByteCountMax) : FileName.componentByteCountMax
  }

  /// Opens the directory. Creates it and its missing parents first.
  static func openOrMake(
    _ path: String, mode: mode_t, calls: FileCalls
  ) throws(Errno) -> Directory {
    do {
      return try Directory(path, calls: calls)
    } catch {
      guard error.rawValue == ENOENT, let filePath = FilePath(path) else { throw error }
      let parent = try openOrMake(filePath.directory, mode: mode, calls: calls)
      try parent.makeDirectory(filePath.name, mode: mode)
      return try Directory(path, calls: calls)
    }
  }

  private func makeDirectory(_ name: String, mode: mode_t) throws(Errno) {
    do {
      _ = try Errno.retrying { mkdirat(file.descriptor, name, mode) }
    } catch {
      // Another process created it meanwhile.
      guard error.rawValue == EEXIST else { throw error }
    }
    try sync()
  }

  func status() throws(Errno) -> FileStatus { try file.status() }

  /// Whether the device number of its file system is the same on every mount. File systems on no
  /// block device of their own, or on several, get a random one (btrfs, overlay, NFS, FUSE).
  var keepsDeviceNumber: Bool {
    get throws(Errno) {
      guard let kind = calls.fileSystemKind(file.descriptor) else { throw Errno.current }
      // BTRFS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, NFS_SUPER_MAGIC, FUSE_SUPER_MAGIC (statfs(2)).
      return ![0x9123_683E, 0x794C_7630, 0x6969, 0x6573_5546].contains(kind)
    }
  }

  /// Returns the partial file's name for a finished name, shortened to the file system's limit.
  func partialName(for name: String) -> String {
    FileName.cut(name, toFit: nameByteCountMax - FileName.partialSuffix.utf8.count)
      + FileName.partialSuffix
  }

  /// Syncs the directory's entries: a new or renamed file survives a power cut only after its
  /// directory was synced (fsync(2), "Description").
  ///
  /// A file system that cannot sync a directory offers nothing else to wait for.
  func sync() throws(Errno) {
    do {
      try file.syncAll()
    } catch {
      guard SystemError(error.rawValue).meansNoDirectorySync else { throw error }
    }
  }

  /// Whether the inode numbers of its files last.
  var inodeNumbers: InodeNumbers { file.inodeNumbers }

  // MARK: Entries

  /// Returns nil when the name does not exist.
  func status(of name: String) throws(Errno) -> FileStatus? {
    var status = stat()
    do {
      _ = try Errno.retrying { calls.statusOfName(file.descriptor, name, &status) }
      return FileStatus(status)
    } catch {
      if error.rawValue == ENOENT { return nil }
      throw error
    }
  }

  /// Returns why the entry is not a readable file, in words for a failure. Returns nil when it is a
  /// regular file, or a link to one.
  func reasonNotAFile(_ name: String) throws(Errno) -> String? {
    var status = stat()
    do {
      _ = try Errno.retrying { fstatat(file.descriptor, name, &status, 0) }
    } catch {
      switch error.rawValue {
      case ENOENT, ENOTDIR:
        return try self.status(of: name) == nil
          ? "it is gone again" : "a link that leads to nothing"
      case ELOOP: return "a link that leads to itself"
      default: throw error
      }
    }
    switch FileStatus(status).kind {
    case .regular: return nil
    case .directory: return "a directory"
    case .link, .special: return "not a regular file"
    }
  }

  /// Creates a file that does not exist yet. The check and the creation are one call. The umask is
  /// respected, and data is never executable.
  func create(_ name: String) throws(Errno) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = try Errno.retrying { openat(file.descriptor, name, flags, 0o666) }
    return OpenFile(owning: descriptor, calls: calls)
  }

  /// Creates a file without a name. Throws where the file system does not support that.
  func createUnnamed() throws(Errno) -> OpenFile {
    // O_TMPFILE, a macro of two flags that Swift does not import.
    let flags = 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC
    let descriptor = try Errno.retrying { calls.openUnnamed(file.descriptor, flags) }
    return OpenFile(owning: descriptor, calls: calls)
  }

  /// Links an unnamed file under a free name (open(2), "O_TMPFILE").
  func name(_ unnamed: OpenFile, _ name: String) throws(Errno) {
    let link = "/proc/self/fd/\(unnamed.descriptor)"
    _ = try Errno.retrying {
      linkat(AT_FDCWD, link, file.descriptor, name, AT_SYMLINK_FOLLOW)
    }
  }

  enum Access {
    case read, write
  }

  /// Opens an existing file. Does not follow a link (ELOOP), and does not block on a FIFO.
  func open(_ name: String, for access: Access) throws(Errno) -> OpenFile {
    let mode =
      switch access {
      case .read: O_RDONLY
      case .write: O_RDWR
      }
    let flags = mode | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let descriptor = try Errno.retrying { openat(file.descriptor, name, flags) }
    return OpenFile(owning: descriptor, calls: calls)
  }

  func remove(_ name: String) throws(Errno) {
    _ = try Errno.retrying { unlinkat(file.descriptor, name, 0) }
  }

  /// Renames the file, replacing any file under the new name.
  func rename(_ name: String, replacing newName: String) throws(Errno) {
    _ = try Errno.retrying { calls.rename(file.descriptor, name, newName) }
  }

  /// The descriptor, for the calls of `FreeNameRename`.
  var descriptor: Int32 { file.descriptor }
}

/// What the file system of a directory does not allow.
extension Directory {
  /// The largest file of a known file system; nil where none is known.
  var fileByteCountMax: Int64? {
    // MSDOS_SUPER_MAGIC: FAT has 32 bits for a size.
    calls.fileSystemKind(descriptor) == 0x4D44 ? 0xFFFF_FFFF : nil
  }

  /// Returns the failure for an error of a call that gives a name to a file in this open directory.
  /// Attributes an error about the name itself to the file, not to the directory.
  ///
  /// File systems of other systems report a forbidden character by many numbers: exFAT by ENOENT or
  /// EINVAL, NTFS by EINVAL, FAT by EPERM.
  func failure(_ error: Errno, onName name: String) -> TransferFailure {
    let path = FilePath.joined(self.path, name)
    switch error.rawValue {
    case ENAMETOOLONG, EFBIG: return error.failure(.file(path))
    case EINVAL, EILSEQ: return Self.refused(path, error)
    case ENOENT, EPERM, EACCES, EIO:
      let isForbidden = Self.isForbiddenElsewhere(name) && isThereAndWritable
      return isForbidden ? Self.refused(path, error) : error.failure(.directory(self.path))
    default: return error.failure(.directory(self.path))
    }
  }

  private static func refused(_ path: String, _ error: Errno) -> TransferFailure {
    TransferFailure(.fileProblem, on: path, detail: FileTrouble.detail(refusing: error.name))
  }

  /// Whether some file systems forbid the name: those that keep the rules of Windows.
  private static func isForbiddenElsewhere(_ name: String) -> Bool {
    name.unicodeScalars.contains { $0.value < 32 || "\"*:<>?\\|".unicodeScalars.contains($0) }
      || name.hasSuffix(".") || name.hasSuffix(" ")
  }

  private var isThereAndWritable: Bool {
    let isLinked = (try? status().linkCount) != 0
    return isLinked && faccessat(descriptor, ".", W_OK | X_OK, 0) == 0
  }
}

/// The directories of files that are finished together. Each is opened once and synced once.
struct OpenDirectories {
  private let calls: FileCalls
  private var directories: [String: Directory] = [:]
  /// nil: the sync succeeded. The first result is final: after a failed sync, a second one may
  /// report success (fsync(2), "Errors").
  private var syncs: [ObjectIdentifier: Errno?] = [:]

  init(_ calls: FileCalls) { self.calls = calls }

  mutating func open(_ path: String) throws(TransferFailure) -> Directory {
    if let directory = directories[path] { return directory }
    do {
      let directory = try Directory(path, calls: calls)
      directories[path] = directory
      return directory
    } catch {
      throw error.failure(.directory(path))
    }
  }

  /// Syncs the directory of the file. Call it after all other work in that directory.
  mutating func synced(
    _ file: POSIXFileStorage.Renamed
  ) throws(TransferFailure) -> FinishedFile {
    if let error = syncError(of: file.directory) {
      throw error.failure(.directory(file.directory.path))
    }
    return FinishedFile(
      path: FilePath.joined(file.directory.path, file.name), identity: file.identity)
  }

  private mutating func syncError(of directory: Directory) -> Errno? {
    let key = ObjectIdentifier(directory)
    if let known = syncs[key] { return known }
    var failure: Errno?
    do throws(Errno) { try directory.sync() } catch { failure = error }
    syncs.updateValue(failure, forKey: key)
    return failure
  }
}
