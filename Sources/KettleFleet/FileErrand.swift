import KettleModel

/// What shows later whether a published file still has its bytes. The table keeps it.
package struct FileProof: Hashable, Sendable, Codable {
  /// When the file was written last, since 1970; nil for an object.
  package var modifiedNanoseconds: Int64?
  /// The XXH3-128 of each MiB, 16 bytes each, the most significant one first; nil if unknown.
  package var blocks: Base64Bytes?

  /// The digests of a larger file would make a row of the table too large.
  static let byteCountMax = 1 << 16 * BlockDigests.blockByteCount

  /// - Parameter digests: used only if they prove the whole file.
  package init(modifiedNanoseconds: Int64?, byteCount: Int64, _ digests: BlockDigests) {
    self.modifiedNanoseconds = modifiedNanoseconds
    guard let parts = Self.parts(byteCount: byteCount), digests.entries.map(\.range) == parts
    else { return }
    blocks = Base64Bytes(
      digests.entries.flatMap { entry in
        [entry.digest.high, entry.digest.low].flatMap { half in
          (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) }
        }
      })
  }

  /// Returns the digests of a file of this size; nil if they are not those of all its bytes.
  package func digests(byteCount: Int64) -> [DigestedBytes]? {
    guard let bytes = blocks?.bytes, let parts = Self.parts(byteCount: byteCount),
      bytes.count == parts.count * 16
    else { return nil }
    return parts.enumerated().compactMap { index, part in
      let halves = [0, 8].map { offset in
        bytes[(16 * index + offset)...].prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      }
      return DigestedBytes(part, BlockDigest(high: halves[0], low: halves[1]))
    }
  }

  private static func parts(byteCount: Int64) -> [ByteRange]? {
    guard (0...byteCountMax).contains(byteCount) else { return nil }
    return ByteRange(lower: 0, upper: byteCount).map(BlockDigests.parts) ?? []
  }
}

/// A published file that its host is to compare with what was downloaded.
package struct FileErrand: Hashable, Sendable, Decodable {
  /// The last claim of the transfer.
  package var key: ClaimKey
  package var name: String
  package var directory: String
  @Amount package var byteCount: Int64
  @HostWritten package var proof: FileProof?

  package init(
    key: ClaimKey, name: String, directory: String, byteCount: Int64, proof: FileProof?
  ) {
    self.key = key
    self.name = name
    self.directory = directory
    self.byteCount = byteCount
    self.proof = proof
  }
}

/// What a host has found.
package struct FileFinding: Hashable, Sendable, Codable {
  package var key: ClaimKey
  /// Its time is the table's.
  package var check: FileCheck

  package init(key: ClaimKey, check: FileCheck) {
    self.key = key
    self.check = check
  }
}

/// A request of people to compare published files, or to look how far that is.
package struct FileErrandRequest: Hashable, Sendable, Codable {
  package var ids: [FleetTransferID]
  /// A comparison since this time of the table counts; nil means within `ageMaxMilliseconds`.
  package var since: WallTime?
  package var ageMaxMilliseconds: Int64
  package var consequence: Consequence

  /// What follows if a file has other bytes.
  package enum Consequence: Int, Sendable, Codable {
    case report
    /// A damaged file is fetched again by its host.
    case repair
    /// So is an edited one.
    case repairEvenIfEdited
  }

  package init(
    ids: [FleetTransferID], since: WallTime? = nil, ageMaxMilliseconds: Int64 = 0,
    consequence: Consequence = .report
  ) {
    self.ids = ids
    self.since = since
    self.ageMaxMilliseconds = ageMaxMilliseconds
    self.consequence = consequence
  }

  package struct Reply: Hashable, Sendable, Decodable {
    /// The time by which the request goes on.
    package var since: WallTime
    /// In the order of the request; nil for a transfer that is not in the queue.
    package var files: [Standing?]

    package init(since: WallTime, files: [Standing?]) {
      self.since = since
      self.files = files
    }
  }

  package struct Standing: Hashable, Sendable, Decodable {
    package var state: FleetState
    /// Whether its host is still to compare it, or to fetch it again.
    package var isAsked: Bool
    /// The last finding.
    @HostWritten package var check: FileCheck?
    @HostWritten package var failure: TransferFailure?
    /// The host that has the file; nil if it has left the fleet.
    package var machine: String?
    /// Whether that host is alive.
    package var isAlive: Bool

    package init(
      state: FleetState, isAsked: Bool, check: FileCheck? = nil, failure: TransferFailure? = nil,
      machine: String? = nil, isAlive: Bool = true
    ) {
      self.state = state
      self.isAsked = isAsked
      self.check = check
      self.failure = failure
      self.machine = machine
      self.isAlive = isAlive
    }
  }
}

/// The errands of a host.
struct ErrandList: Sendable {
  /// Those that this start of the service has begun and not reported.
  private var begun: Set<ClaimKey> = []
  private var findings: [ClaimKey: FileFinding] = [:]

  /// The most findings of one beat.
  private static let reportedCountMax = 100

  var isEmpty: Bool { findings.isEmpty }

  /// What the next beat reports.
  var report: [FileFinding] {
    Array(findings.values.sorted { $0.key.id < $1.key.id }.prefix(Self.reportedCountMax))
  }

  /// Begins those that are new.
  mutating func take(_ errands: [FileErrand], _ actions: inout [FleetAction]) {
    for errand in errands where begun.insert(errand.key).inserted {
      actions.append(.compare(errand))
    }
  }

  mutating func note(_ finding: FileFinding) { findings[finding.key] = finding }

  /// Forgets what the table knows now.
  mutating func reported(_ sent: [FileFinding]) {
    for one in sent {
      findings[one.key] = nil
      begun.remove(one.key)
    }
  }
}
