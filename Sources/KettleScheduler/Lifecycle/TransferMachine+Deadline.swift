import KettleModel

/// The time limit of a task as a whole.
extension TransferMachine {
  /// The time of a task counts from its first start; a stopped task has never been started.
  mutating func noteStart(at now: WallTime) {
    guard record.task != nil else { return }
    switch visibleState {
    case .idle: record.task?.startedAt = nil
    case .queued, .scheduled, .running, .waiting, .verifying:
      if record.task?.startedAt == nil { record.task?.startedAt = now }
    case .paused, .completed, .failed: break
    }
  }

  /// When the task ends whatever its state; nil when it has no limit. On the wall clock, because
  /// the time counts across reboots.
  package var deadline: WallTime? {
    guard let milliseconds = record.spec.task?.resourceTimeoutMilliseconds, milliseconds > 0,
      let startedAt = record.task?.startedAt, mayRunOutOfTime
    else { return nil }
    // A task with a start date loses no time until then.
    return max(startedAt, record.spec.notBefore ?? startedAt)
      .advanced(byMilliseconds: milliseconds)
  }

  var deadlineIsSet: Bool { (record.spec.task?.resourceTimeoutMilliseconds ?? 0) > 0 }

  /// Whether something is still to be fetched.
  private var mayRunOutOfTime: Bool {
    switch state {
    case .scheduled, .queued, .running, .waiting, .ending(_, next: .queued),
      .ending(_, next: .paused), .ending(_, next: .waiting), .ending(_, next: .askAgain):
      true
    // Bytes put aside as resume data no longer belong to a task.
    case .paused: record.task?.resumeToken == nil
    case .idle, .ending(_, next: .idle), .ending(_, next: .removed), .ending(_, next: .failed),
      .ending(_, next: .cancelled), .ending(_, next: .queuedFromZero), .ending(_, next: .whole),
      .ending(_, next: .alreadyThere), .verifying, .discarding, .placing, .completed, .failed,
      .removed:
      false
    }
  }

  /// Fails the task when its time is over, with every byte kept.
  mutating func endWhenOver(at now: WallTime) -> TimeAction {
    guard let deadline, deadline <= now else { return .nothing }
    let failure = TransferFailure(
      .timedOut, on: record.spec.url.text, detail: "the task's time is over")
    switch state {
    case .running(let fetch):
      enter(.ending(.attempts(Set(fetch.attempts)), next: .failed(failure)))
      return .cancelAttempts(fetch.activeAttempts)
    case .ending(let phase, _):
      enter(.ending(phase, next: .failed(failure)))
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      record.finishedAt = now
      enter(.failed(failure))
    }
    return .ended
  }
}
