import KettleSystem

/// Lets only so many worlds stand at once: each has threads, sockets and a store, and their budgets
/// are times on a machine that is not swamped by the others.
final class WorldGate: Sendable {
  static let shared = WorldGate(permits: 24)

  private struct State: Sendable {
    var permits: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(permits: Int) { state = Mutex(State(permits: permits)) }

  func enter() async -> Pass {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.permits > 0 {
          state.permits -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    return Pass(gate: self)
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.permits += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }

  /// Lets the next one in when its last reference goes.
  final class Pass: Sendable {
    private let gate: WorldGate

    fileprivate init(gate: WorldGate) { self.gate = gate }

    deinit { gate.leave() }
  }
}
