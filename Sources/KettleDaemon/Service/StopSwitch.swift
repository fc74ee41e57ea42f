import KettleSystem

/// A one-way switch, turned on by a signal, a request or the absence of clients; it resumes the
/// waiting task. The first reason counts.
final class StopSwitch: Sendable {
  enum Reason: Sendable {
    case requested
    /// No client was connected for as long as the options permit.
    case abandoned
  }

  private enum State: Sendable {
    case off
    case awaited(CheckedContinuation<Reason, Never>)
    case on(Reason)
  }

  private let state = Mutex(State.off)

  func turnOn(_ reason: Reason = .requested) {
    let waiting = state.withLock { state -> CheckedContinuation<Reason, Never>? in
      switch state {
      case .off:
        state = .on(reason)
        return nil
      case .awaited(let continuation):
        state = .on(reason)
        return continuation
      case .on: return nil
      }
    }
    waiting?.resume(returning: reason)
  }

  /// Returns why the switch is on, once it is. At most one task waits.
  func waitUntilOn() async -> Reason {
    await withCheckedContinuation { continuation in
      let reason: Reason? = state.withLock { state in
        if case .on(let reason) = state { return reason }
        state = .awaited(continuation)
        return nil
      }
      if let reason { continuation.resume(returning: reason) }
    }
  }
}
