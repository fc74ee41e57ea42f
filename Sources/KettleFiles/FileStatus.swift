import Glibc
import KettleModel

/// The result of `stat(2)`, without following a link.
struct FileStatus: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case regular, directory, link
    /// A FIFO, a socket or a device.
    case special
  }

  var kind: Kind
  var identity: FileIdentity
  var permissions: mode_t
  /// The number of names (hard links).
  var linkCount: UInt64

  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .link
      default: .special
      }
    permissions = status.st_mode & 0o7777
    linkCount = UInt64(status.st_nlink)
    let (seconds, overflow) = Int64(status.st_mtim.tv_sec)
      .multipliedReportingOverflow(by: 1_000_000_000)
    // A date after the year 2262 overflows. Its seconds are stored instead, which differ as well.
    let nanoseconds =
      overflow
      ? Int64(status.st_mtim.tv_sec)
      : seconds.addingReportingOverflow(Int64(status.st_mtim.tv_nsec)).partialValue
    identity = FileIdentity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      byteCount: Int64(status.st_size), modifiedNanoseconds: nanoseconds)
  }

  var isRegular: Bool { kind == .regular }
}
