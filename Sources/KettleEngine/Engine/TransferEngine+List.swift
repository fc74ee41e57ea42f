import KettleModel
import KettleScheduler

/// Operations on the list itself.
extension TransferEngine {
  /// Moves transfers in the list. Returns when the store has the change.
  package func move(
    _ ids: [TransferID], _ move: QueueMove
  ) async -> [TransferScheduler.ControlResult] {
    await withoutEviction {
      await load(ids)
      await wakeNeighbours(of: ids, move.side)
      let now = clock.now()
      let (results, output) = decide { $0.move(ids, move, at: now) }
      let changed = Set(output.changed)
      for id in Set(ids) where changed.contains(id) {
        live[id].observed.note(.moved(way: move), at: now.wall)
      }
      await runDurably(output, at: now).value()
      return results
    }
  }

  /// Gives transfers each other's positions, so that they follow one another in this order. Returns
  /// when the store has the change.
  package func arrange(_ ids: [TransferID]) async {
    await withoutEviction {
      await load(ids)
      let now = clock.now()
      await runDurably(decide { $0.arrange(ids, at: now) }, at: now).value()
    }
  }

  /// Moves the durable bytes of a transfer that stopped for good to a new one of the same URL and
  /// directory. Returns whether there were any, when the store has the change.
  package func handOver(from old: TransferID, to heir: TransferID) async -> Bool {
    await withoutEviction {
      await load([old, heir])
      let now = clock.now()
      guard let output = decide({ $0.handOver(from: old, to: heir) }) else { return false }
      await runDurably(output, at: now).value()
      return true
    }
  }

  /// The limits for all transfers together.
  package var limits: TransferQueue.Limits { scheduler.queue.limits }

  /// Changes the limits until the service ends.
  package func setLimits(_ limits: TransferQueue.Limits) {
    apply { scheduler, now in scheduler.setLimits(limits, at: now) }
  }

  /// Sets the user's rules, and what downloads get without a choice.
  package func setRules(_ rules: [TransferRule], _ defaults: TransferDefaults) {
    let rules = TransferRules(
      rules, defaults: defaults, documentsDirectory: configuration.documentsDirectory)
    decide { $0.setRules(rules) }
  }

  /// Loads the transfers directly before or behind, if only the store has them.
  private func wakeNeighbours(of ids: [TransferID], _ side: ListSide) async {
    // The store must have the earlier moves first.
    await kept()
    let places = ids.compactMap { scheduler.machines[$0].map { QueuePosition($0.record) } }
    // The store may have an earlier state of these.
    let states = scheduler.machines.mapValues(\.visibleState)
    _ = await load { archive in
      try archive.neighbours(of: places, side) { id, stored in
        RowGroup(states[id] ?? stored, nil) == .next
      }
    }
  }

  /// Hides the finished transfers permanently. Keeps every record.
  ///
  /// - Returns: the number of hidden transfers.
  package func clearFinished() async -> Int {
    let now = clock.now()
    let (count, output) = decide { $0.clearFinished(at: now) }
    guard count > 0, let clearedUpTo = scheduler.clearedUpTo else { return 0 }
    await runDurably(output, at: now).value()
    observer(.cleared(upTo: clearedUpTo))
    return count
  }
}

extension QueueMove {
  /// The side of the transfers that make room.
  fileprivate var side: ListSide {
    switch self {
    case .up, .toTop: .before
    case .down, .toBottom: .after
    }
  }
}

/// What runs when: the user's queues, and the limit for all transfers together.
extension TransferEngine {
  /// Sets the speed limit of all transfers together; nil is none. It applies at once, until the
  /// schedule changes the limit or the service ends.
  package func limitAll(toBytesPerSecond limit: Int64?) {
    apply { scheduler, now in scheduler.limitAll(toBytesPerSecond: limit, at: now) }
  }

  /// Follows another schedule of the speed limit of all transfers together.
  package func follow(_ schedule: LimitSchedule) {
    apply { scheduler, now in scheduler.follow(schedule, at: now) }
  }

  /// Applies a limit that the scheduler has decided.
  func adopt(_ limit: TotalLimit.Effective) {
    if limit.bytesPerSecond != observer.limit.bytesPerSecond {
      live.forgetSpeeds()
      measurements.forgetSpeeds()
      judgement = SpeedJudgement()
      transport.limitAll(toBytesPerSecond: limit.bytesPerSecond)
    }
    observer.report(limit)
  }

  /// Replaces the settings of the user's queues.
  package func setQueues(_ settings: [QueueName: NamedQueues.Settings]) {
    apply { scheduler, now in scheduler.setQueues(settings, at: now) }
    observer.report(scheduler.queueNames)
  }

  /// The machine has another time zone: the hours of queues and limits are read again.
  package func zoneChanged() { apply { scheduler, now in scheduler.zoneChanged(at: now) } }

  /// Sets the conditions that the user's own transfers need.
  package func setConditionsOfUser(_ conditions: Set<TransferCondition>) {
    apply { scheduler, now in scheduler.setConditionsOfUser(conditions, at: now) }
  }

  /// Holds back every transfer while the settings of this configuration file are unknown; nil lets
  /// them start.
  package func holdBack(forConfiguration path: String?) {
    apply { scheduler, now in scheduler.holdBack(forConfiguration: path, at: now) }
  }

  /// The user's queues, without the number of transfers that wait.
  package var queues: [QueueSnapshot] { scheduler.namedQueues() }

  /// Whether the settings have one of the user's queues; `default` always exists.
  package func hasQueue(_ name: QueueName) -> Bool { scheduler.hasQueue(name) }

  /// Moves transfers to one of the user's queues. Returns when the store has the change.
  package func assign(
    _ ids: [TransferID], to queue: QueueName
  ) async -> [TransferScheduler.ControlResult] {
    await withoutEviction {
      let all = await withMembers(ids)
      await load(all)
      let now = clock.now()
      let (results, output) = decide { $0.assign(all, to: queue, at: now) }
      for (id, result) in zip(all, results) where result == .applied {
        live[id].observed.note(.assigned(queue: queue), at: now.wall)
      }
      await runDurably(output, at: now).value()
      return Array(results.prefix(ids.count))
    }
  }
}

/// Requests about hosts.
extension TransferEngine {
  /// Every host that matters now, by name. Their speeds and queued transfers together
  /// are those of all transfers.
  /// Returns what is known of the hosts without reading the store, so without those that only
  /// transfers there are for, without speeds, and with the queued transfers in memory alone.
  package func knownHosts() -> [HostSnapshot] { scheduler.hosts(at: clock.now()) }

  package func hosts() async -> [HostSnapshot] {
    let queue = await storedQueue()?.queue ?? StoredQueue([])
    var speeds: [Origin: Int64] = [:]
    for id in scheduler.queue.running {
      guard let machine = scheduler.machines[id], machine.visibleState == .running else { continue }
      speeds[machine.spec.url.origin, default: 0] += live[id].observation?.speed.bytesPerSecond ?? 0
    }
    return scheduler.hosts(
      at: clock.now(), speeds: speeds,
      stored: queue.counts { scheduler.machines[$0] == nil })
  }

  /// Forgets what the user has decided for the hosts with this name.
  ///
  /// - Parameter name: a host, a host and port, or an origin.
  /// - Returns: the origins about which something was remembered.
  package func forgetHosts(named name: String) async -> [String] {
    await ask { scheduler, _ in scheduler.forgetHosts(named: name) }
  }

  /// Forgets what was learned about the hosts with this name.
  ///
  /// - Parameter name: a host, a host and port, or an origin.
  /// - Returns: the origins about which something was known.
  package func resetHosts(named name: String) -> [String] {
    let now = clock.now()
    let (origins, output) = decide { $0.resetHosts(named: name, at: now) }
    run(output, at: now)
    return origins
  }
}

/// Hooks: programs of the user, which the service runs.
extension TransferEngine {
  /// Records the hooks that an output makes due in the commit of the changes that made them so.
  func recordHooks(in output: inout SchedulerOutput, at now: Moment) {
    decide { $0.noteAllDone(&output) }
    for due in output.hooks {
      guard let occasion = occasion(of: due) else { continue }
      lastHookRun += 1
      var run = HookRun(
        id: HookRunID(rawValue: lastHookRun), event: due.event, source: due.source,
        command: due.command, dueAt: now.wall)
      if case .transfer(let id) = due.subject { run.transfer = id }
      output.changes.append(.hook(.add(run, occasion)))
    }
  }

  private func occasion(of due: HookDue) -> HookOccasion? {
    switch due.subject {
    case .transfer(let id): snapshot(of: id).map { .transfer($0) }
    case .allDone(let tally): .allDone(tally)
    }
  }

  /// Changes which hooks are run from now on.
  package func setHooks(_ rules: HookRules) { decide { $0.setHooks(rules) } }

  /// Returns the last runs of a transfer's hooks, the oldest first; none if they cannot be read.
  package func hookRuns(of id: TransferID) async -> [HookRun] {
    (try? await store.read { try $0.hookRuns(of: id) }) ?? []
  }

  /// Returns an unfinished run and the data for its program; nil if there is none.
  package func hook(_ id: HookRunID) async throws -> (run: HookRun, occasion: HookOccasion)? {
    try await store.read { try $0.hook(id) }
  }
}
