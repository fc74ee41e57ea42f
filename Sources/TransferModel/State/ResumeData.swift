/// Everything needed to go on with one transfer, for the store to keep.
public struct ResumeData: Hashable, Sendable, Codable {
  /// Absolute path of the partial file.
  public var partialPath: String
  /// The device and inode of the partial file when it was made; another file is never written to.
  public var device: UInt64
  public var inode: UInt64
  /// The bytes that were on the disk, synced, before this was recorded.
  public var held: HeldRanges
  public var totalByteCount: Int64?
  public var validator: Validator?
  /// The name that the file will have when it is whole.
  public var finalName: String
  /// Written before the final rename: recovery finishes what was begun.
  public var isWhole: Bool = false

  public init(
    partialPath: String, device: UInt64, inode: UInt64, held: HeldRanges, totalByteCount: Int64?,
    validator: Validator?, finalName: String
  ) {
    self.partialPath = partialPath
    self.device = device
    self.inode = inode
    self.held = held
    self.totalByteCount = totalByteCount
    self.validator = validator
    self.finalName = finalName
  }
}

/// A file that stands under its final name.
public struct FinishedFile: Hashable, Sendable, Codable {
  public var path: String
  /// nil when the file was there before and left alone (`ConflictPolicy.skip`): it is not ours.
  public var identity: FileIdentity?

  public init(path: String, identity: FileIdentity?) {
    self.path = path
    self.identity = identity
  }
}
