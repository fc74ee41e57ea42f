import KettleModel

/// Decides which transfer is next: the highest priority first, then the smallest queue position,
/// and never more at once than the limits allow.
///
/// Each origin has a `QueueLane` per session, so a busy host with a hundred thousand queued
/// transfers is skipped in one step and does not delay the others.
package struct TransferQueue: Sendable {
  package struct Limits: Sendable, Hashable {
    /// Concurrent transfers.
    package var runningMax = 20
    /// Concurrent connections to one scheme, host and port.
    package var connectionsPerHostMax = 5
    /// Concurrent connections in total.
    package var connectionsMax = 64
    package var division = DivisionPolicy()

    package init() {}
  }

  package var limits: Limits
  private var lanes: [Place: QueueLane] = [:]
  /// Transfers with a slot, and the place from which they came.
  private var slots: [TransferID: Place] = [:]
  private var keys: [TransferID: (place: Place, key: QueueKey)] = [:]
  /// The sessions with queued transfers, by origin.
  private var sessions: [Origin: Set<SessionID>] = [:]
  var curtains = LineCurtains()

  /// A place in the queue: limits apply to hosts, and to sessions at hosts.
  package struct Place: Sendable, Hashable {
    package var origin: Origin
    package var session: SessionID
  }

  package init(limits: Limits = Limits()) { self.limits = limits }

  package var queuedCount: Int { keys.count }
  package var runningCount: Int { slots.count }
  /// Transfers with a slot, by id.
  package var running: [TransferID] { slots.keys.sorted() }
  package var hasFreeSlot: Bool { slots.count < limits.runningMax }

  /// Places with queued transfers.
  package var waitingPlaces: [Place] { Array(lanes.keys) }

  /// The sessions with queued transfers for an origin.
  package func sessionsWaiting(for origin: Origin) -> Set<SessionID> { sessions[origin] ?? [] }

  /// Queues a transfer, or moves it if it is queued already.
  package mutating func enqueue(_ record: TransferRecord) {
    remove(record.id)
    let key = QueueKey(record)
    let place = Place(origin: record.spec.url.origin, session: record.spec.session)
    keys[record.id] = (place, key)
    lanes[place, default: QueueLane()].insert(key)
    sessions[place.origin, default: []].insert(place.session)
  }

  /// Removes a transfer from the queue; does nothing if it is not queued.
  package mutating func remove(_ id: TransferID) {
    guard let (place, key) = keys.removeValue(forKey: id) else { return }
    lanes[place]?.remove(key)
    guard lanes[place]?.isEmpty == true else { return }
    lanes[place] = nil
    sessions[place.origin]?.remove(place.session)
    if sessions[place.origin]?.isEmpty == true { sessions[place.origin] = nil }
  }

  /// The next transfer.
  package enum Next: Sendable, Hashable {
    /// It counts as running from now on.
    case start(TransferID)
    /// Only the store knows.
    case ask(Asked)
    /// None may run.
    case nobody
  }

  /// The part of the queue that must be read from the store.
  package enum Asked: Sendable, Hashable {
    case host(Origin)
    case others(than: Set<Origin>)
  }

  /// Finds the next transfer that may run.
  ///
  /// - Parameter admits: whether an origin may have another connection, for a session.
  package mutating func next(admits: (Place) -> Bool) -> Next {
    guard hasFreeSlot else { return .nobody }
    var best: (key: QueueKey, place: Place)?
    for (place, lane) in lanes {
      guard let front = lane.front, curtains.curtain(of: place.origin).shows(front) else {
        continue
      }
      if let best, best.key < front { continue }
      if admits(place) { best = (front, place) }
    }
    if let asked = askedBefore(best?.key, admits: admits) { return .ask(asked) }
    guard let best else { return .nobody }
    slots[best.key.id] = best.place
    remove(best.key.id)
    return .start(best.key.id)
  }

  /// The curtain that precedes the transfer that would start.
  private func askedBefore(_ best: QueueKey?, admits: (Place) -> Bool) -> Asked? {
    let limit = best.map(LineCurtains.Curtain.at) ?? .open
    let host = curtains.closedHosts.filter { origin, curtain in
      curtain < limit && admits(Place(origin: origin, session: .kettle))
    }.min { $0.curtain < $1.curtain }
    let elsewhere = curtains.curtainElsewhere
    if let host, host.curtain <= elsewhere { return .host(host.origin) }
    return elsewhere < limit ? .others(than: curtains.known) : nil
  }

  /// A host with running transfers whose queue in memory will soon reach its curtain.
  package func hostRunningShort(below count: Int) -> Origin? {
    Set(slots.values.map(\.origin)).first { origin in
      guard let curtain = curtains.closedCurtain(of: origin) else { return false }
      let known = sessionsWaiting(for: origin).reduce(0) { sum, session in
        let lane = lanes[Place(origin: origin, session: session)]
        return sum + (lane?.count(before: curtain) ?? 0)
      }
      return known < count
    }
  }

  /// Transfers that may be evicted: all but the first ones of each `QueueLane`, so that at most
  /// `countMax` stay. A few lanes share the whole allowance: kept transfers need not be read again.
  func spare(perLane: Int, countMax: Int) -> [QueueKey] {
    let share = max(perLane, countMax / max(lanes.count, 1))
    var kept: [QueueKey] = []
    var spare: [QueueKey] = []
    for lane in lanes.values {
      kept += lane.keys.prefix(share)
      spare += lane.keys.dropFirst(share)
    }
    if kept.count > countMax { spare += kept.sorted().dropFirst(countMax) }
    return spare
  }

  /// Removes a transfer from the queue that is only in the store from now on.
  mutating func hide(_ id: TransferID) {
    guard let (place, key) = keys[id] else { return }
    remove(id)
    curtains.hide(key, at: place.origin)
  }

  /// Hides a transfer that is only in the store and was never queued in memory.
  mutating func hide(_ record: TransferRecord) {
    if record.state == .queued { curtains.hide(QueueKey(record), at: record.spec.url.origin) }
  }

  /// Whether the queue in memory is complete up to the position of a transfer.
  func reaches(_ record: TransferRecord) -> Bool {
    curtains.curtain(of: record.spec.url.origin).shows(QueueKey(record))
  }

  /// Releases the slot of a transfer.
  package mutating func release(_ id: TransferID) { slots[id] = nil }

  package func isRunning(_ id: TransferID) -> Bool { slots[id] != nil }
  package func isQueued(_ id: TransferID) -> Bool { keys[id] != nil }
}

/// The position of a transfer in the queue. Smaller is sooner.
struct QueueKey: Sendable, Hashable, Comparable {
  var priority: TransferPriority
  var position: Int64
  var id: TransferID

  init(_ record: TransferRecord) {
    priority = record.spec.priority
    position = record.queuePosition
    id = record.id
  }

  static func < (left: QueueKey, right: QueueKey) -> Bool {
    if left.priority != right.priority { return left.priority > right.priority }
    if left.position != right.position { return left.position < right.position }
    return left.id < right.id
  }
}

/// The queued transfers of one place, sorted. The front is removed in constant time: removed keys
/// stay before `start` until they are half of the array.
struct QueueLane: Sendable {
  private var sorted: [QueueKey] = []
  private var start = 0

  var isEmpty: Bool { start == sorted.count }
  var front: QueueKey? { isEmpty ? nil : sorted[start] }
  var keys: ArraySlice<QueueKey> { sorted[start...] }

  /// How many keys are in front of a curtain.
  func count(before curtain: LineCurtains.Curtain) -> Int {
    switch curtain {
    case .front: 0
    case .at(let key): lowerBound(of: key) - start
    case .open: sorted.count - start
    }
  }

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
