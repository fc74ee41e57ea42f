import KettleSystem

/// Limits the number of worlds at the same time: each has threads, sockets and a store, and the
/// time budgets assume a machine that is not overloaded.
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

  /// Admits the next world when its last reference is released.
  final class Pass: Sendable {
    private let gate: WorldGate

    fileprivate init(gate: WorldGate) { self.gate = gate }

    deinit { gate.leave() }
  }
}
