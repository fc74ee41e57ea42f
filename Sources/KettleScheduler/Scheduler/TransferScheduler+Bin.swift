import KettleModel

/// Discarding with a way back: what a control discards goes to the bin, and undo restores it.
extension TransferScheduler {
  /// Returns the action in which a control discards things; nil when it discards nothing.
  package mutating func openBinAction(for control: Control, at now: Moment) -> BinAction? {
    control.binKind.map { bin.open($0, at: now.wall) }
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

  // MARK: Undo

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
  package mutating func emptyBin() { bin.expireAll() }

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
    case .start, .pause, .accept, .remember, .relink, .change, .limit, .prioritize, .takeOver,
      .cancel:
      nil
    }
  }
}
