import KettleModel

/// What undoes a control that discarded nothing, of one transfer. It applies only while the
/// transfer is as the control left it.
package enum Reversal: Hashable, Sendable {
  /// It was paused.
  case start
  /// It was paused while it asked for something.
  case ask(WaitingReason, TransferFailure)
  /// It was started. Its bytes stay.
  case pause
  /// The same, of one that had never begun.
  case standStill
  case limit(before: Int64?, after: Int64?)
  case priority(before: TransferPriority, after: TransferPriority)

  /// nil if the control has changed nothing, or what goes on by itself.
  init?(
    of control: TransferScheduler.Control, from before: TransferMachine, to after: TransferMachine
  ) {
    switch control {
    case .pause:
      guard after.visibleState == .paused, before.visibleState != .paused else { return nil }
      guard let waiting = before.state.waiting, waiting.reason.needsUser else {
        self = .start
        return
      }
      self = .ask(waiting.reason, waiting.failure)
    case .start:
      guard after.visibleState != before.visibleState else { return nil }
      switch before.visibleState {
      case .idle: self = .standStill
      case .paused, .failed, .scheduled: self = .pause
      case .queued, .running, .waiting, .verifying, .completed: return nil
      }
    case .limit(let limit):
      let known = before.spec.limitBytesPerSecond
      guard known != limit, after.spec.limitBytesPerSecond == limit else { return nil }
      self = .limit(before: known, after: limit)
    case .prioritize(let priority):
      guard before.spec.priority != priority else { return nil }
      self = .priority(before: before.spec.priority, after: priority)
    case .startFresh, .stop, .accept, .remember, .remove, .reset, .relink, .change, .takeOver,
      .cancel:
      return nil
    }
  }

  fileprivate func applies(to machine: TransferMachine) -> Bool {
    switch self {
    case .start, .ask: machine.visibleState == .paused
    case .pause, .standStill:
      switch machine.visibleState {
      case .queued, .running, .waiting, .scheduled, .verifying: true
      case .idle, .paused, .completed, .failed: false
      }
    case .limit(_, let after):
      machine.visibleState != .completed && machine.spec.limitBytesPerSecond == after
    case .priority(_, let after): machine.spec.priority == after
    }
  }
}

extension TransferMachine {
  fileprivate mutating func revert(
    _ reversal: Reversal, _ operation: OperationID, at now: Moment
  ) -> Transition {
    switch reversal {
    case .start: return start(at: now)
    case .ask(let reason, let failure):
      guard case .paused = state else { return start(at: now) }
      var asking = record
      (asking.state, asking.reason, asking.failure) = (.waiting, reason, failure)
      return restore(asking, at: now)
    case .pause: return pause()
    case .standStill: return facts.resumeData == nil ? stop(operation) : pause()
    case .limit(let before, _): return limit(toBytesPerSecond: before)
    case .priority(let before, _): return prioritize(before)
    }
  }
}

/// Undoing controls that discarded nothing.
extension TransferScheduler {
  /// Removes and returns an action that is about to be undone; nil if the log does not have it.
  package mutating func takeLogged(_ action: BinAction) -> ControlLog.Entry? {
    controlLog.take(action.number)
  }

  /// Reverts a control of transfers, which must be in memory.
  ///
  /// - Returns: those that had not changed since.
  package mutating func revert(
    _ reversal: Reversal, of transfers: [TransferID], at now: Moment
  ) -> ([TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    let reverted = transfers.filter { machines[$0].map(reversal.applies) ?? false }
    for id in reverted {
      let operation = ids.nextOperation()
      update(id, into: &output) { $0.revert(reversal, operation, at: now) }
    }
    fillSlots(&output, at: now)
    return (reverted, output)
  }

  /// Restores the order before a move, unless one of the transfers was moved since. They must be in
  /// memory.
  package mutating func revert(
    _ places: [ControlLog.Place], at now: Moment
  ) -> ([TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    let present = places.filter { machines[$0.id] != nil }.sorted { $0.before < $1.before }
    guard present.allSatisfy({ machines[$0.id]?.queuePosition == $0.after }) else {
      return ([], output)
    }
    order.restore(present)
    for place in present {
      update(place.id, into: &output) {
        $0.move(to: place.before)
        return .none
      }
    }
    fillSlots(&output, at: now)
    return (present.map(\.id), output)
  }

  /// Restores the limit for all transfers together; nil if it was changed since.
  package mutating func revertTotalLimit(
    before: Int64?, after: Int64?, at now: Moment
  ) -> SchedulerOutput? {
    limitBytesPerSecond == after ? choose(totalLimit: before, at: now) : nil
  }
}
