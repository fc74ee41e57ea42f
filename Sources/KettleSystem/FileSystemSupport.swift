import CKettleLinux
import Glibc

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
