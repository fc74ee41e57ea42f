/// Something the user did at once: one command or key, for any number of transfers. For ten minutes
/// it can be undone, with every byte.
public struct BinAction: Hashable, Sendable, Identifiable {
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case stop, remove, reset
    /// The rows and their finished files.
    case removeWithFile
    /// Completed transfers were cleared from view. The bin has no entry for them.
    case clear
    /// Nothing was discarded by these. They are known until the service ends.
    case start, pause, limit, prioritize, move
    /// The limit for all transfers together was changed.
    case limitAll

    /// Whether the store has what undoes it.
    public var isStored: Bool {
      switch self {
      case .stop, .remove, .reset, .removeWithFile, .clear: true
      case .start, .pause, .limit, .prioritize, .move, .limitAll: false
      }
    }
  }

  /// Increases with every action.
  public var number: Int64
  public var kind: Kind
  public var at: WallTime
  /// With `clear`, the finish number up to which transfers were cleared before; nil for none.
  public var clearedBefore: Int64?

  public init(number: Int64, kind: Kind, at: WallTime, clearedBefore: Int64? = nil) {
    self.number = number
    self.kind = kind
    self.at = at
    self.clearedBefore = clearedBefore
  }

  public var id: Int64 { number }

  /// How long an action can be undone.
  public static let keptMilliseconds: Int64 = 10 * 60 * 1000

  /// When the bytes are deleted.
  public var expiresAt: WallTime { at.advanced(byMilliseconds: Self.keptMilliseconds) }
}

/// A change to the bin in the store.
public enum BinChange: Sendable, Hashable {
  case putAction(BinAction)
  case putEntry(BinEntry)
  /// Sets the bytes of a transfer that has some, once its partial file is closed.
  case setBytes(ResumeData, TransferID, action: Int64)
  case removeEntries([TransferID], action: Int64)
  /// Removes an action and what is left of it.
  case removeAction(Int64)
}

/// A transfer in the bin, as it was before the action.
public struct BinEntry: Hashable, Sendable {
  /// The number of the action.
  public var action: Int64
  public var record: TransferRecord

  public init(action: Int64, record: TransferRecord) {
    self.action = action
    self.record = record
  }

  /// The name of the discarded file, in the directory where it was.
  public var fileName: String { Self.fileName(of: record.id, in: action) }

  public static func fileName(of id: TransferID, in action: Int64) -> String {
    ".kettle-bin-\(action)-\(id.rawValue)"
  }

  /// Where the partial file is while it is in the bin; nil when it has no bytes.
  public var partialFile: PartialIdentity? {
    record.resumeData.flatMap { Self.binned($0.partialIdentity, as: fileName) }
  }

  /// Where the partial file of another version is while it is in the bin.
  public var fileSetAside: PartialIdentity? {
    record.resumeData?.setAside.flatMap { Self.binned($0, as: fileName + Self.setAsideSuffix) }
  }

  /// Ends the name of a partial file of another version in the bin.
  public static let setAsideSuffix = "-old"

  private static func binned(_ identity: PartialIdentity, as name: String) -> PartialIdentity? {
    sibling(of: identity.path, named: name).map { path in
      var binned = identity
      binned.path = path
      return binned
    }
  }

  /// Where the finished file is while it is in the bin.
  public var finishedFile: FinishedFile? {
    record.finishedFile.flatMap { file in
      guard let identity = file.identity else { return nil }
      return Self.sibling(of: file.path, named: fileName).map {
        FinishedFile(path: $0, identity: identity)
      }
    }
  }

  private static func sibling(of path: String, named name: String) -> String? {
    path.lastIndex(of: "/").map { String(path[...$0]) + name }
  }
}

/// What a control put into the bin, or took back from it.
package struct BinBytes: Codable, Hashable, Sendable {
  package var transferCount: Int
  package var byteCount: Int64
  /// When the bytes are deleted; nil if they were taken back.
  package var until: WallTime?

  package init(transferCount: Int = 0, byteCount: Int64 = 0, until: WallTime? = nil) {
    self.transferCount = transferCount
    self.byteCount = byteCount
    self.until = until
  }
}
