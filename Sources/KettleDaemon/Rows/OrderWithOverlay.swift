import KettleModel
import KettleScheduler

/// An order snapshot without the rows that have moved since, plus an overlay with their current
/// keys: equivalent to sorting again, at the cost of the changed rows alone.
struct OrderWithOverlay: Sendable {
  let snapshot: OrderSnapshot
  /// The indices of the snapshot that are still valid.
  private var unmoved: RankBitmap
  private var overlay: SortedBlocks<RowKey>

  /// - Parameters:
  ///   - isMoved: whether a row has left its index in the snapshot.
  ///   - overlay: in any order; none of them is at its key in the snapshot.
  init(
    _ snapshot: OrderSnapshot, without isMoved: (TransferID) -> Bool = { _ in false },
    and overlay: [RowKey] = []
  ) {
    self.snapshot = snapshot
    unmoved = RankBitmap(count: snapshot.count)
    for (index, id) in snapshot.ids.enumerated() where isMoved(id) { unmoved.remove(index) }
    self.overlay = SortedBlocks(sorted: overlay.sorted())
  }

  var count: Int { unmoved.count + overlay.count }
  /// The amount of difference from the snapshot.
  var driftCount: Int { unmoved.removedCount + overlay.count }

  // MARK: Changes

  mutating func insert(_ key: RowKey) { overlay.insert(key) }

  mutating func remove(_ key: RowKey) {
    if let index = snapshot.index(of: key), unmoved.contains(index) {
      unmoved.remove(index)
    } else {
      overlay.remove(key)
    }
  }

  /// Removes a row from the snapshot when its key there is unknown.
  mutating func removeFromSnapshot(_ id: TransferID) {
    if let index = snapshot.index(of: id) { unmoved.remove(index) }
  }

  // MARK: Queries

  /// Returns the number of rows before the key, whether or not the key is present.
  func count(before key: RowKey) -> Int {
    unmoved.rank(of: snapshot.count(before: key)) + overlay.count(before: key)
  }

  /// Returns nil past the end.
  func key(at index: Int) -> RowKey? {
    let unmovedCount = unmovedCount(before: index)
    let moved = overlay.element(at: index - unmovedCount)
    guard let place = unmoved.index(atRank: unmovedCount) else { return moved }
    let key = snapshot.key(at: place)
    return moved.map { min($0, key) } ?? key
  }

  /// Returns up to `count` rows from the index `first` on.
  func window(first: Int, count: Int) -> [TransferID] {
    let first = max(0, first)
    let wanted = min(max(0, count), self.count - first)
    guard wanted > 0 else { return [] }
    let unmovedCount = unmovedCount(before: first)
    var moved = overlay.window(first: first - unmovedCount, count: wanted)[...]
    var index = unmoved.index(atRank: unmovedCount)
    var ids: [TransferID] = []
    ids.reserveCapacity(wanted)
    while ids.count < wanted {
      guard let next = index else {
        ids += moved.prefix(wanted - ids.count).map(\.id)
        break
      }
      if let key = moved.first, key < snapshot.key(at: next) {
        ids.append(key.id)
        moved.removeFirst()
      } else {
        ids.append(snapshot.ids[next])
        index = unmoved.first(from: next + 1)
      }
    }
    return ids
  }

  /// Returns how many of the rows before `first` are from the snapshot.
  private func unmovedCount(before first: Int) -> Int {
    var low = max(0, first - overlay.count)
    var high = min(first, unmoved.count)
    while low < high {
      let middle = low + (high - low) / 2
      guard let index = unmoved.index(atRank: middle),
        let other = overlay.element(at: first - middle - 1)
      else { return low }
      if snapshot.key(at: index) < other { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// All keys in order.
  var keys: some Sequence<RowKey> {
    var moved = overlay.all[...]
    var index = unmoved.first(from: 0)
    return AnyIterator { [snapshot, unmoved] in
      guard let next = index else { return moved.popFirst() }
      let key = snapshot.key(at: next)
      if let other = moved.first, other < key { return moved.popFirst() }
      index = unmoved.first(from: next + 1)
      return key
    }
  }
}
