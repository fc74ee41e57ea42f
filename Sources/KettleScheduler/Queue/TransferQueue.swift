import KettleModel

/// Decides which transfer is next: the highest priority first, then the smallest queue position,
/// and never more at once than the limits allow.
///
/// Each origin has an `OriginQueue` per session, so a busy host with a hundred thousand queued
/// transfers is skipped in one step and does not delay the others.
package struct TransferQueue: Sendable {
  package struct Limits: Sendable, Hashable {
    /// Concurrent transfers.
    package var runningMax = 20
    /// Concurrent connections to one scheme, host and port.
    package var connectionsPerHostMax = 24
    /// The same for a server of files, each of whose connections is a login: OpenSSH drops some of
    /// more than ten at once (MaxStartups of sshd_config(5)), and many FTP servers permit fewer.
    package var fileConnectionsPerHostMax = 8
    /// Concurrent connections in total.
    package var connectionsMax = 64
    package var division = DivisionPolicy()
    /// How many transfers may run beside the slots, as streams of connections that they share; 0
    /// keeps to HTTP/1.1.
    package var streamsMax = 0
    /// All transfers at once; nil for those with a slot and all streams.
    package var runningWithStreamsMax: Int?

    package init() {}

    func connectionsMax(at origin: Origin) -> Int {
      switch origin.scheme.family {
      case .http: connectionsPerHostMax
      case .ftp, .sftp: min(connectionsPerHostMax, fileConnectionsPerHostMax)
      }
    }
  }

  /// Limits apply to origins, and to sessions at origins.
  package struct OriginSession: Sendable, Hashable {
    package var origin: Origin
    package var session: SessionID

    package init(origin: Origin, session: SessionID) {
      self.origin = origin
      self.session = session
    }

    init(_ spec: TransferSpec) { self.init(origin: spec.url.origin, session: spec.session) }
  }

  package var limits: Limits
  /// None is empty.
  private var queues: [OriginSession: OriginQueue] = [:]
  /// Transfers with a slot, and the queue from which they came.
  private var slots: [TransferID: OriginSession] = [:]
  /// Those of them that run as streams beside the limit.
  private var beside: Set<TransferID> = []
  private var keys: [TransferID: (queue: OriginSession, key: QueueKey)] = [:]
  /// The sessions with queued transfers, by origin.
  private var sessions: [Origin: Set<SessionID>] = [:]
  /// How far the queues in memory are complete.
  var frontiers = QueueFrontiers()

  package init(limits: Limits = Limits()) { self.limits = limits }

  package var queuedCount: Int { keys.count }
  package var runningCount: Int { slots.count }
  /// Transfers with a slot, by id.
  package var running: [TransferID] { slots.keys.sorted() }
  package var hasFreeSlot: Bool { freeSlotCount > 0 }
  var freeSlotCount: Int { limits.runningMax - (slots.count - beside.count) }

  /// Whether a transfer has its slot beside the limit.
  func isBeside(_ id: TransferID) -> Bool { beside.contains(id) }

  /// The origins and sessions with queued transfers.
  package var waiting: [OriginSession] { Array(queues.keys) }

  /// The sessions with queued transfers for an origin.
  package func sessionsWaiting(for origin: Origin) -> Set<SessionID> { sessions[origin] ?? [] }

  /// How many transfers are queued for an origin.
  package func queuedCount(at origin: Origin) -> Int {
    sessionsWaiting(for: origin).reduce(0) { sum, session in
      sum + (queues[OriginSession(origin: origin, session: session)]?.keys.count ?? 0)
    }
  }

  /// How many transfers have a slot, by the queue from which they came.
  var slotCounts: [OriginSession: Int] {
    slots.values.reduce(into: [:]) { counts, queue in counts[queue, default: 0] += 1 }
  }

  /// The first transfer of each queue in memory.
  var fronts: [OriginSession: QueueKey] { queues.compactMapValues(\.front) }

  /// Queues a transfer, or moves it if it is queued already.
  package mutating func enqueue(_ record: TransferRecord) {
    remove(record.id)
    let key = QueueKey(record)
    let queue = OriginSession(record.spec)
    keys[record.id] = (queue, key)
    queues[queue, default: OriginQueue()].insert(key)
    sessions[queue.origin, default: []].insert(queue.session)
  }

  /// Removes a transfer from the queue; does nothing if it is not queued.
  package mutating func remove(_ id: TransferID) {
    guard let (queue, key) = keys.removeValue(forKey: id) else { return }
    queues[queue]?.remove(key)
    guard queues[queue]?.isEmpty == true else { return }
    queues[queue] = nil
    sessions[queue.origin]?.remove(queue.session)
    if sessions[queue.origin]?.isEmpty == true { sessions[queue.origin] = nil }
  }

  /// Releases the slot of a transfer.
  package mutating func release(_ id: TransferID) {
    slots[id] = nil
    beside.remove(id)
  }

  package func isQueued(_ id: TransferID) -> Bool { keys[id] != nil }

  // MARK: The next transfer

  package enum Next: Sendable, Hashable {
    /// The transfer counts as running from now on.
    case start(TransferID)
    /// Only the store knows which transfer is next.
    case read(Unloaded)
    /// None may run.
    case nothing
  }

  /// A part of the queue that must be read from the store.
  package enum Unloaded: Sendable, Hashable {
    case host(Origin)
    case others(than: Set<Origin>)
  }

  /// Finds the next transfer that may run.
  ///
  /// - Parameter admits: whether an origin may have another connection, for a session.
  package mutating func next(admits: (OriginSession) -> Bool) -> Next {
    guard hasFreeSlot else { return .nothing }
    var best: (key: QueueKey, queue: OriginSession)?
    for (queue, entries) in queues {
      guard let front = entries.front, frontiers.frontier(of: queue.origin).covers(front) else {
        continue
      }
      if let best, best.key < front { continue }
      if admits(queue) { best = (front, queue) }
    }
    if let unloaded = unloaded(before: best?.key, admits: admits) { return .read(unloaded) }
    guard let best else { return .nothing }
    slots[best.key.id] = best.queue
    remove(best.key.id)
    return .start(best.key.id)
  }

  /// Gives a queued transfer a slot, whatever its position. Returns whether there was one.
  mutating func take(_ id: TransferID) -> Bool {
    guard hasFreeSlot, let queue = keys[id]?.queue else { return false }
    slots[id] = queue
    remove(id)
    return true
  }

  /// The first queued transfer of an origin, if the queue in memory is complete up to it and it is
  /// suitable. None is passed over.
  func front(at origin: Origin, where isSuitable: (TransferID) -> Bool) -> TransferID? {
    let frontier = frontiers.frontier(of: origin)
    let fronts = sessionsWaiting(for: origin).compactMap { session in
      queues[OriginSession(origin: origin, session: session)]?.front
    }
    return fronts.filter { frontier.covers($0) && isSuitable($0.id) }.min()?.id
  }

  /// Gives a queued transfer a slot beside the limit. Returns whether there was one.
  mutating func takeBeside(_ id: TransferID) -> Bool {
    let most = limits.runningWithStreamsMax ?? .max
    guard beside.count < limits.streamsMax, slots.count < most, let queue = keys[id]?.queue else {
      return false
    }
    slots[id] = queue
    beside.insert(id)
    remove(id)
    return true
  }

  /// The frontier that precedes the transfer that would start.
  private func unloaded(before best: QueueKey?, admits: (OriginSession) -> Bool) -> Unloaded? {
    let limit = best.map(LoadedFrontier.upTo) ?? .complete
    let host = frontiers.incompleteHosts.filter { origin, frontier in
      frontier < limit && admits(OriginSession(origin: origin, session: .kettle))
    }.min { $0.frontier < $1.frontier }
    let elsewhere = frontiers.elsewhere
    if let host, host.frontier <= elsewhere { return .host(host.origin) }
    return elsewhere < limit ? .others(than: frontiers.knownHosts) : nil
  }

  /// A host with running transfers whose queue in memory will soon reach its frontier.
  package func hostRunningShort(below count: Int) -> Origin? {
    Set(slots.values.map(\.origin)).first { origin in
      guard let frontier = frontiers.incompleteFrontier(of: origin) else { return false }
      let known = sessionsWaiting(for: origin).reduce(0) { sum, session in
        let queue = queues[OriginSession(origin: origin, session: session)]
        return sum + (queue?.count(before: frontier) ?? 0)
      }
      return known < count
    }
  }

  // MARK: Eviction

  /// Transfers that may be evicted: all but the first ones of each `OriginQueue`, so that at most
  /// `countMax` stay. A few queues share the whole allowance: those that stay need not be read
  /// again.
  func spare(perOrigin: Int, countMax: Int) -> [QueueKey] {
    let share = max(perOrigin, countMax / max(queues.count, 1))
    var kept: [QueueKey] = []
    var spare: [QueueKey] = []
    for queue in queues.values {
      kept += queue.keys.prefix(share)
      spare += queue.keys.dropFirst(share)
    }
    if kept.count > countMax { spare += kept.sorted().dropFirst(countMax) }
    return spare
  }

  /// Removes a transfer from the queue that is only in the store from now on.
  mutating func evict(_ id: TransferID) {
    guard let (queue, key) = keys[id] else { return }
    remove(id)
    frontiers.recordEviction(of: key, at: queue.origin)
  }

  /// Records a transfer that is only in the store and was never queued in memory.
  mutating func recordEvicted(_ record: TransferRecord) {
    if record.state == .queued {
      frontiers.recordEviction(of: QueueKey(record), at: record.spec.url.origin)
    }
  }

  /// Whether the queue in memory is complete up to the position of a transfer.
  func covers(_ record: TransferRecord) -> Bool {
    frontiers.frontier(of: record.spec.url.origin).covers(QueueKey(record))
  }
}
