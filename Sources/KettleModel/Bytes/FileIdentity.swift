/// Identifies a file by values of stat(2), to check that it is still the one Kettle wrote. The name
/// is not enough, because another file may have replaced it.
public struct FileIdentity: Hashable, Sendable, Codable {
  public var device: UInt64
  public var inode: UInt64
  public var byteCount: Int64
  public var modifiedNanoseconds: Int64

  public init(device: UInt64, inode: UInt64, byteCount: Int64, modifiedNanoseconds: Int64) {
    self.device = device
    self.inode = inode
    self.byteCount = byteCount
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  /// Whether both are the same inode on the same device. Its contents may differ.
  public func isSameInode(as other: FileIdentity) -> Bool {
    device == other.device && inode == other.inode
  }
}
