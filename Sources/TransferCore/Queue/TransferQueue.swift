import TransferModel

/// Which transfer comes next: the highest priority first, then the smallest queue position, and
/// never more at once than the limits allow.
///
/// Every origin has a lane of its own, so that a busy host with a hundred thousand waiting
/// transfers is passed over in one step and does not hold up the others.
package struct TransferQueue: Sendable {
  package struct Limits: Sendable, Hashable {
    /// Transfers at once.
    package var runningMax = 20
    /// Connections at once to one scheme, host and port.
    package var connectionsPerHostMax = 5
    /// Connections at once in all.
    package var connectionsMax = 64

    package init() {}
  }

  package var limits: Limits
  private var lanes: [Origin: QueueLane] = [:]
  private var slots: Set<TransferID> = []
  private var keys: [TransferID: (origin: Origin, key: QueueKey)] = [:]

  package init(limits: Limits = Limits()) { self.limits = limits }

  package var queuedCount: Int { keys.count }
  package var runningCount: Int { slots.count }
  /// Those that have a slot, by id.
  package var running: [TransferID] { slots.sorted() }
  package var hasFreeSlot: Bool { slots.count < limits.runningMax }

  /// The origins for which transfers wait.
  package var waitingOrigins: [Origin] { Array(lanes.keys) }

  package func hasWaiting(for origin: Origin) -> Bool { lanes[origin] != nil }

  /// Puts a transfer in line, or moves it when it stands there already.
  package mutating func enqueue(_ record: TransferRecord) {
    remove(record.id)
    let key = QueueKey(
      priority: record.spec.priority, position: record.queuePosition, id: record.id)
    let origin = record.spec.url.origin
    keys[record.id] = (origin, key)
    lanes[origin, default: QueueLane()].insert(key)
  }

  /// Takes a transfer out of the line; nothing happens when it does not stand there.
  package mutating func remove(_ id: TransferID) {
    guard let (origin, key) = keys.removeValue(forKey: id) else { return }
    lanes[origin]?.remove(key)
    if lanes[origin]?.isEmpty == true { lanes[origin] = nil }
  }

  /// Takes the next transfer that may run and counts it as running; nil when none may.
  ///
  /// - Parameter admits: whether an origin may have another connection.
  package mutating func startNext(admits: (Origin) -> Bool) -> TransferID? {
    guard hasFreeSlot else { return nil }
    var best: QueueKey?
    for (origin, lane) in lanes {
      guard let front = lane.front else { continue }
      if let best, best < front { continue }
      if admits(origin) { best = front }
    }
    guard let best else { return nil }
    remove(best.id)
    slots.insert(best.id)
    return best.id
  }

  /// Gives the slot of a transfer back.
  package mutating func release(_ id: TransferID) { slots.remove(id) }

  package func isRunning(_ id: TransferID) -> Bool { slots.contains(id) }
  package func isQueued(_ id: TransferID) -> Bool { keys[id] != nil }
}

/// The place of a transfer in the line. Smaller comes sooner.
struct QueueKey: Sendable, Hashable, Comparable {
  var priority: TransferPriority
  var position: Int64
  var id: TransferID

  static func < (left: QueueKey, right: QueueKey) -> Bool {
    if left.priority != right.priority { return left.priority > right.priority }
    if left.position != right.position { return left.position < right.position }
    return left.id < right.id
  }
}

/// The waiting transfers of one origin, sorted. The front is taken in constant time: taken keys
/// stay before `start` until they are half of the array.
struct QueueLane: Sendable {
  private var sorted: [QueueKey] = []
  private var start = 0

  var isEmpty: Bool { start == sorted.count }
  var front: QueueKey? { isEmpty ? nil : sorted[start] }

  mutating func insert(_ key: QueueKey) { sorted.insert(key, at: lowerBound(of: key)) }

  mutating func remove(_ key: QueueKey) {
    let index = lowerBound(of: key)
    guard index < sorted.count, sorted[index] == key else { return }
    guard index == start else {
      sorted.remove(at: index)
      return
    }
    start += 1
    if start * 2 > sorted.count {
      sorted.removeFirst(start)
      start = 0
    }
  }

  private func lowerBound(of key: QueueKey) -> Int {
    var low = start
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
