import KettleSystem

/// A handler that passes on the first value and ignores later ones.
final class Once<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var body: (@Sendable (Value) -> Void)?
  }

  private let state: Mutex<State>

  init(_ body: @escaping @Sendable (Value) -> Void) { state = Mutex(State(body: body)) }

  func call(_ value: Value) {
    let body = state.withLock { state in
      defer { state.body = nil }
      return state.body
    }
    body?(value)
  }
}
