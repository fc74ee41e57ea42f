import KettleModel

/// The user's list, which the queue follows: the positions of the loaded transfers, and the ends of
/// the whole list.
struct ListOrder: Sendable {
  private var loaded = SortedBlocks<QueuePosition>()
  /// No transfer of the list is before the first or after the last position.
  private var first: Int64 = 1
  private var last: Int64 = 0

  init() {}

  /// - Parameter positions: the first and last position of the whole list; nil when it is empty.
  init(loaded records: [TransferRecord], positions: ClosedRange<Int64>?) {
    loaded = SortedBlocks(sorted: records.map(QueuePosition.init).sorted())
    let starts = [positions?.lowerBound, loaded.first?.position].compactMap { $0 }
    first = min(1, starts.min() ?? 1)
    last = max(0, positions?.upperBound ?? 0, loaded.last?.position ?? 0)
  }

  /// The position at the end of the list, for a new transfer.
  mutating func nextPosition() -> Int64 {
    last += 1
    return last
  }

  mutating func insert(_ position: QueuePosition) { loaded.insert(position) }
  mutating func remove(_ position: QueuePosition) { loaded.remove(position) }

  /// Moves transfers; they keep their order among each other.
  ///
  /// - Parameter isPassed: whether a transfer counts as a neighbour. Others are skipped.
  /// - Returns: the new positions of the moved transfers and of those that make room.
  mutating func move(
    _ moving: [QueuePosition], _ move: TransferScheduler.Move,
    past isPassed: (TransferID) -> Bool = { _ in true }
  ) -> [TransferID: Int64] {
    let moving = moving.sorted()
    switch move {
    case .up: return exchange(moving, past: isPassed) { $0.element(before: $1) }
    case .down: return exchange(moving.reversed(), past: isPassed) { $0.element(after: $1) }
    case .toTop: return moveToTop(moving)
    case .toBottom: return moveToBottom(moving)
    }
  }

  /// Gives transfers each other's positions, so that they follow one another in this order.
  ///
  /// - Returns: the positions that changed.
  mutating func arrange(_ wanted: [QueuePosition]) -> [TransferID: Int64] {
    var positions: [TransferID: Int64] = [:]
    for (one, place) in zip(wanted, wanted.sorted()) where one.position != place.position {
      loaded.remove(one)
      positions[one.id] = place.position
    }
    for (id, position) in positions {
      loaded.insert(QueuePosition(position: position, id: id))
    }
    return positions
  }

  /// Exchanges each with its neighbour, starting with the one that is first in the direction. A
  /// neighbour that moves as well is blocked, and blocks those behind it.
  private mutating func exchange(
    _ moving: [QueuePosition], past isPassed: (TransferID) -> Bool,
    with neighbour: (SortedBlocks<QueuePosition>, QueuePosition) -> QueuePosition?
  ) -> [TransferID: Int64] {
    let ids = Set(moving.map(\.id))
    var positions: [TransferID: Int64] = [:]
    for one in moving {
      var next = neighbour(loaded, one)
      while let skipped = next, !ids.contains(skipped.id), !isPassed(skipped.id) {
        next = neighbour(loaded, skipped)
      }
      guard let other = next, !ids.contains(other.id) else { continue }
      loaded.remove(one)
      loaded.remove(other)
      loaded.insert(QueuePosition(position: other.position, id: one.id))
      loaded.insert(QueuePosition(position: one.position, id: other.id))
      positions[one.id] = other.position
      positions[other.id] = one.position
    }
    return positions
  }

  private mutating func moveToTop(_ moving: [QueuePosition]) -> [TransferID: Int64] {
    guard loaded.window(first: 0, count: moving.count) != moving else { return [:] }
    first -= Int64(moving.count)
    return renumber(moving, from: first)
  }

  private mutating func moveToBottom(_ moving: [QueuePosition]) -> [TransferID: Int64] {
    let end = loaded.window(first: loaded.count - moving.count, count: moving.count)
    guard end != moving else { return [:] }
    let start = last + 1
    last += Int64(moving.count)
    return renumber(moving, from: start)
  }

  private mutating func renumber(
    _ moving: [QueuePosition], from start: Int64
  ) -> [TransferID: Int64] {
    var positions: [TransferID: Int64] = [:]
    for (index, one) in moving.enumerated() {
      let position = start + Int64(index)
      loaded.remove(one)
      loaded.insert(QueuePosition(position: position, id: one.id))
      positions[one.id] = position
    }
    return positions
  }
}
