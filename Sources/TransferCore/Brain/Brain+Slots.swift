import TransferModel

/// Who may open a connection next. A transfer that waits in line comes before a further connection
/// of one that runs, and takes one away where a host is full.
extension Brain {
  /// Called at the end of everything that may have freed a place.
  mutating func fillSlots(_ turn: inout Turn, at now: Moment) {
    guard phase == .working else { return }
    startQueued(&turn, at: now)
    if queue.queuedCount > 0, queue.hasFreeSlot { makePlace(&turn, at: now) }
    for id in queue.running where machines[id]?.fetch != nil {
      fillLanes(of: id, &turn, at: now)
    }
  }

  private mutating func startQueued(_ turn: inout Turn, at now: Moment) {
    while let id = takeNext(at: now) {
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

  private mutating func takeNext(at now: Moment) -> TransferID? {
    let (hosts, limits, resting) = (hosts, queue.limits, restingOrigins())
    guard hosts.connectionCount + resting.count < limits.connectionsMax else { return nil }
    return queue.startNext { origin in
      let reserved = resting.count { $0 == origin }
      return hosts.admits(
        origin, allowed: limits.connectionsPerHostMax - reserved, at: now.monotonic)
    }
  }

  /// The hosts of transfers that have a slot and, between two attempts, no connection: theirs is
  /// not to be given away.
  private func restingOrigins(besides other: TransferID? = nil) -> [Origin] {
    queue.running.compactMap { id in
      guard id != other, let machine = machines[id], !machine.hasAttempts else { return nil }
      return machine.record.spec.url.origin
    }
  }

  mutating func begin(_ plan: AttemptPlan, of id: TransferID, _ turn: inout Turn) {
    owners[plan.attempt] = id
    hosts.opened(plan.attempt, at: plan.url.origin)
    turn.now.append(.beginAttempt(id, plan))
  }

  /// Takes a further connection away from a transfer where others wait for the host.
  private mutating func makePlace(_ turn: inout Turn, at now: Moment) {
    let isFull = hosts.connectionCount + restingOrigins().count >= queue.limits.connectionsMax
    for origin in queue.waitingOrigins where !hosts.isClosed(origin, at: now.monotonic) {
      let isHostFull = !hosts.admits(
        origin, allowed: queue.limits.connectionsPerHostMax, at: now.monotonic)
      guard isHostFull || isFull, !isLeaving(at: origin) else { continue }
      let richest = queue.running.max { connectionCount(of: $0) < connectionCount(of: $1) }
      guard let id = richest, connectionCount(of: id) > 1,
        let shed = update(id, &turn, { $0.shedLane(at: origin) }), let attempt = shed
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
    while let url = machines[id]?.wantedLaneURL(at: now.monotonic) {
      let count = newcomerCount(of: id, at: url.origin, now)
      guard count > 0 else { return }
      let attempt = nextAttempt()
      let action = update(id, &turn) { $0.beginLane(attempt, newcomerCount: count, at: now) }
      guard case .beginAttempt(let plan)? = action else { return }
      begin(plan, of: id, &turn)
    }
  }

  /// How many more connections a transfer may have to a host.
  private func newcomerCount(of id: TransferID, at origin: Origin, _ now: Moment) -> Int {
    guard let machine = machines[id], let fetch = machine.fetch else { return 0 }
    let limits = queue.limits
    // Who waits in line for the host comes first, but the last connection is not taken away.
    if !fetch.lanes.isEmpty, queue.hasFreeSlot, queue.hasWaiting(for: origin) { return 0 }
    let own = machine.record.spec.connections ?? limits.connectionsPerHostMax
    let allowed = max(limits.connectionsPerHostMax, machine.record.spec.connections ?? 0)
    let resting = restingOrigins(besides: id)
    let reserved = resting.count { $0 == origin }
    return min(
      own - fetch.activeCount,
      limits.connectionsMax - hosts.connectionCount - resting.count,
      hosts.freeCount(at: origin, allowed: allowed - reserved, at: now.monotonic))
  }
}
