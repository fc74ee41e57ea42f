import KettleModel

extension TransferMachine {
  /// Actions returned by `start(at:)`, `pause()`, `stop(_:)`, `remove(…)` and those of tasks.
  package enum ControlAction: Sendable, Hashable {
    case nothing
    case cancelAttempts([AttemptID])
    case discardPartialFile(OperationID, ResumeData)
    case deleteFinishedFile(FinishedFile)
    /// Bytes per second; nil means no limit.
    case limit(Int64?)
    /// A completed transfer is final until reset.
    case refuseCompleted
    /// There is nothing to pause.
    case refuseNotStarted
  }

  /// Queues it from any state. A waiting transfer is retried at once, and one that waits for a
  /// condition continues without it.
  package mutating func start(at now: Moment) -> ControlAction {
    wrongRangeReplyCount = 0
    freshStartCount = 0
    teachingCount = 0
    if visibleState == .failed { record.finishedAt = nil }
    if waitsForCondition { record.spec.task?.conditions = [] }
    switch state {
    case .idle, .paused:
      record.retryCount = 0
      enter(scheduledStart(at: now) ?? .queued)
      return .nothing
    case .scheduled, .failed, .waiting:
      record.retryCount = 0
      enter(.queued)
      return .nothing
    case .ending(let phase, next: .paused), .ending(let phase, next: .waiting),
      .ending(let phase, next: .failed):
      record.retryCount = 0
      enter(.ending(phase, next: .queued))
      return .nothing
    case .ending(let phase, next: .idle):
      // The partial file still exists. To the user, the stop discarded it, so the start that
      // follows begins from zero.
      enter(.ending(phase, next: .queuedFromZero))
      return .nothing
    case .discarding(let operation, next: .idle), .discarding(let operation, next: .failed):
      enter(.discarding(operation, next: .queued))
      return .nothing
    case .queued, .running, .verifying, .placing, .removed, .discarding(_, next: .queued),
      .discarding(_, next: .removed), .ending(_, next: .queued), .ending(_, next: .askAgain),
      .ending(_, next: .whole), .ending(_, next: .alreadyThere), .ending(_, next: .removed),
      .ending(_, next: .queuedFromZero), .ending(_, next: .cancelled):
      return .nothing
    case .completed:
      return .refuseCompleted
    }
  }

  /// Pauses it until it is started, with every byte kept.
  package mutating func pause() -> ControlAction {
    switch state {
    case .queued, .scheduled, .waiting:
      enter(.paused)
      return .nothing
    case .running(let fetch): return cancel(fetch, next: .paused)
    case .ending(let phase, next: .queued), .ending(let phase, next: .waiting),
      .ending(let phase, next: .askAgain), .ending(let phase, next: .alreadyThere):
      enter(.ending(phase, next: .paused))
      return .nothing
    case .ending(let phase, next: .whole):
      // An upload had its whole reply; sending it again would be another request.
      if keepsBytes { enter(.ending(phase, next: .paused)) }
      return .nothing
    case .ending(let phase, next: .queuedFromZero):
      enter(.ending(phase, next: .idle))
      return .nothing
    case .verifying:
      enter(.paused)
      return .nothing
    case .discarding(let operation, next: .queued):
      enter(.discarding(operation, next: .idle))
      return .nothing
    case .paused, .placing, .removed, .failed, .discarding(_, next: .failed),
      .discarding(_, next: .removed), .ending(_, next: .paused), .ending(_, next: .removed),
      .ending(_, next: .failed), .ending(_, next: .cancelled):
      return .nothing
    case .idle, .ending(_, next: .idle), .discarding(_, next: .idle):
      return .refuseNotStarted
    case .completed:
      return .refuseCompleted
    }
  }

  /// Discards the fetched bytes and returns to idle.
  package mutating func stop(_ operation: OperationID) -> ControlAction {
    switch state {
    case .running(let fetch): return cancel(fetch, next: .idle)
    case .ending(_, next: .removed), .discarding(_, next: .removed), .removed, .placing:
      return .nothing
    case .ending(let phase, _):
      enter(.ending(phase, next: .idle))
      return .nothing
    case .discarding(let underWay, _):
      enter(.discarding(underWay, next: .idle))
      return .nothing
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .failed:
      return discard(operation, next: .idle)
    case .completed:
      return .refuseCompleted
    }
  }

  /// Removes it from the list; an unfinished task only after its program was notified.
  package mutating func remove(
    _ fate: FileFate, _ operation: OperationID, at now: Moment
  ) -> ControlAction {
    isTask ? removeTask(fate, operation, at: now) : removeAnyhow(fate, operation)
  }

  mutating func removeAnyhow(_ fate: FileFate, _ operation: OperationID) -> ControlAction {
    switch state {
    case .running(let fetch): return cancel(fetch, next: .removed)
    case .ending(let phase, _):
      enter(.ending(phase, next: .removed))
      return .nothing
    case .discarding(let underWay, _):
      enter(.discarding(underWay, next: .removed))
      return .nothing
    case .placing(let underWay, _):
      enter(.placing(underWay, next: .removed(withFile: fate)))
      return .nothing
    case .completed:
      let file = record.finishedFile
      enter(.removed)
      guard fate == .goes, let file else { return .nothing }
      return .deleteFinishedFile(file)
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .failed:
      return discard(operation, next: .removed)
    case .removed:
      return .nothing
    }
  }

  /// Returns to idle as if never started; the caller deletes the finished file.
  package mutating func reset(_ operation: OperationID) -> ControlAction {
    guard state == .completed else { return stop(operation) }
    let file = record.finishedFile
    forgetProgress()
    enter(.idle)
    guard let file else { return .nothing }
    return .deleteFinishedFile(file)
  }

  mutating func cancel(_ fetch: Fetch, next: AfterEnding) -> ControlAction {
    enter(.ending(.attempts(Set(fetch.attempts)), next: next))
    return .cancelAttempts(fetch.activeAttempts)
  }

  /// Enters `next`, after deleting the partial file if there is one.
  mutating func discard(
    _ operation: OperationID, next: AfterDiscarding
  ) -> ControlAction {
    guard let resumeData = record.resumeData else {
      forgetProgress(before: next)
      enter(next.state)
      return .nothing
    }
    enter(.discarding(operation, next: next))
    return .discardPartialFile(operation, resumeData)
  }

  /// The partial file is deleted.
  package mutating func discarded(_ operation: OperationID) {
    guard case .discarding(operation, let next) = state else { return }
    forgetProgress(before: next)
    enter(next.state)
  }

  /// Continues what a crash interrupted: an idle transfer has no bytes, and wrong bytes are not
  /// kept.
  package mutating func recoverDiscarding(_ operation: OperationID) -> ControlAction {
    guard let resumeData = record.resumeData else { return .nothing }
    let isEmptyTask = isTask && resumeData.held.isEmpty
    switch state {
    case .idle: return discard(operation, next: .idle)
    case .failed(let failure) where failure.code == .checksumMismatch || isEmptyTask:
      return discard(operation, next: .failed(failure))
    case .paused where isEmptyTask && isPutAside:
      return discard(operation, next: .removed)
    case .completed where isEmptyTask:
      return discard(operation, next: .removed)
    case .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed, .removed:
      return .nothing
    }
  }

  /// A failed transfer keeps its end time and what its program is notified of.
  mutating func forgetProgress(before next: AfterDiscarding) {
    let (finishedAt, task) = (record.finishedAt, record.task)
    forgetProgress()
    guard case .failed = next else { return }
    record.finishedAt = finishedAt
    record.task = task
  }

  mutating func forgetProgress() {
    change {
      $0.resumeData = nil
      $0.finishedFile = nil
      $0.failure = nil
      $0.freshStart = nil
      $0.retryCount = 0
      $0.finishedAt = nil
      $0.task?.reply = nil
      $0.task?.sentByteCount = 0
      $0.task?.resumedAtByteCount = nil
    }
  }
}

extension TransferMachine.AfterDiscarding {
  var state: TransferMachine.State {
    switch self {
    case .idle: .idle
    case .queued: .queued
    case .failed(let failure): .failed(failure)
    case .removed: .removed
    }
  }
}

extension TransferMachine {
  /// Ends the attempt for a shutdown, so that it continues after the next start. Decisions of the
  /// user remain in force.
  package mutating func suspendForShutdown() -> ControlAction {
    if case .ending(let phase, next: .askAgain) = state { enter(.ending(phase, next: .queued)) }
    guard case .running(let fetch) = state else { return .nothing }
    return cancel(fetch, next: .queued)
  }
}
