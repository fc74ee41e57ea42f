import KettleModel

/// Decides which transfer may open a connection next. A queued transfer has precedence over an
/// additional connection of a running one, and takes one from it when a host is full.
///
/// Two limits apply per host: the common one, and one for all transfers of a session that sets its
/// own (`SessionPolicy`). If the session's is larger, only that session may exceed the common
/// limit.
extension TransferScheduler {
  typealias OriginSession = TransferQueue.OriginSession

  /// Called after every event that may have freed a connection.
  mutating func fillSlots(_ output: inout SchedulerOutput, at now: Moment) {
    guard phase == .working else { return }
    suspendClosed(&output)
    beginProbes(&output, at: now)
    startProbes(&output, at: now)
    startStreams(&output, at: now)
    startQueued(&output, at: now)
    if queue.queuedCount > 0, queue.hasFreeSlot { makeRoom(&output, at: now) }
    for id in queue.running { addConnections(to: id, &output, at: now) }
    readAhead(&output)
  }

  // MARK: Queued transfers

  private mutating func startQueued(_ output: inout SchedulerOutput, at now: Moment) {
    while let id = nextToStart(&output, at: now) {
      start(id, as: streamUseWithSlot(id), &output, at: now)
    }
  }

  /// Starts the transfers that are to probe, before all others.
  private mutating func startProbes(_ output: inout SchedulerOutput, at now: Moment) {
    for (peer, id) in outages.probers where queue.isQueued(id) {
      guard let candidate = machines[id].map({ OriginSession($0.spec) }),
        let admits = admission(at: now), admits(candidate),
        startGate.permitsStart(at: candidate.origin, probing: peer), queue.take(id)
      else { continue }
      start(id, &output, at: now)
    }
  }

  mutating func start(
    _ id: TransferID, as streamUse: StreamUse = .none, _ output: inout SchedulerOutput,
    at now: Moment
  ) {
    let remembered = remembered
    if machines[id]?.facts.remembered != remembered {
      update(id, into: &output) { $0.adopt(remembered) }
    }
    if holdBackRejectedLogin(of: id, &output) { return queue.release(id) }
    let fresh = ids.next()
    let transition = update(id, into: &output) { $0.slotGiven(fresh, as: streamUse, at: now) }
    if transition?.actions.isEmpty ?? true { queue.release(id) } else { recordStart(of: id) }
  }

  private mutating func nextToStart(
    _ output: inout SchedulerOutput, at now: Moment
  ) -> TransferID? {
    guard let admits = admission(at: now) else { return nil }
    let gate = startGate
    switch queue.next(admits: { admits($0) && gate.permitsStart(at: $0.origin) }) {
    case .start(let id): return id
    case .read(let unloaded):
      read(unloaded, &output)
      return nil
    case .nothing: return nil
    }
  }

  /// Whether an origin may get another connection, for a session; nil when none may.
  private func admission(at now: Moment) -> ((OriginSession) -> Bool)? {
    let (hosts, limits, rules) = (hosts, queue.limits, rules)
    guard queue.hasFreeSlot else { return nil }
    let reserved = reservedConnections()
    guard hosts.connectionCount + reserved.count < limits.connectionsMax else { return nil }
    let counts = connectionCounts(reserved)
    return { candidate in
      let limit = rules.connectionLimit(of: candidate.session)
      if let limit, counts[candidate, default: 0] >= limit { return false }
      let reservedCount = reserved.count { $0.origin == candidate.origin }
      let allowed = max(limits.connectionsMax(at: candidate.origin), limit ?? 0)
      return hosts.admits(
        candidate.origin, allowed: allowed - reservedCount, at: now.monotonic)
    }
  }

  /// The connections of transfers that have a slot but, between two attempts, no connection. They
  /// stay reserved.
  func reservedConnections(besides other: TransferID? = nil) -> [OriginSession] {
    queue.running.compactMap { id in
      guard id != other, !queue.isBeside(id), let machine = machines[id],
        !machine.state.hasAttempts, !machine.state.isFetched
      else { return nil }
      return OriginSession(machine.spec)
    }
  }

  /// Counts the connections of each session at each host, including reserved ones. Empty when no
  /// session has a limit of its own, because only such limits need the counts.
  func connectionCounts(_ reserved: [OriginSession]) -> [OriginSession: Int] {
    var counts: [OriginSession: Int] = [:]
    if rules.hasNoConnectionLimit { return counts }
    for one in reserved { counts[one, default: 0] += 1 }
    var streams: Set<OriginSession> = []
    for (attempt, id) in owners {
      guard let origin = hosts.origin(of: attempt), let session = machines[id]?.spec.session else {
        continue
      }
      let one = OriginSession(origin: origin, session: session)
      // They share a connection.
      if hosts.isStream(attempt), !streams.insert(one).inserted { continue }
      counts[one, default: 0] += 1
    }
    return counts
  }

  /// Whether a session has reached its own connection limit at a host.
  private func isFull(_ one: OriginSession, _ counts: [OriginSession: Int]) -> Bool {
    guard let limit = rules.connectionLimit(of: one.session) else { return false }
    return counts[one, default: 0] >= limit
  }

  /// Closes an additional connection of a running transfer when others wait for its host.
  private mutating func makeRoom(_ output: inout SchedulerOutput, at now: Moment) {
    // No transfer has more than one connection.
    guard Set(owners.values).count < owners.count else { return }
    let reserved = reservedConnections()
    let counts = connectionCounts(reserved)
    let isFull = hosts.connectionCount + reserved.count >= queue.limits.connectionsMax
    for waiting in queue.waiting
    where !hosts.isClosed(waiting.origin, at: now.monotonic)
      && startGate.permitsStart(at: waiting.origin)
    {
      let isSessionFull = self.isFull(waiting, counts)
      let allowed = max(
        queue.limits.connectionsMax(at: waiting.origin),
        rules.connectionLimit(of: waiting.session) ?? 0)
      let isHostFull = !hosts.admits(waiting.origin, allowed: allowed, at: now.monotonic)
      guard isSessionFull || isHostFull || isFull, !isClosing(at: waiting.origin) else { continue }
      // If the session's own limit is the obstacle, only the session itself can make room.
      let candidates = queue.running.filter {
        !isSessionFull || machines[$0]?.spec.session == waiting.session
      }
      let richest = candidates.max { connectionCount(of: $0) < connectionCount(of: $1) }
      guard let id = richest, connectionCount(of: id) > 1 else { continue }
      update(id, into: &output) { $0.shedConnection(at: waiting.origin) }
    }
  }

  private func connectionCount(of id: TransferID) -> Int {
    machines[id]?.download?.activeCount ?? 0
  }

  /// Connections are taken one at a time: one that is closing frees its place soon.
  private func isClosing(at origin: Origin) -> Bool {
    queue.running.contains { id in
      machines[id]?.download?.connections.contains {
        $0.phase == .closing && $0.url.origin == origin
      } ?? false
    }
  }

  // MARK: Additional connections

  /// Opens additional connections for a transfer while they help and the limits allow it.
  mutating func addConnections(
    to id: TransferID, _ output: inout SchedulerOutput, at now: Moment
  ) {
    guard phase == .working else { return }
    let policy = queue.limits.division
    while let sources = machines[id]?.wantedSources(policy, at: now.monotonic),
      let best = sources.first
    {
      guard let (source, count) = permitted(sources, for: id, now) else {
        return takeBack(at: best.url.origin, for: id, &output, at: now)
      }
      let attempt = ids.nextAttempt()
      let transition = update(id, into: &output) {
        $0.beginConnection(attempt, to: source.id, newcomerCount: count, policy, at: now)
      }
      if transition?.actions.isEmpty ?? true { return }
    }
  }

  /// The first source whose host admits another connection, and how many it admits.
  private func permitted(
    _ sources: [ActiveDownload.WantedSource], for id: TransferID, _ now: Moment
  ) -> (source: ActiveDownload.WantedSource, count: Int)? {
    for source in sources {
      let count = permittedCount(of: id, at: source.url.origin, now)
      if count > 0 { return (source, count) }
    }
    return nil
  }

  /// How many more connections a transfer may open to a host.
  private func permittedCount(of id: TransferID, at origin: Origin, _ now: Moment) -> Int {
    guard let machine = machines[id], let download = machine.download else { return 0 }
    let limits = queue.limits
    let spec = machine.spec
    let reserved = reservedConnections(besides: id)
    let counts = connectionCounts(reserved)
    // Queued transfers for this host have precedence, but not over the only connection of another.
    if !download.connections.isEmpty, queue.hasFreeSlot,
      startGate.permitsStart(at: origin), isAwaited(origin, for: spec.session, counts)
    {
      return 0
    }
    let limit = rules.connectionLimit(of: spec.session)
    let own: Int
    let allowed: Int
    switch spec.connectionDemand {
    case .exactly(let count):
      own = count
      // The user's number is for this transfer alone, whatever others have at its host.
      allowed =
        spec.task == nil ? .max : max(limits.connectionsMax(at: origin), count, limit ?? 0)
    case .adaptive:
      own = limits.division.connectionsMax
      allowed = max(limits.connectionsMax(at: origin), limit ?? 0)
    }
    let reservedCount = reserved.count { $0.origin == origin }
    let used = counts[OriginSession(origin: origin, session: spec.session), default: 0]
    return min(
      download.permittedCount(of: own, at: now.monotonic),
      limit.map { $0 - used } ?? .max,
      limits.connectionsMax - hosts.connectionCount - reserved.count,
      hosts.freeCount(at: origin, allowed: allowed - reservedCount, at: now.monotonic))
  }

  /// Closes a connection of another transfer that has more than its share of a full host.
  private mutating func takeBack(
    at origin: Origin, for id: TransferID, _ output: inout SchedulerOutput, at now: Moment
  ) {
    let sharing = queue.running.filter { sharesHost($0, at: origin) }
    guard sharing.count > 1, sharing.contains(id), !isClosing(at: origin) else { return }
    let limit = min(
      queue.limits.connectionsMax(at: origin),
      hosts.connectionsMax(at: origin, now.monotonic) ?? .max)
    let share = max(1, limit / sharing.count)
    guard connectionCount(of: id) < share, hosts.connectionCount(at: origin) >= limit else {
      return
    }
    let richest = sharing.max { connectionCount(of: $0) < connectionCount(of: $1) }
    guard let richest, connectionCount(of: richest) > share else { return }
    update(richest, into: &output) { $0.shedConnection(at: origin) }
  }

  /// Whether a running transfer takes its connections from the common limit of a host.
  private func sharesHost(_ id: TransferID, at origin: Origin) -> Bool {
    guard let machine = machines[id], machine.spec.url.origin == origin else { return false }
    switch machine.spec.connectionDemand {
    case .exactly: return false
    case .adaptive: return machine.download != nil
    }
  }

  /// Whether a queued transfer could use the connection: one of the same session, or of another
  /// session that has not reached its own limit.
  private func isAwaited(
    _ origin: Origin, for session: SessionID, _ counts: [OriginSession: Int]
  ) -> Bool {
    queue.sessionsWaiting(for: origin).contains { waiting in
      waiting == session
        || !isFull(OriginSession(origin: origin, session: waiting), counts)
    }
  }
}

extension SessionPolicy {
  /// At least one, or the session would never make progress.
  var connectionLimit: Int? { connectionsPerHostMax.map { max($0, 1) } }
}
