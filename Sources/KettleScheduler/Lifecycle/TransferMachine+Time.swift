import KettleModel

extension TransferMachine {
  /// When it must be woken, on either clock; nil when time changes nothing.
  package enum WakeUp: Sendable, Hashable {
    case monotonic(MonotonicTime)
    case wall(WallTime)
  }

  package var wakeUp: WakeUp? {
    switch state {
    case .scheduled(let date): .wall(date)
    case .waiting(let waiting): waiting.until.map(WakeUp.monotonic)
    case .running(let fetch): fetch.nextLaneAt.map(WakeUp.monotonic)
    case .idle, .queued, .ending, .paused, .verifying, .discarding, .placing, .completed,
      .failed, .removed:
      nil
    }
  }

  /// Actions returned by `timePassed(at:)`.
  package enum TimeAction: Sendable, Hashable {
    case nothing
    case queued
    case cancelAttempts([AttemptID])
    /// The task failed because its time is over.
    case ended
  }

  package mutating func timePassed(at now: Moment) -> TimeAction {
    let end = endWhenOver(at: now.wall)
    guard end == .nothing else { return end }
    switch state {
    case .scheduled(let date) where date <= now.wall:
      enter(.queued)
      return .queued
    case .waiting(let waiting):
      guard let until = waiting.until, until <= now.monotonic else { return .nothing }
      record.retryCount += waiting.reason == .retry ? 1 : 0
      enter(.queued)
      return .queued
    case .running(var fetch):
      fetch.endPause(at: now.monotonic)
      enter(.running(fetch))
      return .nothing
    case .idle, .scheduled, .queued, .ending, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      return .nothing
    }
  }

  /// If it waits for the network, or was interrupted by its loss, continues at once.
  package mutating func networkReturned() {
    if case .waiting(let waiting) = state, waiting.isForNetwork { enter(.queued) }
    if case .ending(let underWay, next: .waiting(let waiting)) = state, waiting.isForNetwork {
      enter(.ending(underWay, next: .queued))
    }
  }

  /// Restores a record after a restart. A running transfer continues; one with a date keeps
  /// waiting, on the wall clock, the only one that survives a reboot.
  package init(recovering record: TransferRecord, at now: Moment) {
    let fallback = TransferFailure(.internalProblem, on: record.spec.url.text)
    let state: State =
      switch record.state {
      case .idle: .idle
      case .scheduled: .scheduled(until: record.goesOnAt ?? now.wall)
      case .queued, .running, .verifying: .queued
      case .paused: .paused
      case .completed: .completed
      case .failed: .failed(record.failure ?? fallback)
      case .waiting: Self.recoveredWaiting(record, fallback: fallback, at: now)
      }
    self.init(record, state: state)
    // A crash preceded the record of its end time.
    if self.record.state == .failed, self.record.finishedAt == nil {
      self.record.finishedAt = now.wall
    }
  }

  private static func recoveredWaiting(
    _ record: TransferRecord, fallback: TransferFailure, at now: Moment
  ) -> State {
    guard let reason = record.reason else { return .queued }
    let failure = record.failure ?? fallback
    if reason.needsUser {
      return .waiting(Waiting(reason: reason, until: nil, goesOnAt: nil, failure: failure))
    }
    guard let date = record.goesOnAt, date > now.wall else { return .queued }
    // A clock that was set back must not turn a short wait into a long one.
    let (distance, overflow) = date.millisecondsSince1970.subtractingReportingOverflow(
      now.wall.millisecondsSince1970)
    let milliseconds =
      overflow
      ? RetryPolicy.waitMillisecondsMax
      : min(distance, RetryPolicy.waitMillisecondsMax)
    return .waiting(
      Waiting(
        reason: reason, until: now.monotonic.advanced(byMilliseconds: milliseconds),
        goesOnAt: now.wall.advanced(byMilliseconds: milliseconds), failure: failure))
  }
}

extension TransferMachine.Waiting {
  fileprivate var isForNetwork: Bool {
    reason == .network || (reason == .retry && failure.mayBeTheNetwork)
  }
}
