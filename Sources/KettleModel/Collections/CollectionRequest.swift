/// A collection as it was requested, and what its list has said.
public struct CollectionRequest: Hashable, Sendable, Codable {
  public var source: CollectionSource
  public var choice: MemberChoice
  /// nil means the order of the list.
  public var order: MemberOrder?
  /// Whether links are followed that the server's robots.txt asks programs not to follow.
  public var ignoresRobots: Bool?
  /// nil until the list is complete. The service sets it.
  public var list: CollectionList?
  /// Whether it is paused when its list is complete, so that the list can be looked at.
  public var pausesWhenListed: Bool?
  /// Set if this is another collection's list, read again to bring that one up to date.
  public var sync: CollectionSync?
  /// How often the list is read again without being asked; nil means never.
  public var syncsEveryMilliseconds: Int64?
  /// What the last sync brought. The service sets it.
  public var lastSync: SyncReport?

  public init(_ source: CollectionSource, choice: MemberChoice = MemberChoice()) {
    self.source = source
    self.choice = choice
  }
}

/// What becomes of a list that was read again.
public struct CollectionSync: Hashable, Sendable, Codable {
  /// The collection to bring up to date.
  public var collection: TransferID
  /// Whether files that the list no longer names go to the bin.
  public var removesGone: Bool

  public init(of collection: TransferID, removesGone: Bool) {
    self.collection = collection
    self.removesGone = removesGone
  }
}

/// What a sync of a collection brought.
public struct SyncReport: Hashable, Sendable, Codable {
  public var at: WallTime
  public var newCount: Int
  public var changedCount: Int
  public var goneCount: Int
  /// Whether the files that are gone went to the bin.
  public var removedGone: Bool

  public init(
    at: WallTime, newCount: Int, changedCount: Int, goneCount: Int, removedGone: Bool
  ) {
    self.at = at
    self.newCount = newCount
    self.changedCount = changedCount
    self.goneCount = goneCount
    self.removedGone = removedGone
  }
}

/// The complete list of a collection, in sum. The store has the members themselves.
public struct CollectionList: Hashable, Sendable, Codable {
  /// What the list is pinned to, such as a commit; nil if the source has no versions.
  public var version: String?
  /// The files that were chosen.
  public var memberCount = 0
  /// Their sizes, as far as the source says them.
  public var byteCount: Int64 = 0
  /// How many of them have a size that the source does not say.
  public var unknownSizeCount = 0
  /// Files that were left out because their paths or URLs may not be used.
  public var refusedCount = 0
  /// The reach of the farthest server that a document came from.
  public var reach: NetworkReach = .machine

  public init() {}

  /// Takes the sum of the files that are chosen.
  package mutating func take(_ chosen: MemberSum) {
    memberCount = chosen.count
    byteCount = chosen.byteCount
    unknownSizeCount = chosen.unknownSizeCount
  }

  /// Counts a member.
  package mutating func add(_ member: ListedMember) {
    var sum = MemberSum(
      count: memberCount, byteCount: byteCount, unknownSizeCount: unknownSizeCount)
    sum.add(member)
    take(sum)
  }
}

/// The order in which the files of a collection are queued.
public enum MemberOrder: String, Hashable, Sendable, Codable, CaseIterable {
  case listed
  /// Files of unknown size come last.
  case smallest, largest
}

/// Which files of a source belong to a collection.
public struct MemberChoice: Hashable, Sendable, Codable {
  /// Patterns, one of which must match; none means every file.
  public var include: [String]
  /// Patterns, none of which may match.
  public var exclude: [String]
  /// How many directories are entered below that of the source; nil means all.
  public var depth: Int?

  public static let patternCountMax = 64
  public static let patternByteCountMax = 1024

  public init(include: [String] = [], exclude: [String] = [], depth: Int? = nil) {
    self.include = include
    self.exclude = exclude
    self.depth = depth
  }

  package func includes(_ path: MemberPath) -> Bool {
    func matches(_ pattern: String) -> Bool {
      PathPattern.matches(pattern, path.text) || PathPattern.matches(pattern, path.name)
    }
    return (include.isEmpty || include.contains(where: matches))
      && !exclude.contains(where: matches)
  }

  /// Whether a directory is entered that is this far below that of the source.
  package func enters(depth: Int) -> Bool { depth <= min(self.depth ?? .max, MemberPath.depthMax) }

  package var isUsable: Bool {
    let patterns = include + exclude
    return patterns.count <= Self.patternCountMax
      && patterns.allSatisfy { (1...Self.patternByteCountMax).contains($0.utf8.count) }
      && depth ?? 0 >= 0
  }
}

/// Patterns as those of a shell: `*` stands for any characters, slashes too, `?` for one.
enum PathPattern {
  /// Compares in a time that grows with the product of both lengths at most.
  static func matches(_ pattern: String, _ text: String) -> Bool {
    let (pattern, text) = (Array(pattern.unicodeScalars), Array(text.unicodeScalars))
    var (next, index) = (0, 0)
    var star: (next: Int, index: Int)?
    while index < text.count {
      if next < pattern.count, pattern[next] == "*" {
        star = (next + 1, index)
        next += 1
      } else if next < pattern.count, pattern[next] == "?" || pattern[next] == text[index] {
        next += 1
        index += 1
      } else if let last = star {
        star = (last.next, last.index + 1)
        (next, index) = (last.next, last.index + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == "*" }
  }
}

/// What a transfer is to the collection that it belongs to. Only the service sets it.
public struct MemberRole: Hashable, Sendable, Codable {
  public var collection: TransferID
  /// The place in the list, from 0.
  public var number: Int64
  public var path: MemberPath

  package init(collection: TransferID, number: Int64, path: MemberPath) {
    self.collection = collection
    self.number = number
    self.path = path
  }
}

/// How far a collection is, as clients see it.
public struct CollectionProgress: Hashable, Sendable, Codable {
  /// The source, such as `hf://org/model@main`.
  public var name: String
  public var version: String?
  /// nil until the list is complete.
  public var memberCount: Int?
  public var completedCount = 0
  public var failedCount = 0
  public var runningCount = 0
  /// Files that wait until the user acts, such as for a login.
  public var needsUserCount = 0
  /// Files that were left out because their paths or URLs may not be used.
  public var refusedCount = 0
  /// The collection that is to be brought up to date, if this is its list, read again.
  public var sync: TransferID?
  public var syncsEveryMilliseconds: Int64?
  public var lastSync: SyncReport?
  /// Whether its list is complete and the user is to choose among its files.
  public var waitsForChoice: Bool?

  package init(_ request: CollectionRequest) {
    if request.pausesWhenListed == true, request.list != nil, request.sync == nil {
      waitsForChoice = true
    }
    name = request.source.name
    version = request.list?.version
    memberCount = request.list?.memberCount
    refusedCount = request.list?.refusedCount ?? 0
    sync = request.sync?.collection
    syncsEveryMilliseconds = request.syncsEveryMilliseconds
    lastSync = request.lastSync
  }

  /// Whether nothing more happens until the user acts.
  package var waitsForUser: Bool {
    guard let memberCount, needsUserCount > 0 else { return false }
    return completedCount + failedCount + needsUserCount >= memberCount
  }

  /// `37/96`, and how many have failed, for a place beside the name.
  package var brief: String? {
    guard let memberCount else { return nil }
    let files = "\(completedCount)/\(memberCount)"
    return failedCount == 0 ? files : "\(files), \(failedCount) failed"
  }

  /// `37 of 96 files`, how many have failed and how many were left out; nil until the list is
  /// complete.
  package var words: String? {
    guard let memberCount else { return nil }
    var words = "\(completedCount) of \(memberCount) file\(memberCount == 1 ? "" : "s")"
    if failedCount > 0 { words += ", \(failedCount) failed" }
    if needsUserCount > 0 { words += ", \(needsUserCount) waiting for you" }
    if refusedCount > 0 { words += ", \(refusedCount) left out" }
    return words
  }
}
