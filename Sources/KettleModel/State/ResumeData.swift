/// Everything needed to continue one transfer, as the store keeps it.
public struct ResumeData: Hashable, Sendable, Codable {
  /// Absolute path of the partial file.
  public var partialPath: String
  /// The device and inode of the partial file when it was made; another file is never written to.
  public var device: UInt64
  public var inode: UInt64
  /// The bytes that were on the disk, synced, before this was recorded.
  public var held: ByteRangeSet
  public var totalByteCount: Int64?
  public var validator: Validator?
  /// The name that the file will have when it is whole.
  public var finalName: String
  /// Written before the final rename, so that recovery can finish it.
  public var isWhole: Bool = false
  /// The modification time of the closed partial file, since 1970; a later one means that another
  /// process wrote to it. nil while the file is open: after a crash it is unknown.
  public var lastWriteNanoseconds: Int64?
  /// The digest of the whole file according to the server (RFC 9530, section 3).
  public var serverChecksum: Checksum?
  /// The media type without parameters, in lower case: a web page in place of an archive shows.
  public var mediaType: String?
  /// The link where the validator was seen, if the user has given another link since: the
  /// validators of two servers are not comparable.
  public var validatorURL: String?
  /// The partial file of another version, kept until this one is whole.
  public var setAside: PartialIdentity?

  public init(
    partialPath: String, device: UInt64, inode: UInt64, held: ByteRangeSet, totalByteCount: Int64?,
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

  public var partialIdentity: PartialIdentity {
    PartialIdentity(path: partialPath, device: device, inode: inode)
  }
}

/// A partial file by its place and inode, so that no other file is taken for it.
public struct PartialIdentity: Hashable, Sendable, Codable {
  /// Absolute.
  public var path: String
  public var device: UInt64
  public var inode: UInt64

  public init(path: String, device: UInt64, inode: UInt64) {
    self.path = path
    self.device = device
    self.inode = inode
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
