/// Identifies a file by values of stat(2), to check that it is still the one Kettle wrote. The name
/// is not enough, because another file may have replaced it.
public struct FileIdentity: Hashable, Sendable, Codable {
  public var device: UInt64
  public var inode: UInt64
  public var byteCount: Int64
  public var modifiedNanoseconds: Int64
  /// Identifies the file where its inode number may change; nil where the number lasts.
  public var sample: FileSample?

  public init(
    device: UInt64, inode: UInt64, byteCount: Int64, modifiedNanoseconds: Int64,
    sample: FileSample? = nil
  ) {
    self.device = device
    self.inode = inode
    self.byteCount = byteCount
    self.modifiedNanoseconds = modifiedNanoseconds
    self.sample = sample
  }

  /// Whether both are the same inode on the same device. Its contents may differ.
  public func isSameInode(as other: FileIdentity) -> Bool {
    device == other.device && inode == other.inode
  }
}

/// The digest of the first bytes of a file.
public struct FileSample: Hashable, Sendable, Codable {
  /// How many of the first bytes the digest is of.
  public var byteCount: Int64
  /// SHA-256 in lower-case hexadecimal.
  public var digest: String

  /// More bytes would prove little more.
  public static let byteCountMax: Int64 = 64 << 10

  public init(byteCount: Int64, digest: String) {
    self.byteCount = byteCount
    self.digest = digest
  }
}

/// The result of reading a whole file.
package enum FileContents: Hashable, Sendable {
  case bytes([UInt8])
  case missing
  /// Why the file cannot be read, in a few words.
  case unreadable(String)
}
