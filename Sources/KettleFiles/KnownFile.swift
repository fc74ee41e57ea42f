import Glibc
import KettleModel
import KettleSystem

/// A file that was made earlier, and the only comparison of it with a file that is there.
///
/// Where inode numbers last, the number decides. Elsewhere a link, a rename, a remount or an
/// eviction may change it, so the first bytes decide.
struct KnownFile {
  private let device: UInt64
  private let inode: UInt64
  private let sample: FileSample?

  init(_ identity: PartialIdentity) {
    (device, inode, sample) = (identity.device, identity.inode, identity.sample)
  }

  init(_ identity: FileIdentity) {
    (device, inode, sample) = (identity.device, identity.inode, identity.sample)
  }

  /// Returns whether the entry `name` of the directory is this file. Its size may differ.
  ///
  /// Many file systems get another device number on each mount (btrfs, NFS, overlay; disks found in
  /// another order). So another device is accepted when the whole directory has moved to it.
  ///
  /// - Parameters:
  ///   - status: of the entry.
  ///   - open: the entry, if it is open for reading.
  func isEntry(
    _ name: String, _ status: FileStatus, of directory: Directory, open: OpenFile? = nil
  ) throws(Errno) -> Bool {
    guard status.isRegular else { return false }
    let hasNumber = try hasNumber(status, in: directory)
    switch directory.inodeNumbers {
    case .lasting: return hasNumber
    case .passing: break
    }
    // There is nothing to lose in an empty file.
    if status.identity.byteCount == 0 { return true }
    guard let sample else { return hasNumber }
    do {
      let file = if let open { open } else { try directory.open(name, for: .read) }
      return try FileSample(ofFirst: sample.byteCount, of: file) == sample
    } catch {
      // Its permissions do not affect what it is.
      guard error.rawValue == EACCES else { throw error }
      return hasNumber
    }
  }

  private func hasNumber(_ status: FileStatus, in directory: Directory) throws(Errno) -> Bool {
    guard status.identity.inode == inode else { return false }
    if status.identity.device == device { return true }
    return try status.identity.device == directory.status().identity.device
  }
}

extension FileIdentity {
  /// Returns whether the entry `name` of the directory is the file with this identity, and nothing
  /// was written to it since.
  func isUnchanged(
    _ name: String, _ status: FileStatus, in directory: Directory
  ) throws(Errno) -> Bool {
    let numbers = directory.inodeNumbers
    let tolerance = numbers.modificationToleranceNanoseconds
    let (difference, overflow) = status.identity.modifiedNanoseconds
      .subtractingReportingOverflow(modifiedNanoseconds)
    guard status.identity.byteCount == byteCount, !overflow, difference.magnitude <= tolerance
    else { return false }
    switch numbers {
    case .lasting: return status.isRegular && isSameInode(as: status.identity)
    case .passing: return try KnownFile(self).isEntry(name, status, of: directory)
    }
  }
}

extension FileSample {
  /// Returns nil when the file has fewer bytes, or libcrypto is missing.
  init?(ofFirst byteCount: Int64, of file: OpenFile) throws(Errno) {
    guard (1...Self.byteCountMax).contains(byteCount), let digest = MessageDigest(.sha256) else {
      return nil
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(byteCount), alignment: 16)
    defer { buffer.deallocate() }
    guard try file.read(buffer, at: 0), digest.update(UnsafeRawBufferPointer(buffer)),
      let hex = digest.finish()
    else { return nil }
    self.init(byteCount: byteCount, digest: hex)
  }
}

extension OpenFile {
  /// The sample that identifies this file where its inode number may change; nil where the number
  /// lasts, and for an empty file.
  func sample(ofFirst byteCount: Int64) throws(Errno) -> FileSample? {
    switch inodeNumbers {
    case .lasting: nil
    case .passing: try FileSample(ofFirst: min(byteCount, FileSample.byteCountMax), of: self)
    }
  }
}

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

/// File systems with known behavior beyond POSIX, by their numbers in statfs(2).
enum FileSystemKind: Int {
  /// EXT4_SUPER_MAGIC, also for ext2 and ext3.
  case ext4 = 0xEF53
  case xfs = 0x5846_5342
  case btrfs = 0x9123_683E
  case tmpfs = 0x0102_1994

  /// Returns nil for any other file system, or when the kernel does not say.
  init?(of file: OpenFile) {
    guard let number = file.calls.fileSystemKind(file.descriptor) else { return nil }
    self.init(rawValue: number)
  }
}

/// An absolute path, split into a directory and the last component.
struct FilePath: Hashable, Sendable {
  var directory: String
  var name: String

  /// Returns nil for a relative path and for one that does not end in a name.
  init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "/"), let slash = text.lastIndex(of: "/") else {
      return nil
    }
    let name = String(text[text.index(after: slash)...])
    guard Self.isComponent(name) else { return nil }
    directory = slash == text.startIndex ? "/" : String(text[..<slash])
    self.name = name
  }

  /// Returns whether `name` can name an entry of a directory, and nothing outside of it.
  static func isComponent(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".."
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }

  static func joined(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}
