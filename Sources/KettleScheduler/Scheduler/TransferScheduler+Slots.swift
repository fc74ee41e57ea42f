import KettleModel

/// Decides which transfer may open a connection next. A queued transfer has precedence over a
/// further connection of a running one, and takes one from it when a host is full.
///
/// Two limits apply per host: the common one, and one for all transfers of a session that sets its
/// own (`SessionPolicy`). If the session's is larger, only that session may exceed the common
/// limit.
extension TransferScheduler {
  /// Called after every event that may have freed a connection.
  mutating func fillSlots(_ turn: inout Turn, at now: Moment) {
    guard phase == .working else { return }
    startQueued(&turn, at: now)
    if queue.queuedCount > 0, queue.hasFreeSlot { makePlace(&turn, at: now) }
    for id in queue.running { fillLanes(of: id, &turn, at: now) }
    askAhead(&turn)
  }

  private mutating func startQueued(_ turn: inout Turn, at now: Moment) {
    while let id = takeNext(&turn, at: now) {
      let names = nextNames()
      switch update(id, &turn, { $0.slotGiven(names, at: now) }) {
      case .beginAttempt(let plan): begin(plan, of: id, &turn)
      case .computeDigest(let operation, let resumeData, let algorithm):
        turn.now.append(.computeDigest(id, operation, resumeData, algorithm))
      case .placeFile(let operation, let resumeData):
        turn.afterCommit.append(.placeFile(id, operation, resumeData, conflictPolicy(of: id)))
      case nil, .nothing: queue.release(id)
      }
    }
  }

  private mutating func takeNext(_ turn: inout Turn, at now: Moment) -> TransferID? {
    let (hosts, limits, policies) = (hosts, queue.limits, policies)
    guard queue.hasFreeSlot else { return nil }
    let resting = restingPlaces()
    guard hosts.connectionCount + resting.count < limits.connectionsMax else { return nil }
    let taken = takenCounts(resting)
    let next = queue.next { place in
      let limit = policies[place.session]?.connectionLimit
      if let limit, taken[place, default: 0] >= limit { return false }
      let reserved = resting.count { $0.origin == place.origin }
      let allowed = max(limits.connectionsPerHostMax, limit ?? 0)
      return hosts.admits(place.origin, allowed: allowed - reserved, at: now.monotonic)
    }
    switch next {
    case .start(let id): return id
    case .ask(let asked):
      ask(asked, &turn)
      return nil
    case .nobody: return nil
    }
  }

  /// The places of transfers that have a slot but, between two attempts, no connection. They stay
  /// reserved.
  private func restingPlaces(besides other: TransferID? = nil) -> [TransferQueue.Place] {
    queue.running.compactMap { id in
      guard id != other, let machine = machines[id], !machine.hasAttempts, !machine.isFetched
      else { return nil }
      let spec = machine.record.spec
      return TransferQueue.Place(origin: spec.url.origin, session: spec.session)
    }
  }

  /// Counts the connections of each session at each host, including reserved ones. Empty when no
  /// session has a limit of its own, because only such limits need the counts.
  private func takenCounts(_ resting: [TransferQueue.Place]) -> [TransferQueue.Place: Int] {
    var counts: [TransferQueue.Place: Int] = [:]
    guard policies.values.contains(where: { $0.connectionLimit != nil }) else { return counts }
    for place in resting { counts[place, default: 0] += 1 }
    for (attempt, id) in owners {
      guard let origin = hosts.origin(of: attempt), let spec = machines[id]?.record.spec else {
        continue
      }
      counts[TransferQueue.Place(origin: origin, session: spec.session), default: 0] += 1
    }
    return counts
  }

  /// Whether a session has reached its own connection limit at a host.
  private func isFull(
    _ place: TransferQueue.Place, _ taken: [TransferQueue.Place: Int]
  ) -> Bool {
    guard let limit = policies[place.session]?.connectionLimit else { return false }
    return taken[place, default: 0] >= limit
  }

  mutating func begin(_ plan: AttemptPlan, of id: TransferID, _ turn: inout Turn) {
    var plan = plan
    if case .keys(let keys, _) = plan.trust, let session = machines[id]?.record.spec.session {
      plan.trust = .keys(keys, asksForOthers: policies[session]?.asksServerTrust ?? false)
    }
    owners[plan.attempt] = id
    hosts.opened(plan.attempt, at: plan.url.origin)
    turn.now.append(.beginAttempt(id, plan))
  }

  /// Takes a further connection from a running transfer when others wait for its host.
  private mutating func makePlace(_ turn: inout Turn, at now: Moment) {
    // No transfer has more than one connection.
    guard Set(owners.values).count < owners.count else { return }
    let resting = restingPlaces()
    let taken = takenCounts(resting)
    let isFull = hosts.connectionCount + resting.count >= queue.limits.connectionsMax
    for place in queue.waitingPlaces where !hosts.isClosed(place.origin, at: now.monotonic) {
      let isSessionFull = self.isFull(place, taken)
      let allowed = max(
        queue.limits.connectionsPerHostMax, policies[place.session]?.connectionLimit ?? 0)
      let isHostFull = !hosts.admits(place.origin, allowed: allowed, at: now.monotonic)
      guard isSessionFull || isHostFull || isFull, !isLeaving(at: place.origin) else { continue }
      // If the session's own limit is the obstacle, only the session itself can make room.
      let candidates = queue.running.filter {
        !isSessionFull || machines[$0]?.record.spec.session == place.session
      }
      let richest = candidates.max { connectionCount(of: $0) < connectionCount(of: $1) }
      guard let id = richest, connectionCount(of: id) > 1,
        let shed = update(id, &turn, { $0.shedLane(at: place.origin) }), let attempt = shed
      else { continue }
      turn.now.append(.cancelAttempt(attempt))
    }
  }

  private func connectionCount(of id: TransferID) -> Int { machines[id]?.fetch?.activeCount ?? 0 }

  /// Connections are taken one at a time: one that is leaving frees its place soon.
  private func isLeaving(at origin: Origin) -> Bool {
    queue.running.contains { id in
      machines[id]?.fetch?.lanes.contains { $0.phase == .leaving && $0.url.origin == origin }
        ?? false
    }
  }

  /// Opens further connections for a transfer while they help and the limits allow it.
  mutating func fillLanes(of id: TransferID, _ turn: inout Turn, at now: Moment) {
    guard phase == .working else { return }
    let policy = queue.limits.division
    while let url = machines[id]?.wantedLaneURL(policy, at: now.monotonic) {
      let count = newcomerCount(of: id, at: url.origin, now)
      guard count > 0 else { return }
      let attempt = nextAttempt()
      let action = update(id, &turn) {
        $0.beginLane(attempt, newcomerCount: count, policy, at: now)
      }
      guard case .beginAttempt(let plan)? = action else { return }
      begin(plan, of: id, &turn)
    }
  }

  /// How many more connections a transfer may open to a host.
  private func newcomerCount(of id: TransferID, at origin: Origin, _ now: Moment) -> Int {
    guard let machine = machines[id], let fetch = machine.fetch else { return 0 }
    let limits = queue.limits
    let spec = machine.record.spec
    let resting = restingPlaces(besides: id)
    let taken = takenCounts(resting)
    // Queued transfers for this host have precedence, but a transfer keeps its last connection.
    if !fetch.lanes.isEmpty, queue.hasFreeSlot, isAwaited(origin, besides: spec.session, taken) {
      return 0
    }
    let limit = policies[spec.session]?.connectionLimit
    let own = spec.connections ?? limit ?? limits.connectionsPerHostMax
    let allowed = max(limits.connectionsPerHostMax, spec.connections ?? 0, limit ?? 0)
    let reserved = resting.count { $0.origin == origin }
    let place = TransferQueue.Place(origin: origin, session: spec.session)
    return min(
      own - fetch.activeCount,
      limit.map { $0 - taken[place, default: 0] } ?? .max,
      limits.connectionsMax - hosts.connectionCount - resting.count,
      hosts.freeCount(at: origin, allowed: allowed - reserved, at: now.monotonic))
  }

  /// Whether a queued transfer could use the connection: one of the same session, or of another
  /// session that has not reached its own limit.
  private func isAwaited(
    _ origin: Origin, besides session: SessionID, _ taken: [TransferQueue.Place: Int]
  ) -> Bool {
    queue.sessionsWaiting(for: origin).contains { waiting in
      waiting == session
        || !isFull(TransferQueue.Place(origin: origin, session: waiting), taken)
    }
  }
}

extension SessionPolicy {
  /// At least one, or the session would never make progress.
  var connectionLimit: Int? { connectionsPerHostMax.map { max($0, 1) } }
}
