import KettleModel

/// New transfers: added, committed to the store, and only then admitted.
extension TransferScheduler {
  /// Adds new transfers. They are in the store once the output's changes are committed; until then
  /// they exist only in those changes, and no event can reach them.
  package mutating func add(
    _ specs: [TransferSpec], at now: Moment
  ) -> (ids: [TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    var added: [TransferID] = []
    added.reserveCapacity(specs.count)
    output.changes.reserveCapacity(specs.count)
    for spec in specs {
      let id = ids.nextTransfer()
      let position = order.nextPosition()
      let task = ids.nextTask(in: spec.session, wanted: spec.task?.taskIdentifier)
      var record = TransferRecord(
        id: id, taskIdentifier: task, spec: spec, createdAt: now.wall, queuePosition: position,
        state: .idle)
      adoptBytes(into: &record, &output)
      let continued = record.spec.task?.continues
      record.task?.uploadResumption = continued
      var machine = TransferMachine(record, state: .first(of: record, at: now))
      rules.holdBack(&machine)
      machine.recordStart(at: now.wall)
      added.append(id)
      output.changes.append(.put(machine.durableRecord))
    }
    pendingAdds.insert(output.changes)
    return (added, output)
  }

  /// Lets added transfers start; called once the store has them.
  ///
  /// - Parameter changes: the changes that added them.
  /// - Returns: those that stay only in the store, by id.
  package mutating func admit(
    _ changes: [JournalChange], at now: Moment
  ) -> (evicted: [TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    var staying: [TransferID] = []
    _ = pendingAdds.remove(changes)
    for case .put(let record) in changes {
      if staysInStore(record) {
        leaveInStore(record)
        staying.append(record.id)
      } else {
        load(record, &output, at: now)
      }
    }
    fillSlots(&output, at: now)
    return (staying, output)
  }

  /// Reverts an `add` that the store could not commit.
  ///
  /// - Parameter changes: the changes that were to add them.
  package mutating func withdraw(_ changes: [JournalChange]) {
    for machine in pendingAdds.remove(changes) {
      machines[machine.id] = machine
      order.insert(QueuePosition(machine))
    }
    var numbers: [SessionID: [Int64]] = [:]
    for case .put(let record) in changes {
      numbers[record.spec.session, default: []].append(record.taskIdentifier)
    }
    for (session, numbers) in numbers { ids.withdrawTasks(numbers, in: session) }
  }

  /// Moves the bytes of the task that a new transfer resumes into it, in the same commit.
  private mutating func adoptBytes(
    into record: inout TransferRecord, _ output: inout SchedulerOutput
  ) {
    guard let token = record.spec.task?.resumes else { return }
    guard let old = machines[token.id], let resumeData = old.resumeData(for: record.spec) else {
      record.spec.task?.resumes = nil
      record.freshStart = .partialFileChanged
      return
    }
    record.resumeData = resumeData
    record.task?.reply = old.record.task?.reply
    pendingAdds.recordAdoption(by: record.id, of: old)
    machines[token.id] = nil
    order.remove(QueuePosition(old))
    output.changes.append(.remove(token.id))
    output.removed.append(old.record)
  }
}

extension TransferMachine.State {
  /// The state of a new transfer.
  fileprivate static func first(of record: TransferRecord, at now: Moment) -> Self {
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
}

extension TransferScheduler {
  /// Moves the durable bytes of a transfer that stopped for good to a new one of the same URL and
  /// directory, in one commit. Both must be in memory.
  ///
  /// - Returns: what to record; nil if the transfers are not such a pair.
  package mutating func handOver(
    from old: TransferID, to heir: TransferID
  ) -> SchedulerOutput? {
    guard let giver = machines[old], let taker = machines[heir], giver.canSurrenderBytes,
      taker.canInheritBytes, giver.spec.url == taker.spec.url,
      giver.spec.directory == taker.spec.directory,
      taker.spec.name == nil || taker.spec.name?.text == giver.facts.resumeData?.finalName
    else { return nil }
    var output = SchedulerOutput()
    var bytes: ResumeData?
    update(old, into: &output) {
      bytes = $0.surrenderBytes()
      return .none
    }
    update(heir, into: &output) {
      if let bytes { $0.inherit(bytes) }
      return .none
    }
    return output
  }
}
