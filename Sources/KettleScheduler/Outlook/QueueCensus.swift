import KettleModel

/// What queued transfers wait for at one moment: who uses the slots and the connections.
package struct QueueCensus: Sendable {
  private let now: Moment
  private let limits: TransferQueue.Limits
  private let hosts: HostTable
  private let rules: SessionRules
  private let runningCount: Int
  /// Transfers with a slot.
  private let runningAtHost: [Origin: Int]
  private let runningInGroup: [TransferQueue.OriginSession: Int]
  private let named: NamedQueues
  private let unreadConfiguration: String?
  private let runningInQueue: [QueueName: Int]
  /// The highest priority in the queue of each host, and of all that could use a slot.
  private let highestAtHost: [Origin: TransferPriority]
  private let highest: TransferPriority?

  init(_ scheduler: TransferScheduler, at now: Moment) {
    self.now = now
    limits = scheduler.queue.limits
    hosts = scheduler.hosts
    rules = scheduler.rules
    runningCount = scheduler.queue.runningCount
    runningInGroup = scheduler.queue.slotCounts
    runningAtHost = runningInGroup.reduce(into: [:]) { $0[$1.key.origin, default: 0] += $1.value }
    named = scheduler.queue.named
    unreadConfiguration = scheduler.environment.unreadConfiguration
    runningInQueue = scheduler.queue.runningCounts
    highestAtHost = scheduler.queue.highestPriorities
    let (limits, hosts, runningAtHost) = (limits, hosts, runningAtHost)
    // A transfer whose host is full or closed takes no slot from the others.
    highest = highestAtHost.filter { origin, _ in
      let learned = hosts.connectionsMax(at: origin, now.monotonic) ?? .max
      return !hosts.isClosed(origin, at: now.monotonic)
        && runningAtHost[origin, default: 0] < min(limits.connectionsMax(at: origin), learned)
    }.values.max()
  }

  /// A queued transfer, in memory or only in the store.
  package struct Place: Sendable, Hashable {
    package var origin: Origin
    package var session: SessionID
    /// The user's queue; nil for a task.
    package var queue: QueueName?
    package var priority: TransferPriority
    /// Connections that the transfer may have by itself.
    package var connections: Int?

    package init(
      origin: Origin, session: SessionID, queue: QueueName? = nil, priority: TransferPriority,
      connections: Int? = nil
    ) {
      self.origin = origin
      self.session = session
      self.queue = queue
      self.priority = priority
      self.connections = connections
    }
  }

  /// Returns what the transfer waits for. Its rank and an estimated end are added by the caller.
  package func heldBack(_ place: Place) -> HeldBack {
    if let path = unreadConfiguration { return HeldBack(.configuration, subject: path) }
    if let closing = place.queue.flatMap(closing) { return closing }
    if let opening = hosts.closedUntil(place.origin, at: now.monotonic) {
      let milliseconds = opening.milliseconds(since: now.monotonic)
      return HeldBack(
        .retryAfter, subject: place.origin.host,
        until: now.wall.advanced(byMilliseconds: milliseconds))
    }
    let group = TransferQueue.OriginSession(origin: place.origin, session: place.session)
    if let limit = rules.connectionLimit(of: group, at: now.monotonic),
      runningInGroup[group, default: 0] >= limit
    {
      return limited(.sessionLimit, place, used: runningInGroup[group, default: 0], of: limit)
    }
    if let name = place.queue, let limit = named.transfersMax(of: name),
      runningInQueue[name, default: 0] >= limit
    {
      var heldBack = HeldBack(.queueLimit, subject: name.text)
      (heldBack.used, heldBack.allowed) = (runningInQueue[name, default: 0], limit)
      return heldBack
    }
    let allowed = hostLimit(for: place)
    let atHost = runningAtHost[place.origin, default: 0]
    if atHost >= allowed {
      let used = max(atHost, hosts.connectionCount(at: place.origin))
      return withRefusal(limited(.hostLimit, place, used: used, of: allowed), at: place)
    }
    if runningCount >= limits.runningMax {
      return limited(.slot, place, used: runningCount, of: limits.runningMax)
    }
    if runningCount >= limits.connectionsMax {
      let used = max(runningCount, hosts.connectionCount)
      return limited(.connectionLimit, place, used: used, of: limits.connectionsMax)
    }
    return HeldBack(.turn)
  }

  /// Why no transfer of one of the user's queues may run now; nil if they may.
  private func closing(of name: QueueName) -> HeldBack? {
    switch named.unmetCondition {
    case .mainsPower: return HeldBack(.battery)
    case .unmeteredNetwork: return HeldBack(.metered)
    case nil: break
    }
    let standing = named.standing(of: name)
    if standing.isOpen { return nil }
    return HeldBack(.queueHours, subject: name.text, until: standing.until)
  }

  /// Adds the refusal by which the host showed its limit, and when the limit rises.
  private func withRefusal(_ heldBack: HeldBack, at place: Place) -> HeldBack {
    guard heldBack.cause == .hostLimit,
      let limit = hosts.limit(at: place.origin, now.monotonic),
      heldBack.allowed == limit.connectionsMax(at: now.monotonic)
    else { return heldBack }
    var heldBack = heldBack
    heldBack.status = limit.status
    heldBack.limitedSince = limit.since
    heldBack.until = hosts.nextRise(at: place.origin, now.monotonic).map {
      now.wall.advanced(byMilliseconds: $0.milliseconds(since: now.monotonic))
    }
    return heldBack
  }

  /// How many transfers may have a connection to the host.
  private func hostLimit(for place: Place) -> Int {
    let group = TransferQueue.OriginSession(origin: place.origin, session: place.session)
    let session = rules.connectionLimit(of: group, at: now.monotonic) ?? 0
    let allowed = max(limits.connectionsMax(at: place.origin), session, place.connections ?? 0)
    return min(allowed, hosts.connectionsMax(at: place.origin, now.monotonic) ?? .max)
  }

  private func limited(
    _ cause: HeldBack.Cause, _ place: Place, used: Int, of allowed: Int
  ) -> HeldBack {
    let isOfHost = cause == .hostLimit || cause == .sessionLimit
    let best = isOfHost ? highestAtHost[place.origin] : highest
    let isOvertaken = best.map { $0 > place.priority } ?? false
    var heldBack = HeldBack(
      isOvertaken ? .priority : cause, subject: isOfHost ? place.origin.host : nil)
    heldBack.used = used
    heldBack.allowed = allowed
    return heldBack
  }
}

extension TransferScheduler {
  /// What queued transfers wait for now.
  package func census(at now: Moment) -> QueueCensus { QueueCensus(self, at: now) }
}

extension TransferScheduler {
  /// Returns the place in the queue of a transfer in memory.
  ///
  /// - Parameter count: the queued transfers before it in the store, which counts running ones as
  ///   queued and does not count tasks.
  package func rank(of id: TransferID, storedBefore count: Int) -> Int {
    guard let record = machines[id]?.record else { return count + 1 }
    let key = QueueKey(record)
    let tasks = machines.values.count {
      $0.isTask && $0.visibleState == .queued && QueueKey($0.record) < key
    }
    let others = machines.values.count {
      $0.durableRecord.state == .queued && $0.visibleState != .queued && !$0.isTask
        && QueueKey($0.record) < key
    }
    return max(1, count + tasks - others + 1)
  }
}

/// The queued transfers that only the store has, in the order of the queue, as far as an estimate
/// needs them.
///
/// It is made once for each reading of the store and used for many outlooks. The transfers of one
/// host, session and user's queue share a group, so that an outlook neither compares nor hashes the
/// names of each transfer again.
package struct StoredQueue: Sendable {
  /// What makes transfers interchangeable, apart from their sizes.
  struct Group: Hashable, Sendable {
    var origin: Origin
    var session: SessionID
    /// The user's queue; nil for a task.
    var queue: QueueName?

    init(_ entry: QueueEntry) {
      origin = entry.origin
      session = entry.session
      queue = entry.queue
    }
  }

  struct Item: Sendable {
    var key: QueueKey
    /// An index of `groups`.
    var group: Int
    var bytesReceived: Int64
    /// nil if unknown.
    var bytesExpected: Int64?
    var bytesPerSecondMax: Int64?
  }

  private(set) var items: [Item] = []
  private(set) var groups: [Group] = []

  package var count: Int { items.count }

  /// The number of transfers of each host.
  package func counts(where isCounted: (TransferID) -> Bool) -> [Origin: Int] {
    var counts = Array(repeating: 0, count: groups.count)
    for item in items where isCounted(item.key.id) { counts[item.group] += 1 }
    return zip(groups, counts).reduce(into: [:]) { sums, one in
      if one.1 > 0 { sums[one.0.origin, default: 0] += one.1 }
    }
  }

  /// - Parameter entries: in the order of the queue.
  package init(_ entries: [QueueEntry]) {
    items.reserveCapacity(entries.count)
    var numbers: [Group: Int] = [:]
    var last: (group: Group, number: Int)?
    for entry in entries {
      let group = Group(entry)
      let number: Int
      if let last, last.group == group {
        number = last.number
      } else if let known = numbers[group] {
        number = known
      } else {
        number = groups.count
        numbers[group] = number
        groups.append(group)
      }
      last = (group, number)
      items.append(
        Item(
          key: entry.key, group: number, bytesReceived: entry.bytesReceived,
          bytesExpected: entry.bytesExpected, bytesPerSecondMax: entry.bytesPerSecondMax))
    }
  }
}
