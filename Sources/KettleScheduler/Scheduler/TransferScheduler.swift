import KettleModel

/// Decides for all transfers: events and their time go in, actions and journal changes come out.
///
/// It has no clock, no files and no network, so tests can replay every order of events.
/// `TransferEngine` owns the only instance and is the only way to it.
package struct TransferScheduler: Sendable {
  /// The transfers in memory; all others are only in the store (`TransferScheduler+Eviction`).
  package internal(set) var machines: [TransferID: TransferMachine] = [:]
  package internal(set) var queue: TransferQueue
  package internal(set) var hosts = HostTable()
  var streams = StreamTable()
  package internal(set) var outages: OutageTable
  var trials = TrialTable()
  package internal(set) var remembered: RememberedHosts
  /// The transfer of each attempt.
  var owners: [AttemptID: TransferID] = [:]
  var alarms = AlarmList()
  /// The queued transfers whose complete files are to go to an object store.
  var toBeStored: Set<TransferID> = []
  var ids: IDSource
  var order = ListOrder()
  var finished = FinishedTransfers()
  var evicted = EvictedTransfers()
  var pendingAdds = PendingAdds()
  package internal(set) var bin = TransferBin()
  package internal(set) var controlLog = ControlLog()
  var rules: SessionRules
  var totalLimit = TotalLimit()
  var hooks = HookTriggers()
  var environment: Environment
  var phase = Phase.working

  package enum Phase: Sendable, Hashable {
    case working
    /// No transfer starts any more.
    case shuttingDown
  }

  /// What all decisions depend on.
  struct Environment: Sendable {
    var retryPolicy: RetryPolicy
    var network = NetworkState.present
    /// The proxy on the way to an origin; nil without proxies.
    var proxy: (@Sendable (Origin) -> String?)?
    /// The local time zone, by which the user's schedules go.
    var zone = LocalZone.utc
    /// The conditions that the user's own transfers need.
    var conditionsOfUser: Set<TransferCondition> = []
    /// What the user's configuration decides for transfers.
    var transferRules = TransferRules()
    /// The configuration file whose settings are unknown, so that nothing may be sent; nil if they
    /// are known.
    var unreadConfiguration: String?
  }

  package init(
    limits: TransferQueue.Limits = TransferQueue.Limits(), retryPolicy: RetryPolicy = RetryPolicy(),
    lastID: TransferID = TransferID(rawValue: 0), lastTaskIdentifiers: [SessionID: Int64] = [:],
    metConditions: Set<TransferCondition> = Set(TransferCondition.allCases),
    servedHosts: [Origin: WallTime] = [:], rememberedHosts: [Origin: RememberedHost] = [:],
    zone: LocalZone = .utc
  ) {
    remembered = RememberedHosts(rememberedHosts)
    outages = OutageTable(responses: servedHosts)
    queue = TransferQueue(limits: limits)
    ids = IDSource(lastTransfer: lastID, lastTasks: lastTaskIdentifiers)
    rules = SessionRules(metConditions: metConditions)
    environment = Environment(retryPolicy: retryPolicy, zone: zone)
  }

  /// The latest time at which `timePassed` must be reported; nil when time changes nothing.
  package func nextWakeUp(at now: Moment) -> MonotonicTime? {
    // A host that admits more matters only to queued transfers.
    let opening =
      queue.queuedCount + evicted.queuedCount > 0 ? hosts.nextOpening : nil
    let probe = mayStart ? outages.nextProbeAt : nil
    let times = [
      alarms.next(at: now), opening, probe, bin.nextExpiry(at: now), nextScheduleCheck(at: now),
    ]
    return times.compactMap { $0 }.min()
  }

  package func owner(of attempt: AttemptID) -> TransferID? { owners[attempt] }

  package var hasRunning: Bool { queue.runningCount > 0 }

  /// Whether any transfer may start.
  private var mayStart: Bool { phase == .working && environment.unreadConfiguration == nil }

  package var clearedUpTo: Int64? { finished.clearedUpTo }

  /// The limit for all transfers together; nil means none.
  package var limitBytesPerSecond: Int64? { totalLimit.effective.bytesPerSecond }

  package func lastTaskIdentifier(of session: SessionID) -> Int64 { ids.lastTask(of: session) }

  // MARK: Recovery

  /// A summary of the transfers that exist only in the store.
  package struct OtherTransfers: Sendable {
    package var tally: EvictedTally
    /// The first and last position of the whole list; nil when it is empty.
    package var positions: ClosedRange<Int64>?
    package var lastFinishNumber: Int64

    package init(
      tally: EvictedTally = EvictedTally(), positions: ClosedRange<Int64>? = nil,
      lastFinishNumber: Int64 = 0
    ) {
      self.tally = tally
      self.positions = positions
      self.lastFinishNumber = lastFinishNumber
    }
  }

  /// Restores the state from the store. Collections whose members may be missing ask for them.
  ///
  /// - Parameters:
  ///   - records: the transfers that are not dormant, and possibly others.
  ///   - others: what exists only in the store.
  ///   - actions: the actions that can be undone.
  package mutating func recover(
    _ records: [TransferRecord], others: OtherTransfers = OtherTransfers(),
    clearedUpTo: Int64? = nil, bin actions: [BinAction] = [], at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    bin = TransferBin(actions)
    finished = FinishedTransfers(
      clearedUpTo: clearedUpTo,
      lastNumber: max(others.lastFinishNumber, records.compactMap(\.finishNumber).max() ?? 0))
    order = ListOrder(loaded: records, positions: others.positions)
    let limits = evicted.limits
    evicted = EvictedTransfers(others.tally)
    evicted.limits = limits
    if evicted.queuedCount > 0 { queue.frontiers.reset() }
    for record in records {
      var machine = TransferMachine(recovering: record, at: now)
      rules.holdBack(&machine)
      machines[record.id] = machine
      file(machine)
      if machine.durableRecord != record { output.changes.append(.put(machine.durableRecord)) }
      let operation = ids.nextOperation()
      update(record.id, into: &output) { $0.recoverDiscarding(operation) }
      if machine.state.waitsForMembers { output.append(.addMembers(record.id)) }
    }
    evicted.loadedCountAfterEviction = machines.count
    fillSlots(&output, at: now)
    return output
  }

  // MARK: - Bookkeeping -

  /// Changes one machine and derives every consequence by comparing before and after: journal
  /// changes, notifications, the queue and the alarms. No input can forget one.
  ///
  /// - Returns: the transition, with its actions in `output`; nil when the transfer is not in
  ///   memory.
  @discardableResult
  mutating func update(
    _ id: TransferID, into output: inout SchedulerOutput,
    _ change: (inout TransferMachine) -> Transition
  ) -> Transition? {
    guard var machine = machines[id] else { return nil }
    let before = machine
    let transition = change(&machine)
    // Before the record that says that the list is complete.
    if let page = machine.takeListedMembers() {
      output.changes.append(.members(id, from: page.from, page.members))
    }
    rules.enforce(on: &machine)
    finished.number(&machine, before: before.visibleState)
    if machine.state == .removed {
      forget(before)
      if let member = before.spec.options.member { output.append(.addMembers(member.collection)) }
      output.changes.append(.remove(id))
      output.removed.append(before.record)
    } else {
      machines[id] = machine
      record(machine, before: before, &output)
    }
    for action in transition.actions { output.append(prepared(action)) }
    return transition
  }

  private mutating func record(
    _ machine: TransferMachine, before: TransferMachine, _ output: inout SchedulerOutput
  ) {
    if machine.differsInConnectionsOnly(from: before) {
      return alarms.set(machine.id, machine.wakeUp, deadline: machine.deadline)
    }
    recordCollection(machine, before: before, &output)
    let (record, earlier) = (machine.record, before.record)
    let durable = machine.durable(record)
    if durable != before.durable(earlier) { output.changes.append(.put(durable)) }
    if before.facts.bytesForBin(in: before.state) == nil,
      let (action, bytes) = machine.facts.bytesForBin(in: machine.state)
    {
      output.changes.append(.bin(.setBytes(bytes, machine.id, action: action)))
    }
    if machine.waitsForDiskSpace, !before.waitsForDiskSpace { bin.expireAll() }
    if record != earlier { output.changed.append(machine.id) }
    output.hooks += hooks.changed(machine, from: before)
    if machine.state != before.state || machine.deadline != before.deadline
      || machine.queuePosition != before.queuePosition
      || machine.spec.priority != before.spec.priority || machine.spec.url != before.spec.url
      || machine.spec.queue != before.spec.queue
    {
      file(machine)
    }
  }

  /// A collection whose list is complete needs its members. One of these that ends may be the last,
  /// and one that is started again is not.
  private func recordCollection(
    _ machine: TransferMachine, before: TransferMachine, _ output: inout SchedulerOutput
  ) {
    if machine.state.waitsForMembers, !before.state.waitsForMembers {
      output.append(.addMembers(machine.id))
    }
    if let member = machine.spec.options.member,
      machine.visibleState.isFinished != before.visibleState.isFinished
    {
      output.append(.addMembers(member.collection))
    }
  }

  private mutating func forget(_ machine: TransferMachine) {
    machines[machine.id] = nil
    order.remove(QueuePosition(machine))
    queue.remove(machine.id)
    queue.release(machine.id)
    toBeStored.remove(machine.id)
    alarms.remove(machine.id)
  }

  /// Brings the queue, the slots and the alarms in line with a machine.
  mutating func file(_ machine: TransferMachine) {
    if machine.occupiesSlot || machine.isBeingStored {
      queue.moveSlot(of: machine.id, to: machine.spec.queue)
    } else {
      queue.release(machine.id)
    }
    if case .queued = machine.state {
      queue.enqueue(machine.record)
    } else {
      queue.remove(machine.id)
    }
    if machine.isToBeStored { toBeStored.insert(machine.id) } else { toBeStored.remove(machine.id) }
    alarms.set(machine.id, machine.wakeUp, deadline: machine.deadline)
  }

  /// Records the connections that an action opens or uses.
  private mutating func prepared(_ action: TransferAction) -> TransferAction {
    switch action {
    case .beginAttempt(let id, var plan):
      if let session = machines[id]?.spec.session {
        plan.trust = plan.trust.adapted(toAsking: rules.asksServerTrust(in: session) ?? false)
      }
      owners[plan.attempt] = id
      switch plan.streamUse {
      case .none, .beside: break
      case .trial: streams.beginTrial(by: plan.attempt, at: plan.url.origin)
      }
      hosts.open(plan.attempt, at: plan.url.origin, isStream: plan.streamUse == .beside)
      return .beginAttempt(id, plan)
    case .openBody(_, let attempt, _), .acceptBody(_, let attempt, _),
      .acceptSegment(_, let attempt, _, _, _), .acceptDocument(_, let attempt, _):
      hosts.recordService(of: attempt)
      return action
    case .cancelAttempt, .shortenAttempt, .closeBody, .checkBlocks, .computeDigest, .unpackFile,
      .storeFile, .readTitle, .placeFile, .discardPartialFile, .discardFinishedFile, .limit,
      .addMembers:
      return action
    }
  }

  /// Applies what a refusal showed about a host.
  mutating func learn(
    _ hint: HostLimitHint?, from id: TransferID, _ output: inout SchedulerOutput, at now: Moment
  ) {
    guard let hint else { return }
    hosts.learn(hint, at: now)
    if hint.connectionsMax != nil,
      let connectionsMax = hosts.connectionsMax(at: hint.origin, now.monotonic)
    {
      output.learnedLimits.append((id, connectionsMax))
    }
  }

  func context(of attempt: AttemptID?, jitter: Double, at now: Moment) -> DecisionContext {
    let others = attempt.map { hosts.otherCount(than: $0) } ?? 0
    var context = DecisionContext(
      retryPolicy: environment.retryPolicy, jitter: jitter,
      otherConnectionCount: max(0, others), network: environment.network, now: now)
    context.rules = environment.transferRules
    context.closedHosts = hosts.closed
    context.servedConnectionCount = attempt.map { hosts.otherServedCount(than: $0) } ?? 0
    context.hostServesFiles =
      attempt.flatMap { hosts.origin(of: $0) }
      .map { hosts.servesFiles($0, at: now.monotonic) } ?? false
    return context
  }
}

/// The result of one input of the scheduler.
///
/// `now` can be performed at once. `afterCommit` must wait until `changes` are durable: so no byte
/// is trusted that is not on disk, and no file gets its final name before recovery would know it.
package struct SchedulerOutput: Sendable {
  package var now: [TransferAction] = []
  package var changes: [JournalChange] = []
  package var afterCommit: [TransferAction] = []
  /// The part of the queue to read from the store; only the store knows which transfer is next.
  package var queueRead: QueueRead?
  /// Transfers whose record changed.
  package var changed: [TransferID] = []
  /// The records as they were before the removal.
  package var removed: [TransferRecord] = []
  /// Transfers whose server revealed how many connections it accepts.
  package var learnedLimits: [(id: TransferID, connectionsMax: Int)] = []
  /// The limit for all transfers together, if it changed.
  package var totalLimit: TotalLimit.Effective?
  /// The hooks that the changes made due, to be recorded with them.
  package var hooks: [HookDue] = []

  package init() {}

  /// Adds an action where its timing puts it.
  mutating func append(_ action: TransferAction) {
    switch action.timing {
    case .now: now.append(action)
    case .afterCommit: afterCommit.append(action)
    }
  }
}
