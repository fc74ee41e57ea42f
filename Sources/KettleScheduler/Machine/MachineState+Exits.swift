import KettleModel

/// Continuing after a restart of the service.
extension TransferMachine.State {
  init(recovering record: TransferRecord, at now: Moment) {
    let failure = record.failure ?? TransferFailure(.internalProblem, on: record.spec.url.text)
    self =
      switch record.state {
      case .idle: .idle
      case .scheduled: .scheduled(until: record.goesOnAt ?? now.wall)
      case .queued, .running, .verifying: .queued
      case .paused: .paused
      case .completed: .completed
      case .failed: .failed(failure)
      case .waiting: Self.recoveredWaiting(record, failure, at: now)
      }
  }

  private static func recoveredWaiting(
    _ record: TransferRecord, _ failure: TransferFailure, at now: Moment
  ) -> Self {
    guard let reason = record.reason else { return .queued }
    if reason.needsUser || reason == .members {
      let challenge = reason == .needsLogin ? record.task?.challenge : nil
      return .waiting(.forEvent(reason, failure, challenge: challenge))
    }
    if reason == .discretionary, let challenge = record.task?.challenge {
      return .waiting(.forEvent(reason, failure, challenge: challenge))
    }
    // Outages are not stored: the next attempt shows whether it goes on.
    if reason == .hostUnreachable || reason == .proxy { return .queued }
    guard let date = record.goesOnAt, date > now.wall else { return .queued }
    // A clock that was set back must not turn a short wait into a long one.
    let (distance, overflow) = date.millisecondsSince1970.subtractingReportingOverflow(
      now.wall.millisecondsSince1970)
    let milliseconds =
      overflow
      ? RetryPolicy.waitMillisecondsMax
      : min(distance, RetryPolicy.waitMillisecondsMax)
    return .waiting(.retrying(after: milliseconds, reason, failure, at: now))
  }

  /// Repeats a deletion that a crash interrupted.
  func recoverDiscarding(_ facts: inout TransferFacts, _ operation: OperationID) -> Transition {
    guard let resumeData = facts.resumeData else { return .none }
    let isEmptyTask = facts.isTask && resumeData.durable.isEmpty
    let finishing = Finishing(operation)
    switch self {
    case .idle: return finishing.discard(&facts, next: .idle)
    case .failed(let failure) where failure.code == .checksumMismatch || isEmptyTask:
      return finishing.discard(&facts, next: .failed(failure))
    case .paused where isEmptyTask && isPutAside(facts):
      return finishing.discard(&facts, next: .removed)
    case .completed where isEmptyTask:
      return finishing.discard(&facts, next: .removed)
    case .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed, .removed:
      return .none
    }
  }
}

// MARK: Alarms

extension TransferMachine {
  /// When a transfer must be woken, on either clock; nil when time changes nothing.
  package enum WakeUp: Sendable, Hashable {
    case monotonic(MonotonicTime)
    case wall(WallTime)
  }
}

extension TransferMachine.State {
  var wakeUp: TransferMachine.WakeUp? {
    switch self {
    case .scheduled(let date): .wall(date)
    case .waiting(let waiting): waiting.until.map(TransferMachine.WakeUp.monotonic)
    case .running(let download): download.wakeUpAt.map(TransferMachine.WakeUp.monotonic)
    case .idle, .queued, .ending, .paused, .verifying, .discarding, .placing, .completed, .failed,
      .removed:
      nil
    }
  }

  /// Whether the transfer may exist only in the store: it is at rest and no operation is in
  /// progress.
  func isDormant(_ facts: TransferFacts) -> Bool {
    switch self {
    case .idle, .queued, .paused, .completed, .failed: facts.record(in: self).isDormant
    case .scheduled, .running, .ending, .waiting, .verifying, .discarding, .placing, .removed:
      false
    }
  }
}

/// The legal transitions of a transfer. `TransferMachine` enters no state without consulting them,
/// and docs/states.md draws them.
extension TransferMachine.State {
  /// A state without its payload.
  package enum Kind: Sendable, Hashable, CaseIterable {
    case idle, scheduled, queued, running, ending, waiting, paused, verifying, discarding, placing
    case completed, failed, removed

    /// The states that may follow. Only the payload changes where a state follows itself.
    package var exits: Set<Kind> {
      switch self {
      // Undoing a stop or a reset restores any state at rest.
      case .idle:
        [
          .idle, .queued, .scheduled, .waiting, .paused, .completed, .discarding, .failed, .removed,
        ]
      case .scheduled:
        [.scheduled, .queued, .waiting, .paused, .idle, .discarding, .failed, .removed]
      case .queued:
        [.running, .verifying, .placing, .waiting, .paused, .idle, .discarding, .failed, .removed]
      case .running: [.running, .ending]
      case .ending:
        [
          .ending, .running, .queued, .waiting, .paused, .idle, .verifying, .placing, .discarding,
          .completed, .failed, .removed,
        ]
      // A collection is complete when its members are.
      case .waiting:
        [
          .waiting, .queued, .paused, .verifying, .placing, .idle, .discarding, .completed, .failed,
          .removed,
        ]
      // Undoing a pause restores what the user is asked for.
      case .paused: [.queued, .scheduled, .waiting, .idle, .discarding, .failed, .removed]
      case .verifying: [.verifying, .placing, .waiting, .queued, .paused, .discarding, .failed]
      case .discarding: [.discarding, .idle, .queued, .failed, .removed]
      case .placing:
        [.placing, .queued, .waiting, .discarding, .completed, .failed, .removed]
      // A collection that is synced waits for its new members.
      case .completed: [.idle, .waiting, .discarding, .removed]
      case .failed: [.queued, .waiting, .paused, .idle, .discarding, .removed]
      case .removed: []
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .idle: .idle
    case .scheduled: .scheduled
    case .queued: .queued
    case .running: .running
    case .ending: .ending
    case .waiting: .waiting
    case .paused: .paused
    case .verifying: .verifying
    case .discarding: .discarding
    case .placing: .placing
    case .completed: .completed
    case .failed: .failed
    case .removed: .removed
    }
  }
}
