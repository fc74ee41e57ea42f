import TransferModel

/// Decides for all transfers: what happened goes in with the time, what to do comes out.
///
/// It has no clock, no files and no network, so every order of events can be played in a test.
/// `TransferEngine` owns the only one and is the only door to it.
package struct Brain: Sendable {
  package private(set) var machines: [TransferID: TransferMachine] = [:]
  package private(set) var queue: TransferQueue
  package var retryPolicy: RetryPolicy
  private var owners: [AttemptID: TransferID] = [:]
  private var alarms = AlarmList()
  private var lastAttempt: UInt64 = 0
  private var lastOperation: UInt64 = 0
  private var lastID: TransferID
  private var lastTaskIdentifiers: [SessionID: Int64]
  private var lastPosition: Int64 = 0
  /// Ends new starts while the service goes down.
  private var phase = Phase.working

  package enum Phase: Sendable, Hashable {
    case working, shuttingDown
  }

  package init(
    limits: TransferQueue.Limits = TransferQueue.Limits(), retryPolicy: RetryPolicy = RetryPolicy(),
    lastID: TransferID = TransferID(rawValue: 0), lastTaskIdentifiers: [SessionID: Int64] = [:]
  ) {
    queue = TransferQueue(limits: limits)
    self.retryPolicy = retryPolicy
    self.lastID = lastID
    self.lastTaskIdentifiers = lastTaskIdentifiers
  }

  /// When `timePassed` is to be called at the latest; nil when time changes nothing.
  package func nextWakeUp(at now: Moment) -> MonotonicTime? { alarms.next(at: now) }

  package func owner(of attempt: AttemptID) -> TransferID? { owners[attempt] }

  // MARK: The list

  /// Takes back what the store held.
  package mutating func recover(_ records: [TransferRecord], at now: Moment) -> Turn {
    var turn = Turn()
    for record in records {
      let machine = TransferMachine(recovering: record, at: now)
      machines[record.id] = machine
      lastPosition = max(lastPosition, record.queuePosition)
      file(machine)
      if machine.durableRecord != record { turn.changes.append(.put(machine.durableRecord)) }
      let operation = nextOperation()
      let action = update(record.id, &turn) { $0.recoverDiscarding(operation) }
      _ = perform(action, of: record.id, &turn)
    }
    fillSlots(&turn, at: now)
    return turn
  }

  /// Lists new transfers. They are in the store when the changes of the turn are committed.
  package mutating func add(_ specs: [TransferSpec], at now: Moment) -> (ids: [TransferID], Turn) {
    var turn = Turn()
    var ids: [TransferID] = []
    ids.reserveCapacity(specs.count)
    for spec in specs {
      lastID = TransferID(rawValue: lastID.rawValue + 1)
      lastPosition += 1
      let task = (lastTaskIdentifiers[spec.session] ?? 0) + 1
      lastTaskIdentifiers[spec.session] = task
      let record = TransferRecord(
        id: lastID, taskIdentifier: task, spec: spec, createdAt: now.wall,
        queuePosition: lastPosition, state: .idle)
      let machine = TransferMachine(record, state: Self.firstState(of: spec, at: now))
      machines[lastID] = machine
      ids.append(lastID)
      turn.changes.append(.put(machine.durableRecord))
      turn.added.append(lastID)
    }
    return (ids, turn)
  }

  /// Lets added transfers start; called when the store has them.
  package mutating func admit(_ ids: [TransferID], at now: Moment) -> Turn {
    var turn = Turn()
    for id in ids {
      if let machine = machines[id] { file(machine) }
    }
    fillSlots(&turn, at: now)
    return turn
  }

  /// Takes back an `add` that the store could not keep.
  package mutating func withdraw(_ ids: [TransferID]) {
    for id in ids { machines[id] = nil }
  }

  private static func firstState(
    of spec: TransferSpec, at now: Moment
  ) -> TransferMachine.State {
    switch spec.beginning {
    case .idle: .idle
    case .paused: .paused
    case .queued:
      if let date = spec.notBefore, date > now.wall { .scheduled(until: date) } else { .queued }
    }
  }

  // MARK: Controls

  package enum Control: Sendable, Hashable {
    case start, pause, stop
    case remove(TransferMachine.FileFate)
    case reset
  }

  package enum ControlResult: Sendable, Hashable {
    case applied, unknown, completed, notStarted
  }

  package mutating func control(
    _ control: Control, _ ids: [TransferID], at now: Moment
  ) -> ([ControlResult], Turn) {
    var turn = Turn()
    var results: [ControlResult] = []
    for id in ids {
      guard machines[id] != nil else {
        results.append(.unknown)
        continue
      }
      let operation = nextOperation()
      let action = update(id, &turn) { machine in
        switch control {
        case .start: machine.start()
        case .pause: machine.pause()
        case .stop: machine.stop(operation)
        case .remove(let fate): machine.remove(fate, operation)
        case .reset: machine.reset(operation)
        }
      }
      results.append(perform(action, of: id, &turn))
    }
    fillSlots(&turn, at: now)
    return (results, turn)
  }

  private mutating func perform(
    _ action: TransferMachine.ControlAction?, of id: TransferID, _ turn: inout Turn
  ) -> ControlResult {
    switch action {
    case nil, .nothing: return .applied
    case .cancelAttempt(let attempt): turn.now.append(.cancelAttempt(attempt))
    case .discardPartialFile(let operation, let resumeData):
      turn.afterCommit.append(.discardPartialFile(id, operation, resumeData))
    case .deleteFinishedFile(let file): turn.afterCommit.append(.deleteFinishedFile(id, file))
    case .refuseCompleted: return .completed
    case .refuseNotStarted: return .notStarted
    }
    return .applied
  }

  /// Ends what runs so that it goes on after the next start.
  package mutating func shutDown(at now: Moment) -> Turn {
    phase = .shuttingDown
    var turn = Turn()
    for (id, machine) in machines where machine.occupiesSlot {
      let action = update(id, &turn) { $0.suspendForShutdown() }
      if case .cancelAttempt(let attempt)? = action { turn.now.append(.cancelAttempt(attempt)) }
    }
    return turn
  }

  package var hasRunning: Bool { queue.runningCount > 0 }

  // MARK: What the world reports

  package mutating func timePassed(at now: Moment) -> Turn {
    var turn = Turn()
    for id in alarms.due(at: now) {
      // An alarm of the wall clock can be early when that clock was set back; it is filed again.
      _ = update(id, &turn) { $0.timePassed(at: now) }
      if let machine = machines[id] { file(machine) }
    }
    fillSlots(&turn, at: now)
    return turn
  }

  package mutating func headReceived(
    _ head: ResponseHead, of attempt: AttemptID, jitter: Double, at now: Moment
  ) -> Turn {
    var turn = Turn()
    guard let id = owners[attempt] else { return turn }
    let policy = retryPolicy
    let action = update(id, &turn) {
      $0.headReceived(head, of: attempt, policy: policy, jitter: jitter, at: now)
    }
    perform(action, of: id, &turn)
    return turn
  }

  package mutating func bodyOpened(
    _ resumeData: ResumeData, of attempt: AttemptID, at now: Moment
  ) -> Turn {
    var turn = Turn()
    guard let id = owners[attempt] else { return turn }
    switch update(id, &turn, { $0.bodyOpened(resumeData, of: attempt) }) {
    case .letBodyFlow(let attempt): turn.afterCommit.append(.letBodyFlow(attempt))
    case nil, .nothing: break
    }
    return turn
  }

  package mutating func bodyRefused(
    _ failure: TransferFailure, of attempt: AttemptID, at now: Moment
  ) -> Turn {
    var turn = Turn()
    guard let id = owners[attempt] else { return turn }
    let policy = retryPolicy
    let action = update(id, &turn) {
      $0.bodyRefused(failure, of: attempt, policy: policy, at: now)
    }
    perform(action, of: id, &turn)
    return turn
  }

  private func perform(
    _ action: TransferMachine.HeadAction?, of id: TransferID, _ turn: inout Turn
  ) {
    switch action {
    case .openBody(let attempt, .rewrite(let resumeData)):
      turn.afterCommit.append(.openBody(id, attempt, .rewrite(resumeData)))
    case .openBody(let attempt, let plan): turn.now.append(.openBody(id, attempt, plan))
    case .cancelAttempt(let attempt): turn.now.append(.cancelAttempt(attempt))
    case nil, .nothing: break
    }
  }

  package mutating func bytesSynced(
    _ held: HeldRanges, of attempt: AttemptID
  ) -> Turn {
    var turn = Turn()
    guard let id = owners[attempt] else { return turn }
    _ = update(id, &turn) { $0.bytesSynced(held, of: attempt) }
    turn.afterCommit.append(.confirmHeld(attempt, held))
    return turn
  }

  package mutating func attemptSettled(
    _ attempt: AttemptID, _ end: SettledEnd, held: HeldRanges?, jitter: Double, at now: Moment
  ) -> Turn {
    var turn = Turn()
    guard let id = owners.removeValue(forKey: attempt) else { return turn }
    let policy = retryPolicy
    let names = NextNames(attempt: nextAttempt(), operation: nextOperation())
    let action = update(id, &turn) { machine in
      if let held { machine.bytesSynced(held, of: attempt) }
      return machine.attemptSettled(
        attempt, end, next: names, policy: policy, jitter: jitter, at: now)
    }
    switch action {
    case .beginAttempt(let plan):
      owners[plan.attempt] = id
      turn.now.append(.beginAttempt(id, plan))
    case .computeDigest(let operation, let resumeData, let algorithm):
      turn.now.append(.computeDigest(id, operation, resumeData, algorithm))
    case .placeFile(let operation, let resumeData):
      turn.afterCommit.append(.placeFile(id, operation, resumeData, conflictPolicy(of: id)))
    case .discardPartialFile(let operation, let resumeData):
      turn.afterCommit.append(.discardPartialFile(id, operation, resumeData))
    case nil, .nothing: break
    }
    fillSlots(&turn, at: now)
    return turn
  }

  package mutating func digestComputed(
    _ result: Result<String, TransferFailure>, of id: TransferID, by operation: OperationID,
    at now: Moment
  ) -> Turn {
    var turn = Turn()
    let next = nextOperation()
    switch update(id, &turn, { $0.digestComputed(result, by: operation, next: next, at: now) }) {
    case .placeFile(let operation, let resumeData):
      turn.afterCommit.append(.placeFile(id, operation, resumeData, conflictPolicy(of: id)))
    case .discardPartialFile(let operation, let resumeData):
      turn.afterCommit.append(.discardPartialFile(id, operation, resumeData))
    case nil, .nothing: break
    }
    return turn
  }

  package mutating func discarded(
    _ id: TransferID, by operation: OperationID, at now: Moment
  ) -> Turn {
    var turn = Turn()
    _ = update(id, &turn) { $0.discarded(operation) }
    fillSlots(&turn, at: now)
    return turn
  }

  package mutating func placed(
    _ result: Result<FinishedFile, TransferFailure>, of id: TransferID, by operation: OperationID,
    at now: Moment
  ) -> Turn {
    var turn = Turn()
    switch update(id, &turn, { $0.placed(result, by: operation, at: now) }) {
    case .deleteFinishedFile(let file): turn.afterCommit.append(.deleteFinishedFile(id, file))
    case nil, .nothing: break
    }
    fillSlots(&turn, at: now)
    return turn
  }

  // MARK: - Bookkeeping -

  /// Changes one machine and derives everything that follows from the change by comparing before
  /// and after: what to keep, whom to tell, the line and the alarms. No input can forget one.
  private mutating func update<Action>(
    _ id: TransferID, _ turn: inout Turn, _ body: (inout TransferMachine) -> Action
  ) -> Action? {
    guard var machine = machines[id] else { return nil }
    let before = machine
    let action = body(&machine)
    if machine.state == .removed {
      machines[id] = nil
      queue.remove(id)
      queue.release(id)
      alarms.remove(id)
      turn.changes.append(.remove(id))
      turn.removed.append(before.record)
      return action
    }
    machines[id] = machine
    if machine.durableRecord != before.durableRecord {
      turn.changes.append(.put(machine.durableRecord))
    }
    if machine.record != before.record { turn.changed.append(id) }
    if machine.state != before.state { file(machine) }
    return action
  }

  /// Puts the line, the slots and the alarms in step with a machine.
  private mutating func file(_ machine: TransferMachine) {
    let id = machine.record.id
    if machine.occupiesSlot == false { queue.release(id) }
    if machine.state == .queued { queue.enqueue(machine.record) } else { queue.remove(id) }
    alarms.set(id, machine.wakeUp)
  }

  private mutating func fillSlots(_ turn: inout Turn, at now: Moment) {
    guard phase == .working else { return }
    while let id = queue.startNext() {
      let (attempt, operation) = (nextAttempt(), nextOperation())
      let action = update(id, &turn) { $0.slotGiven(attempt: attempt, operation: operation) }
      switch action {
      case .beginAttempt(let plan):
        owners[plan.attempt] = id
        turn.now.append(.beginAttempt(id, plan))
      case .computeDigest(let operation, let resumeData, let algorithm):
        turn.now.append(.computeDigest(id, operation, resumeData, algorithm))
      case .placeFile(let operation, let resumeData):
        turn.afterCommit.append(.placeFile(id, operation, resumeData, conflictPolicy(of: id)))
      case nil, .nothing: queue.release(id)
      }
    }
  }

  private func conflictPolicy(of id: TransferID) -> ConflictPolicy {
    machines[id]?.record.spec.onConflict ?? .rename
  }

  private mutating func nextAttempt() -> AttemptID {
    lastAttempt += 1
    return AttemptID(rawValue: lastAttempt)
  }

  private mutating func nextOperation() -> OperationID {
    lastOperation += 1
    return OperationID(rawValue: lastOperation)
  }
}
