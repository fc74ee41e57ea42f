import KettleModel

/// A transfer that takes over the bytes of an earlier one.
extension TransferMachine {
  /// Whether it stopped for good with bytes that another transfer may continue.
  var canSurrenderBytes: Bool {
    guard facts.resumeData != nil, !isTask else { return false }
    return switch state {
    case .failed: true
    case .waiting(let waiting): waiting.reason.needsUser
    case .idle, .scheduled, .queued, .running, .ending, .paused, .verifying, .discarding, .placing,
      .completed, .removed:
      false
    }
  }

  /// Whether it has not begun.
  var canInheritBytes: Bool {
    guard facts.resumeData == nil, !isTask else { return false }
    return switch state {
    case .paused, .queued: true
    case .idle, .scheduled, .running, .ending, .waiting, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      false
    }
  }
}

// MARK: Another request for the same file

extension TransferMachine {
  /// How far it is, for a new request that it is to take over.
  package var requestProgress: RequestDifference.Progress {
    let hasBytes = facts.resumeData != nil
    return switch state {
    case .completed, .placing, .removed: .complete
    case .idle, .paused, .scheduled: .standing(hasBytes: hasBytes)
    case .queued, .running, .ending, .waiting, .verifying, .discarding, .failed:
      .underWay(hasBytes: hasBytes)
    }
  }
}

extension TransferMachine.State {
  func takeOver(
    _ facts: inout TransferFacts, _ difference: RequestDifference, at now: Moment
  ) -> Transition {
    let old = facts.spec
    facts.spec = difference.applied(to: old)
    if difference.needsNewRequests {
      facts.repetitions = RepetitionCounts()
      facts.description = .none
      facts.playlist = nil
    }
    var transition = continuing(&facts, difference, at: now)
    if facts.spec.limitBytesPerSecond != old.limitBytesPerSecond {
      transition.actions.append(
        .limit(facts.id, bytesPerSecond: facts.spec.limitBytesPerSecond))
    }
    return transition
  }

  private func continuing(
    _ facts: inout TransferFacts, _ difference: RequestDifference, at now: Moment
  ) -> Transition {
    switch self {
    case .idle, .paused, .scheduled:
      if difference.parts.contains(.notBefore), let date = facts.spec.notBefore, date > now.wall {
        return .entering(.scheduled(until: date))
      }
      if case .scheduled = self { return .none }
      return start(&facts, at: now)
    case .failed, .ending(_, next: .paused), .ending(_, next: .idle), .ending(_, next: .failed),
      .discarding(_, next: .idle), .discarding(_, next: .failed):
      return start(&facts, at: now)
    case .waiting, .ending(_, next: .waiting):
      return difference.needsNewRequests ? start(&facts, at: now) : .none
    case .running(let download):
      return difference.needsNewRequests ? .ending(download, next: .queued) : .none
    case .ending(let phase, next: .request), .ending(let phase, next: .nextSegment):
      return difference.needsNewRequests ? .entering(.ending(phase, next: .queued)) : .none
    case .verifying:
      // The digest is computed again, perhaps with another algorithm.
      return difference.checksum != nil ? .entering(.queued) : .none
    case .completed:
      if let checksum = difference.checksum {
        facts.finishedFile?.verifiedBy = checksum.algorithm
      }
      return .none
    case .queued, .placing, .removed, .discarding(_, next: .queued),
      .discarding(_, next: .removed), .ending(_, next: .queued), .ending(_, next: .whole),
      .ending(_, next: .alreadyThere), .ending(_, next: .removed),
      .ending(_, next: .queuedFromZero), .ending(_, next: .cancelled):
      return .none
    }
  }
}

/// What others see of a transfer.
extension TransferMachine {
  package var id: TransferID { facts.id }
  package var spec: TransferSpec { facts.spec }
  var requestSpec: TransferSpec { facts.requestSpec }
  package var taskIdentifier: Int64 { facts.taskIdentifier }
  package var queuePosition: Int64 { facts.queuePosition }
  package var visibleState: TransferState { state.visible }
  package var record: TransferRecord { facts.record(in: state) }
  package var createdAt: WallTime { facts.createdAt }
  package var resumeData: ResumeData? { facts.resumeData }

  /// What the store keeps. Running is stored as queued: after a crash both continue, and a start
  /// then needs no write of its own. A transfer whose partial file is being deleted for a restart
  /// is stored as idle, so that a crash still deletes it.
  package var durableRecord: TransferRecord { durable(record) }

  /// Returns the same, given the record.
  func durable(_ record: TransferRecord) -> TransferRecord {
    var durable = record
    if durable.state == .running || durable.state == .verifying { durable.state = .queued }
    if case .discarding(_, next: .queued) = state { durable.state = .idle }
    state.showEnd(of: facts, in: &durable)
    return durable
  }

  /// Why the transfer waits or failed, or last waited.
  package var failure: TransferFailure? { state.failure ?? facts.lastFailure }

  package var download: ActiveDownload? {
    if case .running(let download) = state { download } else { nil }
  }

  /// Whether the digest or the unpacking with this identifier is awaited.
  package func isVerifying(_ operation: OperationID) -> Bool { state == .verifying(operation) }

  package var occupiesSlot: Bool { state.occupiesSlot }

  /// Whether its complete file waits for its turn to go to an object store.
  var isToBeStored: Bool {
    guard case .queued = state else { return false }
    return facts.spec.objectPrefix != nil && facts.wholeResumeData != nil
  }

  /// Whether its file is on its way to an object store. It keeps its slot, or files that are
  /// fetched faster than they are sent would fill the disk.
  var isBeingStored: Bool {
    switch state {
    case .verifying, .placing: facts.spec.objectPrefix != nil
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .discarding, .completed,
      .failed, .removed:
      false
    }
  }
  package var isAtRest: Bool { state.isAtRest }
  package var waitsForCondition: Bool { state.waitsForCondition }
  var waitsForDiskSpace: Bool { state.waiting?.reason == .diskSpace }
  package var isTask: Bool { facts.isTask }
  package var isFinalTask: Bool { state.isFinalTask(facts) }
  package var isPutAside: Bool { state.isPutAside(facts) }
  package var isBeingRemoved: Bool { state.isBeingRemoved }
  package var pendingChallenge: ServerChallenge? { state.pendingChallenge(facts) }
  package var resumeToken: ResumeToken? { facts.taskStatus?.resumeToken }
  package var isDormant: Bool { state.isDormant(facts) }
  package var deadline: WallTime? { state.deadline(facts) }
  package var wakeUp: WakeUp? { state.wakeUp }

  package func unmetCondition(_ met: Set<TransferCondition>) -> TransferCondition? {
    facts.task?.unmetCondition(met)
  }

  /// The bytes of a task with a token, if a task with this spec may continue them.
  package func resumeData(for spec: TransferSpec) -> ResumeData? {
    state.resumeData(facts, for: spec)
  }
}
