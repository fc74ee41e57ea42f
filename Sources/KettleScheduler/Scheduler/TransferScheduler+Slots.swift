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
    if environment.unreadConfiguration != nil { return suspendAll(&output) }
    suspendClosed(&output)
    beginProbes(&output, at: now)
    startProbes(&output, at: now)
    startStreams(&output, at: now)
    startComplete(&output, at: now)
    startQueued(&output, at: now)
    readWaiting(&output, at: now)
    if queue.queuedCount > 0, queue.hasFreeSlot { makeRoom(&output, at: now) }
    // Gathered when the first transfer wants a connection, and again after one was closed.
    var running: RunningConnections?
    for id in queue.running { addConnections(to: id, beside: &running, &output, at: now) }
    readAhead(&output)
  }

  /// Whether others have taken the place of a transfer that is about to request its file again:
  /// while it returned to its host from another one, or while the end of its body was written.
  ///
  /// - Parameter result: of closing the body. What is wrong with it may lead to a request, too.
  func hasLostPlace(
    _ id: TransferID, after result: Result<ClosedBody?, TransferFailure>, at now: Moment
  ) -> Bool {
    guard let machine = machines[id] else { return false }
    let request = machine.followingRequest
    let isWrong = (try? result.get())?.map { !$0.wrong.isEmpty } ?? true
    guard request != nil || machine.state.isFetched && isWrong else { return false }
    let others = RunningConnections(self)
    if hosts.connectionCount + others.reservedCount(besides: id) >= queue.limits.connectionsMax {
      return true
    }
    let origin = machine.spec.url.origin
    guard request?.url.origin ?? origin == origin else { return false }
    if rules.isClosed(OriginSession(machine.spec), at: now.monotonic) { return true }
    return hosts.connectionCount(at: origin) + others.reservedCount(at: origin, besides: id)
      >= allowedConnections(at: origin, for: machine.spec, now)
  }

  // MARK: Queued transfers

  private mutating func startQueued(_ output: inout SchedulerOutput, at now: Moment) {
    while let id = nextToStart(&output, at: now) {
      start(id, as: streamUseWithSlot(id, at: now), &output, at: now)
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
    let closed = hosts.closed
    let transition = update(id, into: &output) {
      $0.slotGiven(fresh, as: streamUse, closed: closed, at: now)
    }
    if transition?.actions.isEmpty ?? true { queue.release(id) } else { recordStart(of: id) }
  }

  /// Starts the transfers whose complete files wait for an object store: they need nothing of the
  /// host that had the file, which may be closed or full.
  private mutating func startComplete(_ output: inout SchedulerOutput, at now: Moment) {
    for id in toBeStored.sorted() where queue.take(id) { start(id, &output, at: now) }
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

  /// Reads what waits in the store although every connection is taken: others give one up only for
  /// a transfer in memory.
  private mutating func readWaiting(_ output: inout SchedulerOutput, at now: Moment) {
    guard evicted.queuedCount > 0, evicted.pendingRead == nil, admission(at: now) == nil else {
      return
    }
    let gate = startGate
    if let unloaded = queue.unloadedFront(admits: { gate.permitsStart(at: $0.origin) }) {
      read(unloaded, &output)
    }
  }

  /// Whether an origin may get another connection, for a session; nil when none may.
  private func admission(at now: Moment) -> ((OriginSession) -> Bool)? {
    let (hosts, limits, rules) = (hosts, queue.limits, rules)
    guard queue.hasFreeSlot else { return nil }
    let reserved = reservedConnections()
    guard hosts.connectionCount + reserved.countInAll < limits.connectionsMax else { return nil }
    let counts = connectionCounts(reserved: reserved.places)
    let reservedCounts = reserved.places.reduce(into: [:]) { $0[$1.origin, default: 0] += 1 }
    return { candidate in
      let limit = rules.connectionLimit(of: candidate, at: now.monotonic)
      if let limit, counts[candidate, default: 0] >= limit { return false }
      let reservedCount = reservedCounts[candidate.origin, default: 0]
      let allowed = max(limits.connectionsMax(at: candidate.origin), limit ?? 0)
      return hosts.admits(
        candidate.origin, allowed: allowed - reservedCount, at: now.monotonic)
    }
  }

  /// The reserved connections of transfers that have a slot (`hasReservedConnection`).
  ///
  /// - Returns: also how many they are in addition to the open connections of these transfers.
  func reservedConnections() -> (places: [OriginSession], countInAll: Int) {
    var reserved: (places: [OriginSession], countInAll: Int) = ([], 0)
    for id in queue.running {
      guard !queue.isBeside(id), let machine = machines[id], hasReservedConnection(machine) else {
        continue
      }
      reserved.places.append(OriginSession(machine.spec))
      if !machine.state.hasAttempts { reserved.countInAll += 1 }
    }
    return reserved
  }

  /// Counts the connections of each session at each host, including reserved ones. Empty when no
  /// session has a limit of its own, because only such limits need the counts.
  func connectionCounts(reserved: some Sequence<OriginSession>) -> [OriginSession: Int] {
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
  private func isFull(
    _ one: OriginSession, _ counts: [OriginSession: Int], at now: Moment
  ) -> Bool {
    guard let limit = rules.connectionLimit(of: one, at: now.monotonic) else { return false }
    return counts[one, default: 0] >= limit
  }

  /// Closes an additional connection of a running transfer when others wait for its host, or for
  /// any connection.
  private mutating func makeRoom(_ output: inout SchedulerOutput, at now: Moment) {
    let rich = queue.running.filter { spareCount(of: $0, at: nil) > 0 }
    if rich.isEmpty { return }
    let reserved = reservedConnections()
    let counts = connectionCounts(reserved: reserved.places)
    var running = RunningConnections(self)
    let isFull = hosts.connectionCount + reserved.countInAll >= queue.limits.connectionsMax
    for waiting in queue.waiting
    where !hosts.isClosed(waiting.origin, at: now.monotonic)
      && !rules.isClosed(waiting, at: now.monotonic)
      && startGate.permitsStart(at: waiting.origin)
    {
      let isSessionFull = self.isFull(waiting, counts, at: now)
      let allowed = max(
        queue.limits.connectionsMax(at: waiting.origin),
        rules.connectionLimit(of: waiting, at: now.monotonic) ?? 0)
      let isHostFull = !hosts.admits(waiting.origin, allowed: allowed, at: now.monotonic)
      // If only the limit of all connections is the obstacle, any host can make room.
      let place = isSessionFull || isHostFull ? waiting.origin : nil
      guard isSessionFull || isHostFull || isFull, !running.isClosing(at: place) else { continue }
      // If the session's own limit is the obstacle, only the session itself can make room.
      let candidates = rich.filter {
        !isSessionFull || machines[$0]?.spec.session == waiting.session
      }
      let richest = candidates.max { spareCount(of: $0, at: place) < spareCount(of: $1, at: place) }
      guard let id = richest, spareCount(of: id, at: place) > 0 else { continue }
      update(id, into: &output) { $0.shedConnection(at: place) }
      running = RunningConnections(self)
    }
  }

  private func spareCount(of id: TransferID, at origin: Origin?) -> Int {
    machines[id]?.spareConnectionCount(at: origin) ?? 0
  }

  private func connectionCount(of id: TransferID) -> Int {
    machines[id]?.download?.activeCount ?? 0
  }

  // MARK: Additional connections

  /// Opens additional connections for a transfer while they help and the limits allow it. When its
  /// hosts are full it waits for the next round, which gathers the connections of all transfers
  /// once.
  mutating func addConnections(
    to id: TransferID, _ output: inout SchedulerOutput, at now: Moment
  ) {
    guard phase == .working, hosts.connectionCount < queue.limits.connectionsMax,
      let machine = machines[id],
      machine.wantedSources(queue.limits.division, at: now.monotonic)
        .contains(where: { isHostFree(at: $0.url.origin, for: machine.spec, now) })
    else { return }
    var running: RunningConnections?
    addConnections(to: id, beside: &running, &output, at: now)
  }

  /// Whether a host has a free connection, those that are reserved included.
  private func isHostFree(at origin: Origin, for spec: TransferSpec, _ now: Moment) -> Bool {
    let allowed = allowedConnections(at: origin, for: spec, now)
    return hosts.freeCount(at: origin, allowed: allowed, at: now.monotonic) > 0
  }

  /// - Parameter running: the connections of all transfers; nil when they must be gathered.
  private mutating func addConnections(
    to id: TransferID, beside running: inout RunningConnections?, _ output: inout SchedulerOutput,
    at now: Moment
  ) {
    let policy = queue.limits.division
    while let sources = machines[id]?.wantedSources(policy, at: now.monotonic),
      let best = sources.first
    {
      let others = running ?? RunningConnections(self)
      running = others
      guard let (source, count) = permitted(sources, for: id, beside: others, now) else {
        if takeBack(at: best.url.origin, for: id, beside: others, &output, at: now) {
          running = nil
        }
        return
      }
      let attempt = ids.nextAttempt()
      let transition = update(id, into: &output) {
        $0.beginConnection(attempt, to: source.id, newcomerCount: count, policy, at: now)
      }
      if transition?.actions.isEmpty ?? true { return running = nil }
      if let session = machines[id]?.spec.session {
        running?.record(
          OriginSession(origin: source.url.origin, session: session), openedBy: id,
          withLimits: !rules.hasNoConnectionLimit)
      }
    }
  }

  /// The first source whose host admits another connection, and how many it admits.
  private func permitted(
    _ sources: [ActiveDownload.WantedSource], for id: TransferID,
    beside running: RunningConnections, _ now: Moment
  ) -> (source: ActiveDownload.WantedSource, count: Int)? {
    for source in sources {
      let count = permittedCount(of: id, at: source.url.origin, beside: running, now)
      if count > 0 { return (source, count) }
    }
    return nil
  }

  /// How many more connections a transfer may open to a host.
  private func permittedCount(
    of id: TransferID, at origin: Origin, beside running: RunningConnections, _ now: Moment
  ) -> Int {
    guard let machine = machines[id], let download = machine.download else { return 0 }
    let limits = queue.limits
    let spec = machine.spec
    let left = limits.connectionsMax - hosts.connectionCount - running.reservedCount(besides: id)
    guard left > 0 else { return 0 }
    // Queued transfers for this host have precedence, but not over the only connection of another.
    if !download.connections.isEmpty, queue.hasFreeSlot,
      startGate.permitsStart(at: origin),
      isAwaited(origin, for: spec.session, running.counts, at: now)
    {
      return 0
    }
    let place = OriginSession(origin: origin, session: spec.session)
    let limit = rules.connectionLimit(of: place, at: now.monotonic)
    let allowed = allowedConnections(at: origin, for: spec, now)
    let own =
      switch spec.connectionDemand {
      case .exactly(let count): count
      case .adaptive: limits.division.connectionsMax
      }
    let reservedCount = running.reservedCount(at: origin, besides: id)
    let used = running.count(place, besides: id)
    return min(
      download.permittedCount(of: own, at: now.monotonic),
      limit.map { $0 - used } ?? .max,
      left,
      hosts.freeCount(at: origin, allowed: allowed - reservedCount, at: now.monotonic))
  }

  /// How many connections all transfers together may have to a host for this one to open another.
  private func allowedConnections(
    at origin: Origin, for spec: TransferSpec, _ now: Moment
  ) -> Int {
    let common = queue.limits.connectionsMax(at: origin)
    let place = OriginSession(origin: origin, session: spec.session)
    let ofSession = rules.connectionLimit(of: place, at: now.monotonic) ?? 0
    return switch spec.connectionDemand {
    // The user's number is for this transfer alone, whatever others have at its host.
    case .exactly(let count): spec.task == nil ? .max : max(common, count, ofSession)
    case .adaptive: max(common, ofSession)
    }
  }

  /// Closes a connection of another transfer that has more than its share of a full host. Returns
  /// whether it did.
  private mutating func takeBack(
    at origin: Origin, for id: TransferID, beside running: RunningConnections,
    _ output: inout SchedulerOutput, at now: Moment
  ) -> Bool {
    guard let sharing = running.sharing[origin], sharing.count > 1,
      let richest = sharing.richest, !running.isClosing(at: origin),
      let machine = machines[id], machine.spec.url.origin == origin, machine.takesCommonConnections
    else { return false }
    let limit = min(
      queue.limits.connectionsMax(at: origin),
      hosts.connectionsMax(at: origin, now.monotonic) ?? .max)
    let share = max(1, limit / sharing.count)
    guard connectionCount(of: id) < share, hosts.connectionCount(at: origin) >= limit,
      richest.connectionCount > share
    else { return false }
    update(richest.id, into: &output) { $0.shedConnection(at: origin) }
    return true
  }

  /// Whether a queued transfer could use the connection: one of the same session, or of another
  /// session that has not reached its own limit.
  private func isAwaited(
    _ origin: Origin, for session: SessionID, _ counts: [OriginSession: Int], at now: Moment
  ) -> Bool {
    queue.sessionsWaiting(for: origin).contains { waiting in
      waiting == session
        || !isFull(OriginSession(origin: origin, session: waiting), counts, at: now)
    }
  }
}

extension SessionPolicy {
  /// At least one, or the session would never make progress.
  func connectionLimit(at origin: Origin) -> Int? {
    (connectionsMaxOfOrigin[origin] ?? connectionsPerHostMax).map { max($0, 1) }
  }

  func isClosed(_ origin: Origin, at now: MonotonicTime) -> Bool {
    guard let openUntil else { return false }
    return openUntil[origin].map { now >= $0 } ?? true
  }

  var hasNoConnectionLimit: Bool {
    connectionsPerHostMax == nil && connectionsMaxOfOrigin.isEmpty && openUntil == nil
  }
}
