import KettleSystem

/// A handler that passes on the first value and ignores later ones.
final class Once<Value: Sendable>: Sendable {
  private let body: Mutex<(@Sendable (Value) -> Void)?>

  init(_ body: @escaping @Sendable (Value) -> Void) { self.body = Mutex(body) }

  func call(_ value: Value) {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    body?(value)
  }
}
