/// The identity of a file, to check that it is still the one Kettle wrote.
///
/// `stat(2)` provides all four values. A name is not enough: another file may have replaced it.
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

  /// The same inode on the same device, whatever was written to it since.
  public func isSameInode(as other: FileIdentity) -> Bool {
    device == other.device && inode == other.inode
  }
}
