import KettleModel

/// The order of the list, which the queue follows, and which transfers were cleared from view.
extension TransferScheduler {
  package enum Move: Sendable, Hashable, CaseIterable {
    /// By one position; transfers at the end of the list stay.
    case up, down
    case toTop, toBottom
  }

  /// Moves transfers, whatever their state; they keep their order among each other. Writes only the
  /// moved transfers and those that make room.
  ///
  /// The moved transfers and their neighbours in that direction must be awake.
  package mutating func move(
    _ ids: [TransferID], _ move: Move, at now: Moment
  ) -> ([ControlResult], Turn) {
    var turn = Turn()
    let places = Set(ids).compactMap { machines[$0].map { QueuePosition($0.record) } }
      .sorted()
    let positions =
      switch move {
      case .up: exchange(places) { order, place in order.element(before: place) }
      case .down: exchange(places.reversed()) { order, place in order.element(after: place) }
      case .toTop: putFirst(places)
      case .toBottom: putLast(places)
      }
    for (id, position) in positions.sorted(by: { $0.key < $1.key }) {
      update(id, &turn) { $0.record.queuePosition = position }
    }
    fillSlots(&turn, at: now)
    return (ids.map { machines[$0] == nil ? .unknown : .applied }, turn)
  }

  /// Exchanges each with its neighbour, starting with the one that is first in the direction. A
  /// neighbour that moves as well is blocked, and blocks those behind it.
  private mutating func exchange(
    _ places: [QueuePosition],
    with neighbour: (SortedBlocks<QueuePosition>, QueuePosition) -> QueuePosition?
  ) -> [TransferID: Int64] {
    let moving = Set(places.map(\.id))
    var positions: [TransferID: Int64] = [:]
    for place in places {
      guard let other = neighbour(order, place), !moving.contains(other.id) else { continue }
      order.remove(place)
      order.remove(other)
      order.insert(QueuePosition(position: other.position, id: place.id))
      order.insert(QueuePosition(position: place.position, id: other.id))
      positions[place.id] = other.position
      positions[other.id] = place.position
    }
    return positions
  }

  private mutating func putFirst(_ places: [QueuePosition]) -> [TransferID: Int64] {
    guard order.window(first: 0, count: places.count) != places else { return [:] }
    firstPosition -= Int64(places.count)
    return put(places, from: firstPosition)
  }

  private mutating func putLast(_ places: [QueuePosition]) -> [TransferID: Int64] {
    let end = order.window(first: order.count - places.count, count: places.count)
    guard end != places else { return [:] }
    let start = lastPosition + 1
    lastPosition += Int64(places.count)
    return put(places, from: start)
  }

  private mutating func put(_ places: [QueuePosition], from start: Int64) -> [TransferID: Int64] {
    var positions: [TransferID: Int64] = [:]
    for (index, place) in places.enumerated() {
      let position = start + Int64(index)
      order.remove(place)
      order.insert(QueuePosition(position: position, id: place.id))
      positions[place.id] = position
    }
    return positions
  }

  // MARK: Cleared from view

  package func isCleared(_ record: TransferRecord) -> Bool { record.isCleared(upTo: clearedUpTo) }

  /// Clears all completed transfers from view. Records a single number, however many there are.
  ///
  /// - Returns: how many were in view.
  package mutating func clearFinished() -> (count: Int, Turn) {
    var turn = Turn()
    let awakeCount = machines.values.count {
      $0.record.state == .completed && !isCleared($0.record)
    }
    let count = awakeCount + (dormantCounts[.completed] ?? 0) - dormantClearedCount
    if count > 0 {
      clearedUpTo = lastFinishNumber
      dormantClearedCount = dormantCounts[.completed] ?? 0
      turn.changes.append(.clearFinished(upTo: lastFinishNumber))
    }
    return (count, turn)
  }

  /// Assigns a finish number to a transfer that has just completed; clears it when it no longer is.
  mutating func numberFinish(of machine: inout TransferMachine, before: TransferState) {
    let isCompleted = machine.record.state == .completed
    if isCompleted, before != .completed {
      lastFinishNumber += 1
      machine.record.finishNumber = lastFinishNumber
    } else if !isCompleted {
      machine.record.finishNumber = nil
    }
  }
}
