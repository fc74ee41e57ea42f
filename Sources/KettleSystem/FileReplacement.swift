import CKettleLinux
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

/// An exclusive lock on a file, held for the lifetime of the value (flock(2)). The kernel releases
/// it however the process ends.
package final class FileLock: Sendable {
  private let file: OwnedDescriptor

  private static let stepMilliseconds: Int32 = 10

  /// Waits for the lock. Creates a missing file.
  ///
  /// Throws `SystemError` with EWOULDBLOCK when another holder does not release it within `budget`.
  package init(path: String, budget: Duration) throws(SystemError) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else {
      throw SystemError(errno)
    }
    self.file = file
    let deadline = ContinuousClock.now + budget
    while flock(self.file.number, LOCK_EX | LOCK_NB) != 0 {
      let problem = errno
      guard problem == EINTR || problem == EWOULDBLOCK, ContinuousClock.now < deadline else {
        throw SystemError(problem)
      }
      // The calls that wait without a limit cannot be given one.
      poll(nil, 0, Self.stepMilliseconds)
    }
  }
}

/// What the file system below a file offers. Few say so beforehand, so most is learned from the
/// errors of their calls.
extension SystemError {
  /// Whether the error of a call that is not essential may mean that it is not supported here: the
  /// caller tries the next method, which fails by itself if something else was wrong.
  ///
  /// File systems have many numbers for that. EINVAL: NFS, FUSE and 9p for flags of renameat2(2).
  /// EPERM: FAT and exFAT for link(2), and sandboxes. EIO: rclone for link(2). EXDEV: mergerfs.
  package var mayMeanUnsupported: Bool {
    [
      EINVAL, ENOSYS, EOPNOTSUPP, ENOTSUP, EPERM, EACCES, EIO, EOVERFLOW, EMLINK, EXDEV, ENOTTY,
    ].contains(code)
  }

  /// Whether the error of fsync(2) on a directory means that there is nothing to sync by that call.
  /// An I/O error is none.
  package var meansNoDirectorySync: Bool {
    [EINVAL, ENOSYS, EOPNOTSUPP, ENOTSUP].contains(code)
  }
}

/// Whether the inode number of a file lasts as long as the file, so that it identifies the file.
package enum InodeNumbers: Hashable, Sendable {
  case lasting
  /// A link, a rename, a remount or an eviction from memory may change it: FAT and exFAT store
  /// none, and most programs behind FUSE make them up.
  case passing

  /// Returns `passing` for an unknown file system, and when the kernel does not say which it is.
  package init(of descriptor: Int32) {
    var kind = 0
    self.init(kind: kettle_file_system_kind(descriptor, &kind) == 0 ? kind : nil)
  }

  /// - Parameter kind: the type of the file system in statfs(2).
  package init(kind: Int?) {
    self = kind.map(Self.lastingKinds.contains) == true ? .lasting : .passing
  }

  /// The file systems that store the number of each file, by their types (linux/magic.h).
  private static let lastingKinds: Set<Int> = [
    0xEF53,  // ext2, ext3, ext4
    0x5846_5342,  // XFS
    0x9123_683E,  // Btrfs
    0x0102_1994,  // tmpfs, whose files have no other place
    0x8584_58F6,  // ramfs
    0x794C_7630,  // overlay
    0x6969,  // NFS
    0x2FC1_2FC1,  // ZFS
    0xF2F5_2010,  // F2FS
    0xCA45_1A4E,  // bcachefs
    0x00C3_6400,  // Ceph
    0x3153_464A,  // JFS
    0x5265_4973,  // ReiserFS
    0xF15F,  // eCryptfs
    0x0116_1970,  // GFS2
    0x7461_636F,  // OCFS2
    0x7366_746E,  // NTFS of the kernel
  ]

  /// How coarse the stored modification times may be: two seconds on FAT.
  package var modificationToleranceNanoseconds: Int64 {
    switch self {
    case .lasting: 0
    case .passing: 2_000_000_000
    }
  }
}
