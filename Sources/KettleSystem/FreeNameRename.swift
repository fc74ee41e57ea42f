import CKettleLinux
import Glibc

/// Renames a file to a free name. Throws EEXIST when the name is taken.
///
/// Not every file system can do that in one call, so there are three methods, each used where the
/// one before is not supported. None replaces a file that another process put there.
package struct FreeNameRename: Sendable {
  package enum Way: Sendable, CaseIterable {
    /// renameat2(2) with RENAME_NOREPLACE.
    case rename
    /// linkat(2) adds the new name, then the old one is removed (NFS, older FUSE).
    case link
    /// An empty file of ours reserves the name, and the rename replaces it (FUSE without links).
    case reservation
  }

  /// The calls that change names, as values, so that tests can refuse them as file systems do.
  ///
  /// The arguments are a directory, or AT_FDCWD, and two names in it. On failure each returns -1
  /// and sets errno.
  package struct Calls: Sendable {
    package typealias Naming = @Sendable (Int32, String, String) -> Int32

    /// renameat2(2) with RENAME_NOREPLACE.
    package var renameToFree: Naming = { directory, name, newName in
      let code = kettle_renameat_noreplace(directory, name, newName)
      guard code != 0 else { return 0 }
      errno = code
      return -1
    }
    package var link: Naming = { linkat($0, $1, $0, $2, 0) }
    package var rename: Naming = { renameat($0, $1, $0, $2) }

    package init() {}
  }

  /// Tried in this order.
  package var ways: [Way]
  package var calls: Calls

  package init(ways: [Way] = Way.allCases, calls: Calls = Calls()) {
    self.ways = ways
    self.calls = calls
  }

  /// - Parameter directory: where both names are; without it, they are paths.
  package func rename(
    _ name: String, to newName: String, in directory: Int32 = AT_FDCWD
  ) throws(SystemError) {
    var last = SystemError(EINVAL)
    for way in ways {
      do {
        try claim(newName, for: name, in: directory, by: way)
        // The link has both names now.
        if way == .link { try Self.call { unlinkat(directory, name, 0) } }
        return
      } catch {
        let isLinked = way == .link && hasBothNames(name, newName, in: directory)
        guard error.mayMeanUnsupported, !isLinked else { throw error }
        last = error
      }
    }
    throw last
  }

  /// Whether a link was made, so that no other way may be tried.
  private func hasBothNames(_ name: String, _ newName: String, in directory: Int32) -> Bool {
    var (old, new) = (stat(), stat())
    return fstatat(directory, name, &old, AT_SYMLINK_NOFOLLOW) == 0
      && fstatat(directory, newName, &new, AT_SYMLINK_NOFOLLOW) == 0
      && old.st_dev == new.st_dev && old.st_ino == new.st_ino
  }

  private func claim(
    _ newName: String, for name: String, in directory: Int32, by way: Way
  ) throws(SystemError) {
    switch way {
    case .rename: try Self.call { calls.renameToFree(directory, name, newName) }
    case .link: try Self.call { calls.link(directory, name, newName) }
    case .reservation: try reserve(newName, for: name, in: directory)
    }
  }

  private func reserve(
    _ newName: String, for name: String, in directory: Int32
  ) throws(SystemError) {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let reserved = OwnedDescriptor(opened: openat(directory, newName, flags, 0o600)) else {
      throw SystemError(errno)
    }
    var (own, there) = (stat(), stat())
    try Self.call { fstat(reserved.number, &own) }
    try Self.call { fstatat(directory, newName, &there, AT_SYMLINK_NOFOLLOW) }
    // Where numbers do not last, an empty file may have another one than its descriptor.
    let isOurs =
      own.st_dev == there.st_dev && own.st_ino == there.st_ino
      || there.st_mode & S_IFMT == S_IFREG && there.st_size == 0
        && InodeNumbers(of: reserved.number) == .passing
    guard isOurs else { throw SystemError(EEXIST) }
    do {
      try Self.call { calls.rename(directory, name, newName) }
    } catch {
      // An empty file under the final name would look like a finished one.
      unlinkat(directory, newName, 0)
      throw error
    }
  }

  private static func call(_ body: () -> Int32) throws(SystemError) {
    while body() != 0 {
      if errno != EINTR { throw SystemError(errno) }
    }
  }
}
