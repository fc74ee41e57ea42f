/// A group of the list. The groups are in work order: what needs the user comes first, then the
/// running transfers, and the finished ones last.
package enum RowGroup: String, Codable, Sendable, CaseIterable {
  /// Transfers that continue when the user does something.
  case needsUser
  case running
  /// Everything that is still to be fetched and does not need the user: waiting transfers first,
  /// then the queue in its order, then those that start later or only by command.
  case next
  case failed
  case done

  package init(_ state: TransferState, _ reason: WaitingReason?) {
    switch state {
    case .running, .verifying: self = .running
    case .waiting where reason?.concernsUser == true: self = .needsUser
    case .waiting, .queued, .scheduled, .paused, .idle: self = .next
    case .failed: self = .failed
    case .completed: self = .done
    }
  }

  /// The place among the groups, from 0.
  package var rank: Int {
    switch self {
    case .needsUser: 0
    case .running: 1
    case .next: 2
    case .failed: 3
    case .done: 4
    }
  }
}

/// What the rows of a group have in common.
package enum ListGroup: Hashable, Sendable {
  case work(RowGroup)
  /// The user's queue that they are in.
  case queue(QueueName)
  /// They are in no queue that the configuration file has.
  case noQueue
  /// Their directory within a collection, with slashes; empty for the one at the top.
  case directory(String)

  package static let running = ListGroup.work(.running)
  package static let next = ListGroup.work(.next)
  package static let needsUser = ListGroup.work(.needsUser)
  package static let failed = ListGroup.work(.failed)
  package static let done = ListGroup.work(.done)
}

extension ListGroup: Codable {
  private static let queuePrefix = "queue:"
  private static let directoryPrefix = "directory:"

  /// The word of a `RowGroup`, or `queue:` and the name of a queue, which may be missing, or
  /// `directory:` and its path.
  private var text: String {
    switch self {
    case .work(let group): group.rawValue
    case .queue(let name): Self.queuePrefix + name.text
    case .noQueue: Self.queuePrefix
    case .directory(let path): Self.directoryPrefix + path
    }
  }

  private init?(text: String) {
    if let group = RowGroup(rawValue: text) {
      self = .work(group)
    } else if text == Self.queuePrefix {
      self = .noQueue
    } else if text.utf8.starts(with: Self.directoryPrefix.utf8) {
      // Bytes, because to `Character` a combining mark hides the colon before it.
      let path = text.utf8.dropFirst(Self.directoryPrefix.utf8.count)
      self = .directory(String(Substring(path)))
    } else if text.hasPrefix(Self.queuePrefix),
      let name = QueueName(String(text.dropFirst(Self.queuePrefix.count)))
    {
      self = .queue(name)
    } else {
      return nil
    }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let group = ListGroup(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a group")
    }
    self = group
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The directories below one heading of a list of the files of a collection. In a sort key, the
/// components of a directory have `separator` between them, which is less than all characters of
/// names: a directory is followed by those in it.
package struct DirectoryGroup: Sendable, Hashable {
  private static let separator = "\u{1}"
  private static let afterSeparator = "\u{2}"
  private static let afterAll = "\u{10FFFF}"

  private let components: [Substring]
  private let hasInner: Bool

  /// - Parameters:
  ///   - key: the directory of a row, from its sort key.
  ///   - depth: the most components of a heading, which also stands for what is deeper.
  package init(of key: String, depth: Int) {
    components = Array(key.split(separator: Self.separator).prefix(depth))
    hasInner = components.count == depth
  }

  /// Returns the directory of a file for its sort key.
  ///
  /// - Parameter path: the path of the file within its collection.
  package static func key(ofPath path: String) -> String {
    guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    let bytes = path.utf8[..<end].map { $0 == UInt8(ascii: "/") ? 1 : $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  package var group: ListGroup { .directory(components.joined(separator: "/")) }

  /// The first section behind those of all rows of the group.
  package var end: RowSection {
    if hasInner, components.isEmpty { return RowSection(directory: Self.afterAll) }
    let bound = hasInner ? Self.afterSeparator : Self.separator
    return RowSection(directory: components.joined(separator: Self.separator) + bound, -.infinity)
  }

  /// Returns the depth at which there are at most `countMax` groups.
  ///
  /// - Parameter keys: distinct, in order.
  package static func depth(of keys: some Sequence<String>, countMax: Int) -> Int {
    // At n, how many pairs of neighbours have n components in common.
    var counts = Array(repeating: 0, count: MemberPath.depthMax)
    var last: [Substring]?
    for key in keys {
      let components = key.split(separator: separator)
      if let last {
        let common = zip(last, components).prefix { $0 == $1 }.count
        if counts.indices.contains(common) { counts[common] += 1 }
      }
      last = components
    }
    var left = countMax - 1
    return counts.prefix { count in
      left -= count
      return left >= 0
    }.count
  }
}

/// A group of a list that is displayed.
package struct ListedGroup: Codable, Hashable, Sendable {
  package var group: ListGroup
  /// The number of its rows, which are not displayed if it is folded.
  package var count: Int
  package var isFolded: Bool
  /// The queue that the group stands for, if it is one.
  package var queue: QueueSnapshot?

  package init(_ group: ListGroup, count: Int, isFolded: Bool = false) {
    self.group = group
    self.count = count
    self.isFolded = isFolded
  }
}

/// Converts between the indices of all rows of a grouped list, and those of its rows that are not
/// folded.
package struct UnfoldedRows: Sendable, Hashable {
  /// The indices of the rows that are not folded, in order.
  private var ranges: [Range<Int>] = []
  package private(set) var count = 0

  package init(_ groups: [ListedGroup]) {
    var start = 0
    for group in groups {
      let size = max(0, group.count)
      if !group.isFolded, size > 0 {
        ranges.append(start..<(start + size))
        count += size
      }
      start += size
    }
  }

  /// Returns the indices of rows in the whole list.
  package func wholeRanges(first: Int, count: Int) -> [Range<Int>] {
    var (skip, left) = (max(0, first), max(0, count))
    var wanted: [Range<Int>] = []
    for range in ranges where left > 0 {
      let part = range.dropFirst(skip).prefix(left)
      skip = max(0, skip - range.count)
      left -= part.count
      if !part.isEmpty { wanted.append(part.startIndex..<part.endIndex) }
    }
    return wanted
  }

  /// Returns nil for a row in a folded group.
  package func index(ofWhole index: Int) -> Int? {
    var before = 0
    for range in ranges {
      if range.contains(index) { return before + index - range.lowerBound }
      before += range.count
    }
    return nil
  }
}

/// The number and total size of the transfers in one state.
package struct StateTally: Sendable, Hashable {
  package var count: Int
  /// Transfers of unknown size, which the byte counts omit.
  package var unknownSizeCount: Int
  package var bytesReceived: Int64
  package var bytesExpected: Int64

  package init(
    count: Int = 0, unknownSizeCount: Int = 0, bytesReceived: Int64 = 0, bytesExpected: Int64 = 0
  ) {
    self.count = count
    self.unknownSizeCount = unknownSizeCount
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
  }
}

/// The number and total size of the dormant transfers, by state.
package struct EvictedTally: Sendable, Hashable {
  package var states: [TransferState: StateTally]
  /// Completed transfers that were cleared from view.
  package var clearedCount: Int

  package init(states: [TransferState: StateTally] = [:], clearedCount: Int = 0) {
    self.states = states
    self.clearedCount = clearedCount
  }
}
