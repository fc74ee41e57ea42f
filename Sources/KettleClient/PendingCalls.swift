import KettleControl
import KettleSystem

/// The unanswered requests of one connection, each with the task that waits for it.
final class PendingCalls: Sendable {
  typealias Outcome = Result<UnreadResult, any Error>

  private enum Slot {
    /// The answer can arrive before the caller begins to wait.
    case unanswered
    case waiting(CheckedContinuation<UnreadResult, any Error>)
    case answered(Outcome)
  }

  private enum State {
    case open(nextID: Int64, slots: [Int64: Slot])
    /// Every request fails with this error.
    case ended(any Error)
  }

  private let state = Mutex(State.open(nextID: 1, slots: [:]))
  private let lineCount = Mutex(0)

  /// Returns an id for a request that is about to be sent.
  func makeID() throws -> Int64 {
    try state.withLock { state in
      switch state {
      case .ended(let error): throw error
      case .open(let id, var slots):
        state = .open(nextID: id, slots: [:])
        slots[id] = .unanswered
        state = .open(nextID: id + 1, slots: slots)
        return id
      }
    }
  }

  /// Waits for the answer to request `id`.
  func answer(to id: Int64) async throws -> UnreadResult {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let known = change(id) { slot -> Outcome? in
          switch slot {
          case .unanswered?:
            slot = .waiting(continuation)
            return nil
          case .answered(let outcome)?:
            slot = nil
            return outcome
          case .waiting?, nil:
            // Cancelled before it began to wait.
            return .failure(CancellationError())
          }
        }
        if let known { continuation.resume(with: known) }
      }
    } onCancel: {
      finish(id, .failure(CancellationError()))
    }
  }

  /// Completes a request with the service's answer, or with the reason why none will arrive. Drops
  /// an answer that has no waiting caller.
  func finish(_ id: Int64, _ outcome: Outcome) {
    let waiting = change(id) { slot -> CheckedContinuation<UnreadResult, any Error>? in
      switch slot {
      case .unanswered?:
        slot = .answered(outcome)
        return nil
      case .waiting(let continuation)?:
        slot = nil
        return continuation
      case .answered?, nil: return nil
      }
    }
    waiting?.resume(with: outcome)
  }

  /// Drops a request that could not be sent.
  func forget(_ id: Int64) {
    change(id) { $0 = nil }
  }

  /// Counts a line of the service.
  func noteLine() { lineCount.withLock { $0 &+= 1 } }

  /// Whether a request is unanswered, and how much has arrived.
  var progress: ServicePulse.Progress {
    let isWaiting = state.withLock { state in
      switch state {
      case .open(_, let slots):
        slots.values.contains { if case .answered = $0 { false } else { true } }
      case .ended: false
      }
    }
    return ServicePulse.Progress(
      isWaiting: isWaiting, receivedLineCount: lineCount.withLock { $0 })
  }

  /// Why no more answers arrive, or nil while the connection is open.
  var endError: (any Error)? {
    state.withLock { state in
      switch state {
      case .open: nil
      case .ended(let error): error
      }
    }
  }

  /// Fails all waiting and all future requests.
  func end(_ error: any Error) {
    let slots: [Int64: Slot] = state.withLock { state in
      guard case .open(_, let slots) = state else { return [:] }
      state = .ended(error)
      return slots
    }
    for case .waiting(let continuation) in slots.values { continuation.resume(throwing: error) }
  }

  private func change<Result: Sendable>(_ id: Int64, _ body: (inout Slot?) -> Result) -> Result {
    state.withLock { state in
      switch state {
      case .open(let nextID, var slots):
        state = .open(nextID: nextID, slots: [:])
        defer { state = .open(nextID: nextID, slots: slots) }
        return body(&slots[id])
      case .ended(let error):
        var slot: Slot? = .answered(.failure(error))
        return body(&slot)
      }
    }
  }
}
