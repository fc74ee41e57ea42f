import KettleModel

/// User controls.
extension TransferScheduler {
  package enum Control: Sendable, Hashable {
    case start, pause, stop
    case remove(TransferMachine.FileFate)
    case reset
    /// A fresh link for the same file, with the login that it contained.
    case relink(TransferURL, Login?)
    /// Bytes per second; nil means no limit.
    case limit(Int64?)
    case prioritize(TransferPriority)
    /// For tasks only, requested by their program.
    case cancel(keepsBytes: Bool)
  }

  package enum ControlResult: Sendable, Hashable {
    case applied, unknown, completed, notStarted
  }

  package mutating func control(
    _ control: Control, _ ids: [TransferID], at now: Moment
  ) -> ([ControlResult], Turn) {
    var turn = Turn()
    var results: [ControlResult] = []
    for id in ids {
      guard let machine = machines[id], control.isMeant(for: machine) else {
        results.append(.unknown)
        continue
      }
      if machine.isFinalTask, control.wouldRevive {
        results.append(.completed)
        continue
      }
      let operation = nextOperation()
      if control == .start, let record = machines[id]?.record, record.reason == .retryAfter {
        hosts.reopen(record.spec.url.origin)
      }
      let action = update(id, &turn) { machine in
        defer { machine.noteStart(at: now.wall) }
        return switch control {
        case .start: machine.start(at: now)
        case .pause: machine.pause()
        case .stop: machine.stop(operation)
        case .remove(let fate): machine.remove(fate, operation, at: now)
        case .reset: machine.reset(operation)
        case .relink(let url, let login): machine.relink(url, login, at: now)
        case .limit(let limit): machine.limit(limit)
        case .prioritize(let priority): machine.prioritize(priority)
        case .cancel(let keepsBytes):
          machine.cancel(keepsBytes: keepsBytes, operation, at: now)
        }
      }
      results.append(perform(action, of: id, &turn))
    }
    fillSlots(&turn, at: now)
    return (results, turn)
  }

  @discardableResult
  mutating func perform(
    _ action: TransferMachine.ControlAction?, of id: TransferID, _ turn: inout Turn
  ) -> ControlResult {
    switch action {
    case nil, .nothing: return .applied
    case .cancelAttempts(let attempts): turn.now += attempts.map(TransferAction.cancelAttempt)
    case .discardPartialFile(let operation, let resumeData):
      turn.afterCommit.append(.discardPartialFile(id, operation, resumeData))
    case .deleteFinishedFile(let file): turn.afterCommit.append(.deleteFinishedFile(id, file))
    case .limit(let limit): turn.now.append(.limit(id, bytesPerSecond: limit))
    case .refuseCompleted: return .completed
    case .refuseNotStarted: return .notStarted
    }
    return .applied
  }

  /// Sets the common limit; connections that it slows down do not count as silent.
  package mutating func limitAll(toBytesPerSecond limit: Int64?) { limitBytesPerSecond = limit }

  /// Ends running transfers so that they continue after the next start.
  package mutating func shutDown(at now: Moment) -> Turn {
    phase = .shuttingDown
    var turn = Turn()
    for id in machines.keys.sorted() where machines[id]?.occupiesSlot == true {
      let action = update(id, &turn) { $0.suspendForShutdown() }
      _ = perform(action, of: id, &turn)
    }
    return turn
  }
}

extension TransferScheduler.Control {
  fileprivate func isMeant(for machine: TransferMachine) -> Bool {
    if case .cancel = self { machine.isTask } else { true }
  }

  /// A program is notified of its task's end exactly once; only removal may follow.
  fileprivate var wouldRevive: Bool {
    switch self {
    case .start, .stop, .reset, .relink: true
    case .pause, .remove, .limit, .prioritize, .cancel: false
    }
  }
}
