import KettleModel

/// The actions of the user that discarded something and can be undone, and when their files are
/// deleted.
///
/// The entries (the transfers as they were) are only in the store, so that removing a million
/// transfers needs no memory.
package struct TransferBin: Sendable {
  /// The oldest first.
  package private(set) var actions: [BinAction]
  /// Actions that cannot be undone any more and whose files still exist, the oldest first.
  package private(set) var expired: [BinAction] = []
  private var lastNumber: Int64
  /// The actions that are being undone, and those from which transfers are taken; they do not
  /// expire. With how many operations do so.
  private var held: [Int64: Int] = [:]

  package init(_ actions: [BinAction] = []) {
    self.actions = actions.sorted { $0.number < $1.number }
    lastNumber = self.actions.last?.number ?? 0
  }

  /// Returns a new action. It takes effect with its first entry.
  ///
  /// The number contains the time, so that no file of an earlier bin has the same name.
  package mutating func open(_ kind: BinAction.Kind, at now: WallTime) -> BinAction {
    lastNumber = max(lastNumber + 1, now.millisecondsSince1970)
    return BinAction(number: lastNumber, kind: kind, at: now)
  }

  /// Notes that an action is used. Returns the change that records it; nil when it is recorded.
  mutating func note(_ action: BinAction) -> JournalChange? {
    if actions.contains(where: { $0.number == action.number }) { return nil }
    actions.append(action)
    actions.sort { $0.number < $1.number }
    return .bin(.putAction(action))
  }

  /// Returns the actions that can be undone now, the latest first.
  ///
  /// - Parameter number: leaves only this action; nil leaves all.
  package func undoable(_ number: Int64?) -> [BinAction] {
    actions.reversed().filter { action in
      held[action.number] == nil && (number ?? action.number) == action.number
    }
  }

  /// Keeps an action from expiring while it is being undone.
  mutating func hold(_ number: Int64) { held[number, default: 0] += 1 }

  mutating func release(_ number: Int64) {
    let count = held[number, default: 1] - 1
    held[number] = count > 0 ? count : nil
  }

  /// Forgets an action that was undone.
  mutating func remove(_ number: Int64) { actions.removeAll { $0.number == number } }

  // MARK: Expiry

  /// Ends the time in which old actions can be undone.
  mutating func expire(at now: WallTime) { expire { $0.expiresAt <= now } }

  /// Ends it for all of them: the disk is full, or the user empties the bin.
  mutating func expireAll() { expire { _ in true } }

  private mutating func expire(where isOver: (BinAction) -> Bool) {
    let over = actions.filter { held[$0.number] == nil && isOver($0) }
    if over.isEmpty { return }
    expired += over
    actions.removeAll { over.contains($0) }
  }

  /// Takes the actions whose files can be deleted.
  package mutating func takeExpired() -> [BinAction] {
    defer { expired = [] }
    return expired
  }

  /// When the next action expires.
  func nextExpiry(at now: Moment) -> MonotonicTime? {
    let next = actions.lazy.filter { held[$0.number] == nil }.map(\.expiresAt).min()
    return next.map { AlarmList.time(of: $0, at: now) }
  }
}

/// Discarding with a way back: what a control discards goes to the bin, and undo restores it.
extension TransferScheduler {
  /// Returns the action of a control that can be undone; nil for any other control.
  package mutating func openBinAction(for control: Control, at now: Moment) -> BinAction? {
    control.binKind.map { bin.open($0, at: now.wall) }
  }

  /// Records what undoes a control.
  ///
  /// - Parameter before: the transfer before the control.
  mutating func note(
    _ control: Control, on before: TransferMachine, in action: BinAction,
    _ output: inout SchedulerOutput
  ) {
    if action.kind.isStored { return discard(before, into: action, &output) }
    guard !before.isTask, let after = machines[before.id],
      let reversal = Reversal(of: control, from: before, to: after)
    else { return }
    controlLog.note(reversal, of: before.id, in: action)
  }

  /// Puts a transfer that a control has changed into the bin.
  ///
  /// - Parameter before: the transfer before the control.
  mutating func discard(
    _ before: TransferMachine, into action: BinAction, _ output: inout SchedulerOutput
  ) {
    guard !before.isTask, machines[before.id]?.state != before.state else { return }
    if let change = bin.note(action) { output.changes.append(change) }
    var record = before.durableRecord
    // Those bytes belong to an earlier action.
    if record.resumeData?.binAction != nil { record.resumeData = nil }
    output.changes.append(.bin(.putEntry(BinEntry(action: action.number, record: record))))
  }

  // MARK: Continuing

  /// The stops whose bytes a start takes back, the latest first. After a reset, every
  /// transfer starts from the beginning.
  package var stopsToContinue: [BinAction] {
    bin.actions.reversed().prefix { $0.kind != .reset }.filter { $0.kind == .stop }
  }

  /// Whether a start may take back the bytes of a stopped transfer: it has none, and still asks for
  /// the same file.
  package func canContinue(_ entry: BinEntry) -> Bool {
    guard let machine = machines[entry.record.id], !machine.isTask, case .idle = machine.state,
      machine.facts.resumeData == nil, entry.record.resumeData?.durable.isEmpty == false
    else { return false }
    let (old, new) = (entry.record.spec, machine.spec)
    return old.url == new.url && old.request == new.request && old.directory == new.directory
      && old.name == new.name
  }

  // MARK: Undo

  /// The actions that can be undone, the latest first.
  ///
  /// - Parameter number: leaves only this action; nil leaves all.
  package func undoable(_ number: Int64?, at now: Moment) -> [BinAction] {
    let logged = controlLog.actions(at: now.wall).filter { (number ?? $0.number) == $0.number }
    return (bin.undoable(number) + logged).sorted { $0.number > $1.number }
  }

  /// Keeps the files of an action while it is being undone.
  package mutating func holdBinAction(_ action: BinAction) { bin.hold(action.number) }

  package mutating func releaseBinAction(_ action: BinAction) { bin.release(action.number) }

  /// Whether a transfer in the bin can be restored: it is not on the list, or it is idle.
  ///
  /// It must be in memory if it is on the list.
  package func canRestore(_ id: TransferID) -> Bool {
    guard let machine = machines[id] else { return true }
    return machine.isAtRest && machine.visibleState == .idle
  }

  /// Restores transfers from the bin, which `canRestore` permits.
  ///
  /// - Returns: those that were not on the list.
  package mutating func restore(
    _ records: [TransferRecord], of action: BinAction, at now: Moment
  ) -> (added: [TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    var added: [TransferID] = []
    for record in records {
      if machines[record.id] != nil {
        update(record.id, into: &output) { $0.restore(record, at: now) }
      } else {
        output.changes.append(.put(record))
        load(record, &output, at: now)
        added.append(record.id)
      }
    }
    output.changes.append(.bin(.removeEntries(records.map(\.id), action: action.number)))
    fillSlots(&output, at: now)
    return (added, output)
  }

  /// Removes an action of which nothing is left to undo.
  package mutating func closeBinAction(_ action: BinAction) -> SchedulerOutput {
    bin.remove(action.number)
    var output = SchedulerOutput()
    output.changes.append(.bin(.removeAction(action.number)))
    return output
  }

  /// Brings the transfers that an action cleared back into view.
  ///
  /// - Parameter clearedCount: how many transfers in the store stay cleared.
  package mutating func uncover(_ action: BinAction, clearedCount: Int) -> SchedulerOutput {
    var output = closeBinAction(action)
    output.changes.append(finished.uncover(clearedUpTo: action.clearedBefore))
    evicted.setCleared(count: clearedCount)
    return output
  }

  /// How many completed transfers are cleared from view.
  package var clearedCount: Int {
    evicted.clearedCount + machines.values.count { isCleared($0.record) }
  }

  // MARK: Expiry

  /// Ends the time in which anything can be undone.
  package mutating func emptyBin() {
    bin.expireAll()
    controlLog.removeAll()
  }

  /// Takes the actions whose files can be deleted.
  package mutating func takeExpired() -> [BinAction] { bin.takeExpired() }
}

extension TransferScheduler.Control {
  fileprivate var binKind: BinAction.Kind? {
    switch self {
    case .stop: .stop
    case .remove(.stays): .remove
    case .remove(.goes): .removeWithFile
    case .reset: .reset
    case .start: .start
    case .pause: .pause
    case .limit: .limit
    case .prioritize: .prioritize
    case .startFresh, .accept, .remember, .relink, .change, .takeOver, .cancel: nil
    }
  }
}
