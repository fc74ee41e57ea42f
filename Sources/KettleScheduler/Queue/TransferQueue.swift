import KettleModel

/// Decides which transfer is next: the highest priority first, then the smallest queue position,
/// and never more at once than the limits and the user's queues allow.
///
/// Each origin has an `OriginQueue` per session and user's queue (`Lane`), so a busy host with a
/// hundred thousand queued transfers is skipped in one step and does not delay the others.
package struct TransferQueue: Sendable {
  package struct Limits: Sendable, Hashable {
    /// Concurrent transfers.
    package var runningMax = 20
    /// Concurrent connections to one scheme, host and port.
    package var connectionsPerHostMax = 24
    /// The same for a server of files, each of whose connections is a login: OpenSSH drops some of
    /// more than ten at once (MaxStartups of sshd_config(5)), and many FTP servers permit fewer.
    package var fileConnectionsPerHostMax = 8
    /// Concurrent connections to single hosts, in place of both.
    package var connectionsMaxOfHost = HostValues<Int>()
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
      if let own = connectionsMaxOfHost.value(for: origin.host) { return own }
      return switch origin.scheme.family {
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

  /// The transfers that wait in one line: of one session and one user's queue, at one origin.
  struct Lane: Sendable, Hashable {
    var group: OriginSession
    /// nil for tasks of programs.
    var queue: QueueName?

    init(_ spec: TransferSpec) {
      group = OriginSession(spec)
      queue = spec.queue
    }

    var origin: Origin { group.origin }
  }

  package var limits: Limits
  /// The user's queues.
  var named = NamedQueues()
  /// None is empty.
  private var lanes: [Lane: OriginQueue] = [:]
  /// Transfers with a slot, and the lane from which they came.
  private var slots: [TransferID: Lane] = [:]
  /// Those of them that run as streams beside the limit.
  private var beside: Set<TransferID> = []
  private var keys: [TransferID: (lane: Lane, key: QueueKey)] = [:]
  /// The lanes of each origin.
  private var lanesOfOrigin: [Origin: Set<Lane>] = [:]
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

  /// The origins and sessions with queued transfers that their queues permit to start.
  package var waiting: Set<OriginSession> {
    let counts = runningCounts
    return Set(lanes.keys.filter { named.admits($0.queue, counts) }.map(\.group))
  }

  /// The sessions with queued transfers for an origin that their queues permit to start.
  package func sessionsWaiting(for origin: Origin) -> Set<SessionID> {
    // Counting the running transfers is slow, and usually nothing is queued for the origin.
    guard let lanes = lanesOfOrigin[origin], !lanes.isEmpty else { return [] }
    let counts = runningCounts
    return Set(lanes.filter { named.admits($0.queue, counts) }.map(\.group.session))
  }

  /// How many transfers are queued for an origin.
  package func queuedCount(at origin: Origin) -> Int {
    (lanesOfOrigin[origin] ?? []).reduce(0) { sum, lane in sum + (lanes[lane]?.keys.count ?? 0) }
  }

  /// The origins with queued transfers, whether they may start or not.
  var origins: Set<Origin> { Set(lanesOfOrigin.keys) }

  /// How many transfers have a slot, by origin and session.
  var slotCounts: [OriginSession: Int] {
    slots.values.reduce(into: [:]) { counts, lane in counts[lane.group, default: 0] += 1 }
  }

  /// The highest priority that waits at each origin, of those that their queues permit to start.
  var highestPriorities: [Origin: TransferPriority] {
    let counts = runningCounts
    return lanes.reduce(into: [:]) { highest, lane in
      guard let front = lane.value.front, named.admits(lane.key.queue, counts) else { return }
      highest[lane.key.origin] = max(highest[lane.key.origin] ?? front.priority, front.priority)
    }
  }

  // MARK: The user's queues

  /// How many transfers of each of the user's queues have a slot.
  var runningCounts: [QueueName: Int] {
    slots.values.reduce(into: [:]) { counts, lane in
      if let name = lane.queue { counts[name, default: 0] += 1 }
    }
  }

  /// Transfers with a slot that their queue does not permit any more, by id.
  var runningInClosedQueues: [TransferID] {
    if named.areAllOpen { return [] }
    return slots.filter { !named.isOpen($0.value.queue) }.keys.sorted()
  }

  /// A transfer with a slot moves to another of the user's queues.
  mutating func moveSlot(of id: TransferID, to name: QueueName?) { slots[id]?.queue = name }

  /// Whether a transfer is queued and its queue permits it to start.
  func mayStart(_ id: TransferID) -> Bool {
    keys[id].map { named.admits($0.lane.queue, runningCounts) } ?? false
  }

  /// The user's queues that reads of the store leave out, because none of their transfers may
  /// start.
  var queuesToLeaveOut: Set<QueueName> {
    let counts = runningCounts
    return frontiers.leftOut.union(named.settings.keys.filter { !named.admits($0, counts) })
  }

  /// Forgets the frontiers if a queue that reads have left out may start transfers that only the
  /// store has.
  private mutating func reopenFrontiers(admits: (OriginSession) -> Bool) {
    guard !frontiers.leftOut.isEmpty else { return }
    let counts = runningCounts
    let isMissing = frontiers.leftOut.contains { name in
      named.admits(name, counts)
        && !lanes.contains { lane, entries in
          lane.queue == name && admits(lane.group)
            && entries.front.map { covers($0, in: lane) } ?? false
        }
    }
    if isMissing { frontiers.reset() }
  }

  private func covers(_ key: QueueKey, in lane: Lane) -> Bool {
    frontiers.frontier(of: lane.origin, in: lane.queue).covers(key)
  }

  // MARK: Changes

  /// Queues a transfer, or moves it if it is queued already.
  package mutating func enqueue(_ record: TransferRecord) {
    remove(record.id)
    let key = QueueKey(record)
    let lane = Lane(record.spec)
    keys[record.id] = (lane, key)
    lanes[lane, default: OriginQueue()].insert(key)
    lanesOfOrigin[lane.origin, default: []].insert(lane)
  }

  /// Removes a transfer from the queue; does nothing if it is not queued.
  package mutating func remove(_ id: TransferID) {
    guard let (lane, key) = keys.removeValue(forKey: id) else { return }
    lanes[lane]?.remove(key)
    guard lanes[lane]?.isEmpty == true else { return }
    lanes[lane] = nil
    lanesOfOrigin[lane.origin]?.remove(lane)
    if lanesOfOrigin[lane.origin]?.isEmpty == true { lanesOfOrigin[lane.origin] = nil }
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
    let best = front(admits: admits)
    if let unloaded = unloaded(before: best?.key, admits: admits) { return .read(unloaded) }
    guard let best else { return .nothing }
    slots[best.key.id] = best.lane
    remove(best.key.id)
    return .start(best.key.id)
  }

  /// Returns what must be read before it is known which transfer is next; nil if that is known.
  mutating func unloadedFront(admits: (OriginSession) -> Bool) -> Unloaded? {
    guard hasFreeSlot else { return nil }
    return unloaded(before: front(admits: admits)?.key, admits: admits)
  }

  /// The first transfer in memory that may run.
  private mutating func front(
    admits: (OriginSession) -> Bool
  ) -> (key: QueueKey, lane: Lane)? {
    reopenFrontiers(admits: admits)
    let counts = runningCounts
    var best: (key: QueueKey, lane: Lane)?
    for (lane, entries) in lanes {
      guard let front = entries.front, covers(front, in: lane) else { continue }
      if let best, best.key < front { continue }
      if named.admits(lane.queue, counts), admits(lane.group) { best = (front, lane) }
    }
    return best
  }

  /// Gives a queued transfer a slot, whatever its position. Returns whether there was one.
  mutating func take(_ id: TransferID) -> Bool {
    guard hasFreeSlot, mayStart(id), let lane = keys[id]?.lane else { return false }
    slots[id] = lane
    remove(id)
    return true
  }

  /// The first queued transfer of an origin, if the queue in memory is complete up to it and it is
  /// suitable. None is passed over.
  func front(at origin: Origin, where isSuitable: (TransferID) -> Bool) -> TransferID? {
    let counts = runningCounts
    let fronts = (lanesOfOrigin[origin] ?? []).compactMap { lane -> QueueKey? in
      guard named.admits(lane.queue, counts), let front = lanes[lane]?.front,
        covers(front, in: lane)
      else {
        return nil
      }
      return front
    }
    return fronts.filter { isSuitable($0.id) }.min()?.id
  }

  /// Gives a queued transfer a slot beside the limit. Returns whether there was one.
  mutating func takeBeside(_ id: TransferID) -> Bool {
    let most = limits.runningWithStreamsMax ?? .max
    guard beside.count < limits.streamsMax, slots.count < most, let lane = keys[id]?.lane else {
      return false
    }
    slots[id] = lane
    beside.insert(id)
    remove(id)
    return true
  }

  /// The frontier that precedes the transfer that would start.
  private func unloaded(before best: QueueKey?, admits: (OriginSession) -> Bool) -> Unloaded? {
    // The store has no tasks of programs.
    guard named.unmetCondition == nil else { return nil }
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
    let counts = runningCounts
    return Set(slots.values.map(\.origin)).first { origin in
      guard let frontier = frontiers.incompleteFrontier(of: origin) else { return false }
      let known = (lanesOfOrigin[origin] ?? []).reduce(0) { sum, lane in
        guard named.admits(lane.queue, counts) else { return sum }
        return sum + (lanes[lane]?.count(before: frontier) ?? 0)
      }
      return known < count
    }
  }

  // MARK: Eviction

  /// Transfers that may be evicted: all but the first ones of each `OriginQueue`, so that at most
  /// `countMax` stay. A few queues share the whole allowance: those that stay need not be read
  /// again.
  func spare(perOrigin: Int, countMax: Int) -> [QueueKey] {
    let share = max(perOrigin, countMax / max(lanes.count, 1))
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
  mutating func evict(_ id: TransferID) {
    guard let (lane, key) = keys[id] else { return }
    remove(id)
    frontiers.recordEviction(of: key, at: lane.origin, in: lane.queue)
  }

  /// Records a transfer that is only in the store and was never queued in memory.
  mutating func recordEvicted(_ record: TransferRecord) {
    if record.state == .queued {
      frontiers.recordEviction(
        of: QueueKey(record), at: record.spec.url.origin, in: record.spec.queue)
    }
  }

  /// Whether the queue in memory is complete up to the position of a transfer.
  func covers(_ record: TransferRecord) -> Bool {
    covers(QueueKey(record), in: Lane(record.spec))
  }
}
