/// The finished file that a transfer repairs. Such a transfer fetches only the damaged bytes, into
/// a partial file beside it, and puts them into the finished file when all are proved by their
/// digests.
public struct RepairTarget: Hashable, Sendable, Codable {
  /// The transfer that fetched the file, whose digests prove the bytes.
  public var transfer: TransferID
  /// Absolute.
  public var path: String
  /// The file as it was finished.
  public var identity: FileIdentity
  /// What is fetched again.
  public var damaged: ByteRangeSet

  /// Returns nil if nothing is damaged, or something outside of the file.
  public init?(
    transfer: TransferID, path: String, identity: FileIdentity, damaged: ByteRangeSet
  ) {
    guard path.isAbsolutePath, !damaged.isEmpty, damaged.upperBound <= identity.byteCount else {
      return nil
    }
    self.transfer = transfer
    self.path = path
    self.identity = identity
    self.damaged = damaged
  }

  /// The bytes that need not be fetched.
  public var sound: ByteRangeSet {
    var sound = ByteRangeSet(prefix: identity.byteCount)
    for range in damaged.ranges { sound.remove(range) }
    return sound
  }

  package var directory: String {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  package var name: String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}

extension TransferSpec {
  /// The request that fetches the damaged bytes of a file that this one has fetched: from the same
  /// sources, with the same headers and logins, and nothing that is meant for a whole file.
  package func repairing(_ target: RepairTarget) -> TransferSpec {
    var spec = self
    spec.title = "Repair of \(target.name)"
    spec.directory = target.directory
    spec.name = nil
    spec.checksum = nil
    spec.notBefore = nil
    spec.connections = 1
    spec.onConflict = .rename
    spec.beginning = .idle
    spec.options.checksumURL = nil
    spec.options.described?.pieces = nil
    spec.options.unpacks = false
    spec.options.continues = false
    spec.options.isAsIs = true
    spec.options.then = nil
    spec.options.rpc = nil
    spec.options.rule = nil
    spec.options.chosen = Set(ConfiguredProperty.allCases)
    spec.options.repairs = target
    return spec
  }
}

/// What follows when a finished file is damaged.
package enum VerificationConsequence: String, Hashable, Sendable, Codable {
  case report
  /// The damaged bytes are fetched again.
  case repair
  /// Same as `repair`, and also repairs files that were edited.
  case repairEvenIfEdited
}

/// How far the comparison of a finished file with what is known of it is.
package enum VerificationProgress: Hashable, Sendable, Codable {
  case waiting
  case comparing(byteCount: Int64)
  /// The damaged bytes are being fetched by this transfer.
  case repairing(by: TransferID)
  case ended(FileCheck)
  /// The file is damaged, and its repair has failed.
  case unrepaired(FileCheck, TransferFailure)
  /// There is no finished file to compare.
  case refused
}
