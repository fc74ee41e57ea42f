import CKettleLinux
import Glibc

/// An open directory. Everything in it is named relative to it, so that nobody can put another
/// directory under its path between two calls.
final class Directory: Sendable {
  let path: String
  let calls: FileCalls
  private let file: OpenFile

  /// Opens the directory that is there. Links on the way are followed: the path is the user's.
  init(_ path: String, calls: FileCalls = .kernel) throws(Errno) {
    self.path = path
    self.calls = calls
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    file = OpenFile(owning: try Errno.retrying { Glibc.open(path, flags) }, calls: calls)
  }

  /// Opens the directory, and makes it and what is missing above it first.
  static func openOrMake(
    _ path: String, mode: mode_t, calls: FileCalls
  ) throws(Errno) -> Directory {
    do {
      return try Directory(path, calls: calls)
    } catch {
      guard error.rawValue == ENOENT, let place = FilePath(path) else { throw error }
      let parent = try openOrMake(place.directory, mode: mode, calls: calls)
      try parent.makeDirectory(place.name, mode: mode)
      return try Directory(path, calls: calls)
    }
  }

  private func makeDirectory(_ name: String, mode: mode_t) throws(Errno) {
    do {
      _ = try Errno.retrying { mkdirat(file.descriptor, name, mode) }
    } catch {
      // Somebody else made it meanwhile.
      guard error.rawValue == EEXIST else { throw error }
    }
    try sync()
  }

  func status() throws(Errno) -> FileStatus { try file.status() }

  /// Whether its file system has the same device number each time it is mounted. Those that stand
  /// on no block device of their own, or on several, are given one at random (btrfs, overlay, NFS,
  /// FUSE).
  var keepsDeviceNumber: Bool {
    get throws(Errno) {
      var kind: CLong = 0
      _ = try Errno.retrying { kettle_file_system_kind(file.descriptor, &kind) }
      // BTRFS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, NFS_SUPER_MAGIC, FUSE_SUPER_MAGIC (statfs(2)).
      return ![0x9123_683E, 0x794C_7630, 0x6969, 0x6573_5546].contains(kind)
    }
  }

  /// Puts the names in it on the disk: a new or renamed file is found again after a power cut only
  /// when its directory was synced (fsync(2), "Description").
  func sync() throws(Errno) { try file.syncAll() }

  // MARK: Entries

  /// Answers nil when there is nothing under the name.
  func status(of name: String) throws(Errno) -> FileStatus? {
    var status = stat()
    do {
      _ = try Errno.retrying { fstatat(file.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) }
      return FileStatus(status)
    } catch {
      if error.rawValue == ENOENT { return nil }
      throw error
    }
  }

  /// Why what has the name is not a file to read, in words for a failure; nil when it is one, also
  /// at the end of a link.
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

  /// Makes a file that was not there. Whether it is there and making it are one call, and the umask
  /// is respected; data is never executable.
  func create(_ name: String) throws(Errno) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = try Errno.retrying { openat(file.descriptor, name, flags, 0o666) }
    return OpenFile(owning: descriptor, calls: calls)
  }

  /// Makes a file that has no name yet; fails where the file system knows none without.
  func createUnnamed() throws(Errno) -> OpenFile {
    // O_TMPFILE, a macro of two flags that Swift does not see.
    let flags = 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC
    let descriptor = try Errno.retrying { calls.openUnnamed(file.descriptor, flags) }
    return OpenFile(owning: descriptor, calls: calls)
  }

  /// Gives a file without a name one that is free (open(2), "O_TMPFILE").
  func name(_ unnamed: OpenFile, _ name: String) throws(Errno) {
    let place = "/proc/self/fd/\(unnamed.descriptor)"
    _ = try Errno.retrying {
      linkat(AT_FDCWD, place, file.descriptor, name, AT_SYMLINK_FOLLOW)
    }
  }

  enum Access {
    case read, write
  }

  /// Opens a file that is there. A link is not followed (ELOOP), and a FIFO does not block.
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

  /// Puts the file under a name in place of what is there.
  func rename(_ name: String, replacing newName: String) throws(Errno) {
    _ = try Errno.retrying { calls.rename(file.descriptor, name, newName) }
  }

  /// The descriptor, for the calls of `FreeNameRename`.
  var descriptor: Int32 { file.descriptor }
}
