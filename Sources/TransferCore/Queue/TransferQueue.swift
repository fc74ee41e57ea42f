import TransferModel

/// Which transfer comes next: the highest priority first, then the smallest queue position, and
/// never more at once than the limits allow.
///
/// Every origin has a lane of its own for each session, so that a busy host with a hundred thousand
/// waiting transfers is passed over in one step and does not hold up the others.
package struct TransferQueue: Sendable {
  package struct Limits: Sendable, Hashable {
    /// Transfers at once.
    package var runningMax = 20
    /// Connections at once to one scheme, host and port.
    package var connectionsPerHostMax = 5
    /// Connections at once in all.
    package var connectionsMax = 64
    package var division = DivisionPolicy()

    package init() {}
  }

  package var limits: Limits
  private var lanes: [Place: QueueLane] = [:]
  private var slots: Set<TransferID> = []
  private var keys: [TransferID: (place: Place, key: QueueKey)] = [:]
  /// Of the lanes, by origin.
  private var sessions: [Origin: Set<SessionID>] = [:]

  /// Where a transfer stands in line: limits hold for hosts, and for sessions at hosts.
  package struct Place: Sendable, Hashable {
    package var origin: Origin
    package var session: SessionID
  }

  package init(limits: Limits = Limits()) { self.limits = limits }

  package var queuedCount: Int { keys.count }
  package var runningCount: Int { slots.count }
  /// Those that have a slot, by id.
  package var running: [TransferID] { slots.sorted() }
  package var hasFreeSlot: Bool { slots.count < limits.runningMax }

  /// Where transfers wait.
  package var waitingPlaces: [Place] { Array(lanes.keys) }

  /// The sessions whose transfers wait for an origin.
  package func sessionsWaiting(for origin: Origin) -> Set<SessionID> { sessions[origin] ?? [] }

  /// Puts a transfer in line, or moves it when it stands there already.
  package mutating func enqueue(_ record: TransferRecord) {
    remove(record.id)
    let key = QueueKey(
      priority: record.spec.priority, position: record.queuePosition, id: record.id)
    let place = Place(origin: record.spec.url.origin, session: record.spec.session)
    keys[record.id] = (place, key)
    lanes[place, default: QueueLane()].insert(key)
    sessions[place.origin, default: []].insert(place.session)
  }

  /// Takes a transfer out of the line; nothing happens when it does not stand there.
  package mutating func remove(_ id: TransferID) {
    guard let (place, key) = keys.removeValue(forKey: id) else { return }
    lanes[place]?.remove(key)
    guard lanes[place]?.isEmpty == true else { return }
    lanes[place] = nil
    sessions[place.origin]?.remove(place.session)
    if sessions[place.origin]?.isEmpty == true { sessions[place.origin] = nil }
  }

  /// Takes the next transfer that may run and counts it as running; nil when none may.
  ///
  /// - Parameter admits: whether an origin may have another connection, for a session.
  package mutating func startNext(admits: (Place) -> Bool) -> TransferID? {
    guard hasFreeSlot else { return nil }
    var best: QueueKey?
    for (place, lane) in lanes {
      guard let front = lane.front else { continue }
      if let best, best < front { continue }
      if admits(place) { best = front }
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
