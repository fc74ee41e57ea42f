import KettleModel
import KettleScheduler

/// A frozen order without the rows that have moved since, plus an overlay with their current keys:
/// equivalent to sorting again, at the cost of the changed rows alone.
struct OrderWithOverlay: Sendable {
  let frozen: OrderSnapshot
  private var live: RankBitmap
  private var overlay: SortedBlocks<RowKey>

  /// - Parameter overlay: in any order; none of them is at its key in the frozen order.
  init(
    _ frozen: OrderSnapshot, without isOut: (TransferID) -> Bool = { _ in false },
    and overlay: [RowKey] = []
  ) {
    self.frozen = frozen
    live = RankBitmap(count: frozen.count)
    for (place, id) in frozen.ids.enumerated() where isOut(id) { live.remove(place) }
    self.overlay = SortedBlocks(sorted: overlay.sorted())
  }

  var count: Int { live.count + overlay.count }
  /// The amount of difference from the frozen order.
  var driftCount: Int { live.removedCount + overlay.count }

  // MARK: Changes

  mutating func insert(_ key: RowKey) { overlay.insert(key) }

  mutating func remove(_ key: RowKey) {
    if let place = frozen.place(of: key), live.contains(place) {
      live.remove(place)
    } else {
      overlay.remove(key)
    }
  }

  /// Removes a row from the frozen order when its key there is unknown.
  mutating func hide(_ id: TransferID) {
    if let place = frozen.place(of: id) { live.remove(place) }
  }

  // MARK: Looking

  /// Returns the number of rows before the key, whether or not the key is present.
  func count(before key: RowKey) -> Int {
    live.count(before: frozen.count(before: key)) + overlay.count(before: key)
  }

  /// Returns up to `count` rows from the index `first` on.
  func window(first: Int, count: Int) -> [TransferID] {
    let first = max(0, first)
    let wanted = min(max(0, count), self.count - first)
    guard wanted > 0 else { return [] }
    let frozenCount = frozenCount(before: first)
    var changed = overlay.window(first: first - frozenCount, count: wanted)[...]
    var place = live.place(at: frozenCount)
    var ids: [TransferID] = []
    ids.reserveCapacity(wanted)
    while ids.count < wanted {
      guard let next = place else {
        ids += changed.prefix(wanted - ids.count).map(\.id)
        break
      }
      if let key = changed.first, key < frozen.key(at: next) {
        ids.append(key.id)
        changed.removeFirst()
      } else {
        ids.append(frozen.ids[next])
        place = live.place(from: next + 1)
      }
    }
    return ids
  }

  /// Returns how many of the rows before `first` are from the frozen order.
  private func frozenCount(before first: Int) -> Int {
    var low = max(0, first - overlay.count)
    var high = min(first, live.count)
    while low < high {
      let middle = low + (high - low) / 2
      guard let place = live.place(at: middle), let other = overlay.element(at: first - middle - 1)
      else { return low }
      if frozen.key(at: place) < other { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// All keys in order.
  var keys: some Sequence<RowKey> {
    var changed = overlay.all[...]
    var place = live.place(from: 0)
    return AnyIterator { [frozen, live] in
      guard let next = place else { return changed.popFirst() }
      let key = frozen.key(at: next)
      if let other = changed.first, other < key { return changed.popFirst() }
      place = live.place(from: next + 1)
      return key
    }
  }
}
