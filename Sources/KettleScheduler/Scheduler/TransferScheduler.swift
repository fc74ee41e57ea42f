import KettleModel

/// Decides for all transfers: events and their time go in, actions and journal changes come out.
///
/// It has no clock, no files and no network, so tests can replay every order of events.
/// `TransferEngine` owns the only instance and is the only way to it.
package struct TransferScheduler: Sendable {
  /// The awake transfers; all others are only in the store (`TransferScheduler+Dormant`).
  package internal(set) var machines: [TransferID: TransferMachine] = [:]
  package internal(set) var queue: TransferQueue
  package internal(set) var hosts = HostTable()
  package var retryPolicy: RetryPolicy
  var network = NetworkState.present
  /// For all transfers together; nil means no limit.
  package internal(set) var limitBytesPerSecond: Int64?
  var owners: [AttemptID: TransferID] = [:]
  var alarms = AlarmList()
  private var lastAttempt: UInt64 = 0
  private var lastOperation: UInt64 = 0
  private var lastID: TransferID
  private var lastTaskIdentifiers: [SessionID: Int64]
  var policies: [SessionID: SessionPolicy] = [:]
  var metConditions: Set<TransferCondition>
  /// Tasks whose bytes moved to new tasks that the store has not recorded yet.
  private var takenOver: [TransferID: TransferMachine] = [:]
  /// Added but not yet admitted.
  var arriving = Arrivals()
  /// The machines in the user's list order.
  var order = SortedBlocks<QueuePosition>()
  /// No transfer of the list is before the first or after the last position.
  var firstPosition: Int64 = 1
  var lastPosition: Int64 = 0
  /// Counts of the dormant transfers, which are not in `machines`.
  var dormantCounts: [TransferState: Int] = [:]
  var dormantClearedCount = 0
  package var holdLimits = HoldLimits()
  /// How many transfers were in memory after the last eviction.
  var heldCountAfterSleep = 0
  /// The pending read of the store.
  var lineRequest: QueueRead?
  /// Completed transfers up to this finish number are cleared from view; nil: none ever was.
  package internal(set) var clearedUpTo: Int64?
  var lastFinishNumber: Int64 = 0
  /// Prevents new starts during shutdown.
  var phase = Phase.working

  package enum Phase: Sendable, Hashable {
    case working, shuttingDown
  }

  package init(
    limits: TransferQueue.Limits = TransferQueue.Limits(), retryPolicy: RetryPolicy = RetryPolicy(),
    lastID: TransferID = TransferID(rawValue: 0), lastTaskIdentifiers: [SessionID: Int64] = [:],
    metConditions: Set<TransferCondition> = Set(TransferCondition.allCases)
  ) {
    queue = TransferQueue(limits: limits)
    self.metConditions = metConditions
    self.retryPolicy = retryPolicy
    self.lastID = lastID
    self.lastTaskIdentifiers = lastTaskIdentifiers
  }

  /// The latest time at which `timePassed` must be called; nil when time changes nothing.
  package func nextWakeUp(at now: Moment) -> MonotonicTime? {
    // A host that opens again matters only to queued transfers.
    let opening = queue.queuedCount + dormantQueuedCount > 0 ? hosts.nextOpening : nil
    return [alarms.next(at: now), opening].compactMap { $0 }.min()
  }

  package func owner(of attempt: AttemptID) -> TransferID? { owners[attempt] }

  package var hasRunning: Bool { queue.runningCount > 0 }

  // MARK: The list

  /// Restores the state from the store.
  ///
  /// - Parameters:
  ///   - records: the transfers that are not dormant, and possibly others.
  ///   - others: what exists only in the store.
  package mutating func recover(
    _ records: [TransferRecord], others: OtherTransfers = OtherTransfers(),
    clearedUpTo: Int64? = nil, at now: Moment
  ) -> Turn {
    var turn = Turn()
    self.clearedUpTo = clearedUpTo
    lastFinishNumber = max(
      clearedUpTo ?? 0, others.lastFinishNumber, records.compactMap(\.finishNumber).max() ?? 0)
    order = SortedBlocks(sorted: records.map(QueuePosition.init).sorted())
    let positions = [others.positions?.lowerBound, order.first?.position].compactMap { $0 }
    firstPosition = min(1, positions.min() ?? 1)
    lastPosition = max(0, others.positions?.upperBound ?? 0, order.last?.position ?? 0)
    dormantCounts = others.tally.states.mapValues(\.count)
    dormantClearedCount = others.tally.clearedCount
    if dormantQueuedCount > 0 { queue.curtains.close() }
    for record in records {
      var machine = TransferMachine(recovering: record, at: now)
      holdBack(&machine)
      machines[record.id] = machine
      file(machine)
      if machine.durableRecord != record { turn.changes.append(.put(machine.durableRecord)) }
      let operation = nextOperation()
      let action = update(record.id, &turn) { $0.recoverDiscarding(operation) }
      _ = perform(action, of: record.id, &turn)
    }
    heldCountAfterSleep = machines.count
    fillSlots(&turn, at: now)
    return turn
  }

  /// A summary of the transfers that exist only in the store.
  package struct OtherTransfers: Sendable {
    package var tally: DormantTally
    /// The first and last position of the whole list; nil when it is empty.
    package var positions: ClosedRange<Int64>?
    package var lastFinishNumber: Int64

    package init(
      tally: DormantTally = DormantTally(), positions: ClosedRange<Int64>? = nil,
      lastFinishNumber: Int64 = 0
    ) {
      self.tally = tally
      self.positions = positions
      self.lastFinishNumber = lastFinishNumber
    }
  }

  /// Adds new transfers. They are in the store once the turn's changes are committed; until then
  /// they exist only in those changes, and no event can reach them.
  package mutating func add(_ specs: [TransferSpec], at now: Moment) -> (ids: [TransferID], Turn) {
    var turn = Turn()
    var ids: [TransferID] = []
    ids.reserveCapacity(specs.count)
    turn.changes.reserveCapacity(specs.count)
    for spec in specs {
      lastID = TransferID(rawValue: lastID.rawValue + 1)
      lastPosition += 1
      let task = nextTaskIdentifier(in: spec.session, wanted: spec.task?.taskIdentifier)
      var record = TransferRecord(
        id: lastID, taskIdentifier: task, spec: spec, createdAt: now.wall,
        queuePosition: lastPosition, state: .idle)
      takeOver(into: &record, &turn)
      var machine = TransferMachine(record, state: Self.firstState(of: record, at: now))
      holdBack(&machine)
      machine.noteStart(at: now.wall)
      ids.append(lastID)
      turn.changes.append(.put(machine.durableRecord))
    }
    arriving.insert(turn.changes)
    return (ids, turn)
  }

  /// Lets added transfers start; called once the store has them.
  ///
  /// - Parameter changes: the changes that added them.
  /// - Returns: those that stay only in the store, by id.
  package mutating func admit(
    _ changes: [JournalChange], at now: Moment
  ) -> (slept: [TransferID], Turn) {
    var turn = Turn()
    var slept: [TransferID] = []
    arriving.remove(changes)
    for case .put(let record) in changes {
      takenOver[record.id] = nil
      if staysAway(record) {
        leave(record)
        slept.append(record.id)
      } else {
        hold(record, &turn, at: now)
      }
    }
    fillSlots(&turn, at: now)
    return (slept, turn)
  }

  /// Reverts an `add` that the store could not commit. Task identifiers become free again if none
  /// was assigned since: the program retries with the same ones.
  ///
  /// - Parameter changes: the changes that were to add them.
  package mutating func withdraw(_ changes: [JournalChange]) {
    var numbers: [SessionID: [Int64]] = [:]
    arriving.remove(changes)
    for case .put(let record) in changes {
      numbers[record.spec.session, default: []].append(record.taskIdentifier)
      guard let old = takenOver.removeValue(forKey: record.id) else { continue }
      machines[old.record.id] = old
      order.insert(QueuePosition(old.record))
    }
    for (session, numbers) in numbers {
      guard let first = numbers.min(), numbers.max() == lastTaskIdentifiers[session] else {
        continue
      }
      lastTaskIdentifiers[session] = first - 1
    }
  }

  /// Clients may supply any number; above this one there would be no next.
  private static let taskIdentifierMax = Int64(1) << 62

  /// Returns the wanted number if it is larger than all before it, else the next one.
  mutating func nextTaskIdentifier(in session: SessionID, wanted: Int64?) -> Int64 {
    let last = lastTaskIdentifier(of: session)
    var next = last + 1
    if let wanted, wanted > last, wanted < Self.taskIdentifierMax { next = wanted }
    lastTaskIdentifiers[session] = next
    return next
  }

  package func lastTaskIdentifier(of session: SessionID) -> Int64 {
    lastTaskIdentifiers[session] ?? 0
  }

  /// Moves the bytes of the task that a new transfer resumes into it, in the same commit.
  private mutating func takeOver(into record: inout TransferRecord, _ turn: inout Turn) {
    guard let token = record.spec.task?.resumes else { return }
    guard let old = machines[token.id], let resumeData = old.resumeData(for: record.spec) else {
      record.spec.task?.resumes = nil
      record.freshStart = .partialFileChanged
      return
    }
    record.resumeData = resumeData
    record.task?.reply = old.record.task?.reply
    takenOver[record.id] = old
    machines[token.id] = nil
    order.remove(QueuePosition(old.record))
    turn.changes.append(.remove(token.id))
    turn.removed.append(old.record)
  }

  private static func firstState(
    of record: TransferRecord, at now: Moment
  ) -> TransferMachine.State {
    switch record.spec.beginning {
    // An idle transfer has no bytes.
    case .idle: record.resumeData == nil ? .idle : .paused
    case .paused: .paused
    case .queued:
      if let date = record.spec.notBefore, date > now.wall {
        .scheduled(until: date)
      } else {
        .queued
      }
    }
  }

  // MARK: - Bookkeeping -

  /// Changes one machine and derives every consequence by comparing before and after: journal
  /// changes, notifications, the queue and the alarms. No input can forget one.
  @discardableResult
  mutating func update<Action>(
    _ id: TransferID, _ turn: inout Turn, _ body: (inout TransferMachine) -> Action
  ) -> Action? {
    guard var machine = machines[id] else { return nil }
    let before = machine
    let action = body(&machine)
    trustSystem(&machine)
    holdBack(&machine)
    numberFinish(of: &machine, before: before.record.state)
    if machine.state == .removed {
      machines[id] = nil
      order.remove(QueuePosition(before.record))
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
    if machine.state != before.state || machine.deadline != before.deadline
      || machine.record.queuePosition != before.record.queuePosition
      || machine.record.spec.priority != before.record.spec.priority
      || machine.record.spec.url != before.record.spec.url
    {
      file(machine)
    }
    return action
  }

  /// Every path into the queue checks the conditions.
  func holdBack(_ machine: inout TransferMachine) {
    guard machine.state == .queued, let unmet = machine.unmetCondition(metConditions) else {
      return
    }
    machine.holdBack(for: unmet)
  }

  /// Brings the queue, the slots and the alarms in line with a machine.
  mutating func file(_ machine: TransferMachine) {
    let id = machine.record.id
    if machine.occupiesSlot == false { queue.release(id) }
    if machine.state == .queued { queue.enqueue(machine.record) } else { queue.remove(id) }
    alarms.set(id, machine.wakeUp, deadline: machine.deadline)
  }

  func conflictPolicy(of id: TransferID) -> ConflictPolicy {
    machines[id]?.record.spec.onConflict ?? .rename
  }

  mutating func nextNames() -> NextNames {
    NextNames(attempt: nextAttempt(), operation: nextOperation())
  }

  mutating func nextAttempt() -> AttemptID {
    lastAttempt += 1
    return AttemptID(rawValue: lastAttempt)
  }

  mutating func nextOperation() -> OperationID {
    lastOperation += 1
    return OperationID(rawValue: lastOperation)
  }
}
