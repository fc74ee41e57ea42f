/// The progress of a store: its identity, the number of acknowledged commits, and the largest
/// transfer id among them.
///
/// The store keeps these numbers in its table `counter`, and a `CommitRecord` beside it keeps a
/// copy. A store that is behind its copy has lost commits.
struct CommitMark: Hashable, Sendable {
  /// A random number that the store gets when it is created.
  var storeID: Int64
  /// Commits of progress alone are not counted: if one is lost, some bytes are fetched again.
  var commitCount: Int64
  /// The largest id ever given to a transfer.
  var lastID: Int64

  /// Returns what a store lost that had once reached this mark, or nil if it lost nothing.
  ///
  /// - Parameter found: the numbers in the store now.
  func loss(in found: StoreCounters) -> CommitLoss? {
    guard commitCount > 0 else { return nil }
    guard found.storeID == storeID else { return .differentStore(lastID: lastID) }
    guard commitCount > found.commitCount else { return nil }
    return .lastCommits(
      count: commitCount - found.commitCount,
      transfers: found.lastID < lastID ? found.lastID + 1...lastID : nil)
  }
}

/// Acknowledged commits that a store does not contain.
enum CommitLoss: Hashable, Sendable {
  /// SQLite ignores the rest of a log from the first frame whose checksum is wrong, so commits are
  /// lost from the end.
  ///
  /// - Parameter transfers: the ones that the lost commits added; nil if they only changed others.
  case lastCommits(count: Int64, transfers: ClosedRange<Int64>?)
  /// The numbers in the store belong to a different store, or to a backup that has none.
  case differentStore(lastID: Int64)
  /// There is no store, or its numbers cannot be read.
  case unknown(lastID: Int64)

  /// The number of transfers that were added and are missing; nil if unknown.
  var transferCount: Int? {
    switch self {
    case .lastCommits(_, let transfers): transfers?.count ?? 0
    case .differentStore, .unknown: nil
    }
  }

  /// Describes what is missing, as a clause that can follow other reasons.
  var reason: String {
    switch self {
    case .lastCommits(let count, let transfers):
      let commits = count == 1 ? "its last commit is" : "its last \(count) commits are"
      return "\(commits) missing, " + Self.effect(transfers)
    case .differentStore(let lastID):
      return "it is not the store that was used last, \(Self.acknowledged(lastID))"
    case .unknown(let lastID):
      return Self.acknowledged(lastID)
    }
  }

  private static func effect(_ transfers: ClosedRange<Int64>?) -> String {
    guard let transfers else { return "with changes to transfers" }
    return transfers.count == 1
      ? "with transfer \(transfers.lowerBound)"
      : "with transfers \(transfers.lowerBound) to \(transfers.upperBound)"
  }

  private static func acknowledged(_ lastID: Int64) -> String {
    lastID == 0 ? "changes were acknowledged" : "transfers up to \(lastID) were acknowledged"
  }
}
