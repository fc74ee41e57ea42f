import KettleSystem

/// An event that happens once, and the tasks that wait for it.
///
/// A task may leave the engine on its way to the body of `withCheckedContinuation`, as to any other
/// function that suspends, and other work may run in between. So the code that decides passes a
/// completion to the code that carries the decision out, in one step, and awaits it afterwards.
package final class Completion<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case open([CheckedContinuation<Value, Never>])
    case done(Value)
  }

  private let state = Mutex(State.open([]))

  package init() {}

  /// Finishes with the first value; later ones are ignored.
  package func finish(_ value: Value) {
    let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
      guard case .open(let waiting) = state else { return [] }
      state = .done(value)
      return waiting
    }
    for one in waiting { one.resume(returning: value) }
  }

  package func value() async -> Value {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Value? in
        switch state {
        case .open(let waiting):
          state = .open(waiting + [continuation])
          return nil
        case .done(let value): return value
        }
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}

extension Completion<Void> {
  package func finish() { finish(()) }
}
