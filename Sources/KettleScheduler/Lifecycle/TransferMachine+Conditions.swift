import KettleModel

/// What the machine must give before bytes flow.
extension TransferMachine {
  /// The first of its conditions that does not hold.
  package func unmetCondition(_ met: Set<TransferCondition>) -> TransferCondition? {
    guard let conditions = record.spec.task?.conditions, !conditions.isEmpty else { return nil }
    return TransferCondition.allCases.first { conditions.contains($0) && !met.contains($0) }
  }

  package var waitsForCondition: Bool {
    switch state {
    case .waiting(let waiting), .ending(_, next: .waiting(let waiting)):
      waiting.reason == .discretionary
    case .idle, .scheduled, .queued, .running, .ending, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      false
    }
  }

  /// Queued though a condition does not hold: waits for it. A file that is whole needs nothing.
  mutating func holdBack(for condition: TransferCondition) {
    guard state == .queued, wholeResumeData == nil else { return }
    enter(.waiting(.discretionary(condition)))
  }

  /// What runs ends with its bytes kept, which is no failure; what waited goes on.
  ///
  /// - Parameter condition: the first that does not hold, nil when all do.
  @discardableResult
  package mutating func conditionsChanged(unmet condition: TransferCondition?) -> ControlAction {
    switch (state, condition) {
    case (.waiting(let waiting), nil) where waiting.reason == .discretionary:
      enter(.queued)
    case (.waiting(let waiting), .some(let condition)) where waiting.reason == .discretionary:
      enter(.waiting(.discretionary(condition)))
    case (.ending(let phase, next: .waiting(let waiting)), nil)
    where waiting.reason == .discretionary:
      enter(.ending(phase, next: .queued))
    case (.ending(let phase, next: .waiting(let waiting)), .some(let condition))
    where waiting.reason == .discretionary:
      enter(.ending(phase, next: .waiting(.discretionary(condition))))
    case (.ending(let phase, next: .queued), .some(let condition)),
      (.ending(let phase, next: .askAgain), .some(let condition)):
      enter(.ending(phase, next: .waiting(.discretionary(condition))))
    case (.running(let fetch), .some(let condition)):
      return cancel(fetch, next: .waiting(.discretionary(condition)))
    case (.queued, .some(let condition)):
      holdBack(for: condition)
    case (.idle, _), (.scheduled, _), (.queued, nil), (.running, nil), (.ending, _), (.waiting, _),
      (.paused, _), (.verifying, _), (.discarding, _), (.placing, _), (.completed, _), (.failed, _),
      (.removed, _):
      break
    }
    return .nothing
  }
}

extension TransferMachine.Waiting {
  static func discretionary(_ condition: TransferCondition) -> Self {
    Self(
      reason: .discretionary, until: nil, goesOnAt: nil,
      failure: TransferFailure(.conditionUnmet, on: condition.rawValue))
  }
}
