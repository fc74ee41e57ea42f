import KettleModel

/// Conditions that this computer must meet before bytes flow.
extension TransferMachine {
  /// The first of its conditions that is not met.
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

  /// If it is queued and a condition is unmet, waits for it. A whole file needs no condition.
  mutating func holdBack(for condition: TransferCondition) {
    guard state == .queued, wholeResumeData == nil else { return }
    enter(.waiting(.discretionary(condition)))
  }

  /// A running transfer ends with its bytes kept, which is no failure; a waiting one continues.
  ///
  /// - Parameter condition: the first unmet condition; nil when all are met.
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
