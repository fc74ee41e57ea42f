import KettleEngine
import KettleModel

/// The rows of one view in order, updated row by row: sorting a long list for each window would
/// take longer than the interval between two windows.
///
/// **Invariant:** each row that matches the filter appears exactly once, under the sort key from
/// its latest update.
struct RowIndex: Sendable {
  /// A change of one row.
  struct Change: Sendable {
    enum Before: Sendable {
      /// New on the list.
      case new
      /// Already listed; nil if it did not match the filter.
      case at(RowKey?)
    }

    var id: TransferID
    var before: Before
    /// nil if the row was removed or does not match the filter.
    var after: RowKey?
  }

  private(set) var order: OrderWithOverlay

  /// Drift up to the larger of this number and this fraction of the rows is tolerated.
  static let driftMax = 20_000
  private static let driftShare = 10
  /// Each window carries the headings of all groups.
  static let directoryCountMax = 200

  /// Creates the index from the store's order.
  ///
  /// - Parameter changes: all changes that the store's order may lack, oldest first.
  init(_ stored: OrderSnapshot, changes: [Change], removed: TransferIDSet) {
    var last: [TransferID: RowKey?] = [:]
    for change in changes { last[change.id] = .some(change.after) }
    order = OrderWithOverlay(
      stored, without: { last[$0] != nil || removed.contains($0) },
      and: last.values.compactMap(\.self))
  }

  /// Creates an index of the same rows without the drift.
  init(compacting order: OrderWithOverlay) {
    self.order = OrderWithOverlay(OrderSnapshot(StoredOrder(order.keys)))
  }

  var count: Int { order.count }

  /// Whether the order should be compacted.
  func hasDrifted(_ driftMax: Int) -> Bool {
    order.driftCount > max(driftMax, order.snapshot.count / Self.driftShare)
  }

  mutating func apply(_ change: Change) {
    switch change.before {
    case .new:
      // The store has it before the event arrives, so a query at that moment includes it too.
      order.removeFromSnapshot(change.id)
    case .at(let before):
      guard before != change.after else { return }
      if let before { order.remove(before) }
    }
    if let after = change.after { order.insert(after) }
  }

  /// Returns the position of a row.
  func index(of key: RowKey) -> Int { order.count(before: key) }

  func window(first: Int, count: Int) -> [TransferID] { order.window(first: first, count: count) }

  /// Returns the sizes of the groups of a grouped list, in their order, without empty ones.
  ///
  /// - Parameters:
  ///   - sort: the order of the view.
  ///   - directoryCountMax: the most groups by directory. What is deeper is in one above it.
  func groups(
    of sort: RowSort, folded: Set<ListGroup>, directoryCountMax: Int = directoryCountMax
  ) -> [ListedGroup] {
    let (groups, starts) =
      sort.grouping == .directories
      ? directories(countMax: directoryCountMax)
      : (sort.groups, sort.groups.indices.map { firstRow(from: sort.bound(ofGroupAt: $0)) })
    return zip(groups, zip(starts, starts.dropFirst() + [count])).compactMap {
      group, bounds in
      let size = bounds.1 - bounds.0
      guard size > 0 else { return nil }
      return ListedGroup(group, count: size, isFolded: folded.contains(group))
    }
  }

  /// Returns the directories of the rows in order, at the greatest depth at which they are not too
  /// many, with the indices of their first rows.
  private func directories(countMax: Int) -> ([ListGroup], [Int]) {
    var depth = MemberPath.depthMax
    while true {
      var (groups, starts, keys): ([ListGroup], [Int], [String]) = ([], [], [])
      var index = 0
      while groups.count <= countMax, let key = order.key(at: index) {
        let found = DirectoryGroup(of: key.section.directory, depth: depth)
        groups.append(found.group)
        starts.append(index)
        keys.append(key.section.directory)
        index = max(index + 1, firstRow(from: found.end))
      }
      if groups.count <= countMax || depth == 0 { return (groups, starts) }
      // These alone are too many at this depth, so the next one is less.
      depth = DirectoryGroup.depth(of: keys, countMax: countMax)
    }
  }

  private func firstRow(from section: RowSection) -> Int {
    order.count(
      before: RowKey(
        section: section, value: .unknown, id: TransferID(rawValue: .min), isDescending: false))
  }
}

/// A set of indices below a fixed bound: one bit each, with sums that find the n-th member without
/// a full scan. Members can only be removed.
struct RankBitmap: Sendable {
  private static let wordsPerBlock = 64
  private static let bitsPerBlock = wordsPerBlock * UInt64.bitWidth

  private let bound: Int
  private var words: [UInt64]
  /// The number of members in each block.
  private var blockCounts: [Int]
  private(set) var count: Int

  /// All indices below `count` are members.
  init(count: Int) {
    bound = count
    self.count = count
    words = Array(repeating: .max, count: (count + UInt64.bitWidth - 1) / UInt64.bitWidth)
    let surplus = words.count * UInt64.bitWidth - count
    if surplus > 0 { words[words.count - 1] >>= UInt64(surplus) }
    blockCounts = stride(from: 0, to: count, by: Self.bitsPerBlock).map {
      min(Self.bitsPerBlock, count - $0)
    }
  }

  var removedCount: Int { bound - count }

  func contains(_ index: Int) -> Bool {
    guard index >= 0, index < bound else { return false }
    return words[index >> 6] & Self.bit(index) != 0
  }

  mutating func remove(_ index: Int) {
    guard contains(index) else { return }
    words[index >> 6] &= ~Self.bit(index)
    blockCounts[index / Self.bitsPerBlock] -= 1
    count -= 1
  }

  /// Returns the number of members below an index, which may be one past the last.
  func rank(of index: Int) -> Int {
    guard index < bound else { return count }
    guard index > 0 else { return 0 }
    let block = index / Self.bitsPerBlock
    var sum = blockCounts[..<block].reduce(0, +)
    for word in (block * Self.wordsPerBlock)..<(index >> 6) { sum += words[word].nonzeroBitCount }
    return sum + (words[index >> 6] & (Self.bit(index) - 1)).nonzeroBitCount
  }

  /// Returns the member with `rank` members below it; nil if there are not that many.
  func index(atRank rank: Int) -> Int? {
    guard rank >= 0, rank < count else { return nil }
    var rest = rank
    var block = 0
    while rest >= blockCounts[block] {
      rest -= blockCounts[block]
      block += 1
    }
    var word = block * Self.wordsPerBlock
    while rest >= words[word].nonzeroBitCount {
      rest -= words[word].nonzeroBitCount
      word += 1
    }
    var bits = words[word]
    for _ in 0..<rest { bits &= bits - 1 }
    return word << 6 + bits.trailingZeroBitCount
  }

  /// Returns the first member at or after an index.
  func first(from index: Int) -> Int? {
    guard index < bound else { return nil }
    var word = index >> 6
    var bits = words[word] & ~(Self.bit(index) - 1)
    while bits == 0 {
      word += 1
      guard word < words.count else { return nil }
      bits = words[word]
    }
    return word << 6 + bits.trailingZeroBitCount
  }

  private static func bit(_ index: Int) -> UInt64 { 1 << UInt64(index & 63) }
}

/// A set of ids that are usually close to each other, as in a list that is processed in order: one
/// word for each 64 consecutive ids, where a plain set of a million would take tens of megabytes.
struct TransferIDSet: Sendable {
  private var words: [Int64: UInt64] = [:]

  var isEmpty: Bool { words.isEmpty }

  func contains(_ id: TransferID) -> Bool {
    let (index, bit) = Self.location(of: id)
    return words[index, default: 0] & bit != 0
  }

  mutating func insert(_ id: TransferID) {
    let (index, bit) = Self.location(of: id)
    words[index, default: 0] |= bit
  }

  /// Returns whether it was there.
  mutating func remove(_ id: TransferID) -> Bool {
    let (index, bit) = Self.location(of: id)
    guard let word = words[index], word & bit != 0 else { return false }
    words[index] = word == bit ? nil : word & ~bit
    return true
  }

  private static func location(of id: TransferID) -> (index: Int64, bit: UInt64) {
    (id.rawValue >> 6, 1 << UInt64(id.rawValue & 63))
  }
}
