import Glibc
import KettleModel
import KettleSystem

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
    identity = FileIdentity(status)
  }

  var isRegular: Bool { kind == .regular }
}
