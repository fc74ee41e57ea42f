import KettleModel

/// Who may open a connection next. A transfer that waits in line comes before a further connection
/// of one that runs, and takes one away where a host is full.
///
/// Two limits hold at a host: one for everything, and one for all transfers of a session that has
/// its own (`SessionPolicy`). A session's may be the larger one: then it, and nobody else, has more
/// connections there than the common limit allows.
extension Brain {
  /// Called at the end of everything that may have freed a place.
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

  /// The places of transfers that have a slot and, between two attempts, no connection: theirs is
  /// not to be given away.
  private func restingPlaces(besides other: TransferID? = nil) -> [TransferQueue.Place] {
    queue.running.compactMap { id in
      guard id != other, let machine = machines[id], !machine.hasAttempts, !machine.isFetched
      else { return nil }
      let spec = machine.record.spec
      return TransferQueue.Place(origin: spec.url.origin, session: spec.session)
    }
  }

  /// How many connections each session has at each host, with those that are kept for it; nothing
  /// where no session has a limit of its own, for which alone they are counted.
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

  /// Whether a session has all the connections at a host that its own limit allows.
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

  /// Takes a further connection away from a transfer where others wait for the host.
  private mutating func makePlace(_ turn: inout Turn, at now: Moment) {
    // Nobody has more than one.
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
      // Where the session's own limit is in the way, only the session itself can make place.
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

  /// One place at a time: who leaves makes place soon.
  private func isLeaving(at origin: Origin) -> Bool {
    queue.running.contains { id in
      machines[id]?.fetch?.lanes.contains { $0.phase == .leaving && $0.url.origin == origin }
        ?? false
    }
  }

  /// Opens further connections for a transfer while they do good and the limits allow it.
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

  /// How many more connections a transfer may have to a host.
  private func newcomerCount(of id: TransferID, at origin: Origin, _ now: Moment) -> Int {
    guard let machine = machines[id], let fetch = machine.fetch else { return 0 }
    let limits = queue.limits
    let spec = machine.record.spec
    let resting = restingPlaces(besides: id)
    let taken = takenCounts(resting)
    // Who waits in line for the host comes first, but the last connection is not taken away.
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

  /// Somebody waits who could have the connection: one of the same session, or of another that has
  /// not got all of its own.
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
  /// At least one, or nothing of the session would ever move.
  var connectionLimit: Int? { connectionsPerHostMax.map { max($0, 1) } }
}
