import Glibc
import KettleModel

/// Renames a file to a free name. Throws EEXIST when the name is taken.
///
/// Not every file system can do that in one call, so there are three methods, each used where the
/// one before is not supported. None replaces a file that another process put there.
struct FreeNameRename: Sendable {
  enum Way: Sendable, CaseIterable {
    /// renameat2(2) with RENAME_NOREPLACE.
    case rename
    /// linkat(2) adds the new name, then the old one is removed (NFS, older FUSE).
    case link
    /// An empty file of ours reserves the name, and the rename replaces it (FUSE without links).
    case reservation
  }

  /// Tried in this order.
  var ways = Way.allCases

  func rename(_ name: String, to newName: String, in directory: Directory) throws(Errno) {
    var last = Errno(rawValue: EINVAL)
    for way in ways {
      do {
        return try rename(name, to: newName, in: directory, by: way)
      } catch {
        guard Self.meansUnknown(error, way) else { throw error }
        last = error
      }
    }
    throw last
  }

  /// Returns whether the error means that the file system does not support this method.
  private static func meansUnknown(_ error: Errno, _ way: Way) -> Bool {
    switch way {
    case .rename: [EINVAL, ENOSYS, EOPNOTSUPP].contains(error.rawValue)
    // link(2) returns EPERM where there are no hard links.
    case .link: [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.rawValue)
    case .reservation: false
    }
  }

  private func rename(
    _ name: String, to newName: String, in directory: Directory, by way: Way
  ) throws(Errno) {
    let descriptor = directory.descriptor
    switch way {
    case .rename:
      _ = try Errno.retrying { directory.calls.renameToFree(descriptor, name, newName) }
    case .link:
      _ = try Errno.retrying { linkat(descriptor, name, descriptor, newName, 0) }
      try directory.remove(name)
    case .reservation:
      let reserved = try directory.create(newName).status().identity
      guard let there = try directory.status(of: newName),
        there.identity.isSameInode(as: reserved)
      else { throw Errno(rawValue: EEXIST) }
      do {
        try directory.rename(name, replacing: newName)
      } catch {
        // An empty file under the final name would look like a finished one.
        try? directory.remove(newName)
        throw error
      }
    }
  }
}
