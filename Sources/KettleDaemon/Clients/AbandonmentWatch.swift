import KettleSystem

/// Counts the connected clients, and reports when none has been connected for a while.
final class AbandonmentWatch: Sendable {
  private struct State: Sendable {
    var count = 0
    /// Increases with each client. A wait that began before the latest one no longer counts.
    var arrivalCount = 0
  }

  private let state = Mutex(State())
  private let afterPause: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let whenAbandoned: @Sendable () -> Void

  /// - Parameters:
  ///   - afterPause: calls its argument when a service without clients has waited long enough.
  ///   - whenAbandoned: called when no client has come during a pause.
  init(
    afterPause: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    whenAbandoned: @escaping @Sendable () -> Void
  ) {
    self.afterPause = afterPause
    self.whenAbandoned = whenAbandoned
  }

  /// Begins to wait for the first client.
  func begin() { wait(since: 0) }

  func arrived() {
    state.withLock {
      $0.count += 1
      $0.arrivalCount += 1
    }
  }

  /// Begins to wait for another client if this was the last one.
  func left() {
    let arrivalCount: Int? = state.withLock { state in
      state.count -= 1
      return state.count == 0 ? state.arrivalCount : nil
    }
    if let arrivalCount { wait(since: arrivalCount) }
  }

  private func wait(since arrivalCount: Int) {
    afterPause { [self] in
      let isAbandoned = state.withLock { $0.count == 0 && $0.arrivalCount == arrivalCount }
      if isAbandoned { whenAbandoned() }
    }
  }
}
