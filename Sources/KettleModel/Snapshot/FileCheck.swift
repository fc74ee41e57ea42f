/// How a file compares with what is known of its bytes.
public struct FileCheck: Hashable, Sendable, Codable {
  public enum Finding: String, Hashable, Sendable, Codable {
    /// All bytes are as they were.
    case intact
    /// Some blocks differ.
    case damaged
    /// The file was modified after it was finished, and most of its blocks differ.
    case edited
    /// Nothing is there.
    case missing
    /// Nothing is known of its bytes. Its digests are recorded from now on.
    case unproved
    /// It cannot be read.
    case unreadable
  }

  private static let damagedRangeCountMax = 256

  public var at: WallTime
  public var finding: Finding
  /// The blocks that differ or are missing. If there are more than 256 places, the closest ones are
  /// joined, so that the record stays small.
  public private(set) var damaged: ByteRangeSet?
  /// Why it cannot be read, or what its checksum is instead.
  public var detail: String?
  /// The transfer that fetches the damaged bytes again, if a repair was begun.
  public var repair: TransferID?

  public init(
    _ finding: Finding, at: WallTime, damaged: ByteRangeSet? = nil, detail: String? = nil
  ) {
    self.finding = finding
    self.at = at
    self.damaged = damaged?.joined(toAtMost: Self.damagedRangeCountMax)
    self.detail = detail
  }

  /// Whether the file is not what it was.
  public var isBad: Bool {
    switch finding {
    case .damaged, .edited, .missing, .unreadable: true
    case .intact, .unproved: false
    }
  }
}

/// What people read about a comparison.
package enum FileCheckWords {
  /// For example `damaged: 3.0 MiB, at 1.2 GiB, 5.0 GiB and 7.1 GiB`.
  ///
  /// - Parameter size: of the file as it was finished; nil if unknown.
  package static func text(_ check: FileCheck, size: Int64? = nil) -> String {
    let detail = check.detail.map { ", " + $0.sanitizedForDisplay(limit: 200) } ?? ""
    return switch check.finding {
    case .intact: "intact" + (size.map { ", " + ByteText.size($0) } ?? "")
    case .damaged: "damaged" + places(check.damaged) + detail
    case .edited: "edited after it was finished" + detail
    case .missing: "missing"
    case .unproved: "nothing to compare with yet; from now on its digests are known"
    case .unreadable: "cannot be read" + detail
    }
  }

  /// In two or three words, for a row.
  package static func brief(_ check: FileCheck) -> String {
    switch check.finding {
    case .intact: "verified"
    case .damaged: "damaged"
    case .edited: "edited since"
    case .missing: "file is gone"
    case .unproved: "digests recorded"
    case .unreadable: "unreadable"
    }
  }

  private static let placeCountMax = 3

  private static func places(_ damaged: ByteRangeSet?) -> String {
    guard let damaged, !damaged.isEmpty else { return "" }
    let shown = damaged.ranges.prefix(placeCountMax).map { ByteText.size($0.lower) }
    let restCount = damaged.ranges.count - shown.count
    let rest = restCount > 0 ? ["\(restCount) more \(restCount == 1 ? "place" : "places")"] : []
    let all = shown + rest
    let list =
      all.count > 1
      ? all.dropLast().joined(separator: ", ") + " and " + (all.last ?? "") : all.joined()
    return ": \(ByteText.size(damaged.byteCount)), at " + list
  }
}
