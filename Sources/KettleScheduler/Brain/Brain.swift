import KettleModel

/// Decides for all transfers: what happened goes in with the time, what to do comes out.
///
/// It has no clock, no files and no network, so every order of events can be played in a test.
/// `TransferEngine` owns the only one and is the only door to it.
package struct Brain: Sendable {
  /// Those that are awake: the store alone has the others (`Brain+Dormant`).
  package internal(set) var machines: [TransferID: TransferMachine] = [:]
  package internal(set) var queue: TransferQueue
  package internal(set) var hosts = HostTable()
  package var retryPolicy: RetryPolicy
  var network = NetworkState.present
  /// Of all transfers together; nil is none.
  package internal(set) var limitBytesPerSecond: Int64?
  var owners: [AttemptID: TransferID] = [:]
  var alarms = AlarmList()
  private var lastAttempt: UInt64 = 0
  private var lastOperation: UInt64 = 0
  private var lastID: TransferID
  private var lastTaskIdentifiers: [SessionID: Int64]
  var policies: [SessionID: SessionPolicy] = [:]
  var metConditions: Set<TransferCondition>
  /// Those whose bytes went over to new ones that the store does not have yet.
  private var takenOver: [TransferID: TransferMachine] = [:]
  /// Added, and not admitted yet.
  var arriving = Arrivals()
  /// The machines in the order that the user gives the list.
  var order = SortedBlocks<QueuePlace>()
  /// No transfer of the list stands before the first or behind the last.
  var firstPosition: Int64 = 1
  var lastPosition: Int64 = 0
  /// Of the dormant transfers, which are not among the machines.
  var dormantCounts: [TransferState: Int] = [:]
  var dormantClearedCount = 0
  package var holdLimits = HoldLimits()
  /// How many were held when some were let go of last.
  var heldCountAfterSleep = 0
  /// What the store was asked and has not answered yet.
  var lineRequest: LineRequest?
  /// Completed transfers up to this finish number are cleared from view; nil when none ever was.
  package internal(set) var clearedUpTo: Int64?
  var lastFinishNumber: Int64 = 0
  /// Ends new starts while the service goes down.
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

  /// When `timePassed` is to be called at the latest; nil when time changes nothing.
  package func nextWakeUp(at now: Moment) -> MonotonicTime? {
    // A host that opens again matters to those who wait in line.
    let opening = queue.queuedCount + dormantQueuedCount > 0 ? hosts.nextOpening : nil
    return [alarms.next(at: now), opening].compactMap { $0 }.min()
  }

  package func owner(of attempt: AttemptID) -> TransferID? { owners[attempt] }

  package var hasRunning: Bool { queue.runningCount > 0 }

  // MARK: The list

  /// Takes back what the store held.
  ///
  /// - Parameters:
  ///   - records: those that are not dormant, and any others.
  ///   - others: what the store has alone.
  package mutating func recover(
    _ records: [TransferRecord], others: OtherTransfers = OtherTransfers(),
    clearedUpTo: Int64? = nil, at now: Moment
  ) -> Turn {
    var turn = Turn()
    self.clearedUpTo = clearedUpTo
    lastFinishNumber = max(
      clearedUpTo ?? 0, others.lastFinishNumber, records.compactMap(\.finishNumber).max() ?? 0)
    order = SortedBlocks(sorted: records.map(QueuePlace.init).sorted())
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

  /// What the store has besides the transfers that are in memory.
  package struct OtherTransfers: Sendable {
    package var tally: DormantTally
    /// From the first to the last place in the whole list; nil when it is empty.
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

  /// Lists new transfers. They are in the store when the changes of the turn are committed; until
  /// then they are in those changes alone, and nothing can happen to them.
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

  /// Lets added transfers start; called when the store has them.
  ///
  /// - Parameter changes: those that added them.
  /// - Returns: those that the store has alone from now on, by id.
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

  /// Takes back an `add` that the store could not keep. The numbers of tasks are free again, where
  /// none was given out since: their program asks for them under the same ones.
  ///
  /// - Parameter changes: those that were to add them.
  package mutating func withdraw(_ changes: [JournalChange]) {
    var numbers: [SessionID: [Int64]] = [:]
    arriving.remove(changes)
    for case .put(let record) in changes {
      numbers[record.spec.session, default: []].append(record.taskIdentifier)
      guard let old = takenOver.removeValue(forKey: record.id) else { continue }
      machines[old.record.id] = old
      order.insert(QueuePlace(old.record))
    }
    for (session, numbers) in numbers {
      guard let first = numbers.min(), numbers.max() == lastTaskIdentifiers[session] else {
        continue
      }
      lastTaskIdentifiers[session] = first - 1
    }
  }

  /// Numbers that others give may be any; beyond this one there would be no next.
  private static let taskIdentifierMax = Int64(1) << 62

  /// The number that is wanted when it is larger than all before it, else the next one.
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

  /// Gives a new transfer the bytes of the one that it resumes, which goes in the same commit.
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
    order.remove(QueuePlace(old.record))
    turn.changes.append(.remove(token.id))
    turn.removed.append(old.record)
  }

  private static func firstState(
    of record: TransferRecord, at now: Moment
  ) -> TransferMachine.State {
    switch record.spec.beginning {
    // Idle is what has no bytes.
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

  /// Changes one machine and derives everything that follows from the change by comparing before
  /// and after: what to keep, whom to tell, the line and the alarms. No input can forget one.
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
      order.remove(QueuePlace(before.record))
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

  /// No way into the line leads past a condition.
  func holdBack(_ machine: inout TransferMachine) {
    guard machine.state == .queued, let unmet = machine.unmetCondition(metConditions) else {
      return
    }
    machine.holdBack(for: unmet)
  }

  /// Puts the line, the slots and the alarms in step with a machine.
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
