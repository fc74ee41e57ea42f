/// Tells whether a file is still the very file that we wrote.
///
/// `stat(2)` gives all four. A name is not enough: others may put their own file under it.
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
