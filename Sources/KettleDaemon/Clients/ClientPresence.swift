import KettleSystem

/// Counts the connected clients, and reports when none has been connected for a while.
final class ClientPresence: Sendable {
  private struct State: Sendable {
    var count = 0
    /// Increases with each client: a wait that began before a client came is over.
    var arrivalCount = 0
  }

  private let state = Mutex(State())
  private let pause: @Sendable () async throws -> Void
  private let whenAbandoned: @Sendable () -> Void

  /// - Parameters:
  ///   - pause: returns when a service without clients has waited long enough.
  ///   - whenAbandoned: called when no client has come during a pause.
  init(
    pause: @escaping @Sendable () async throws -> Void,
    whenAbandoned: @escaping @Sendable () -> Void
  ) {
    self.pause = pause
    self.whenAbandoned = whenAbandoned
  }

  func arrived() {
    state.withLock {
      $0.count += 1
      $0.arrivalCount += 1
    }
  }

  /// Waits for the pause if this was the last client. Throws if the task is cancelled.
  func left() async throws {
    let arrivalCount: Int? = state.withLock { state in
      state.count -= 1
      return state.count == 0 ? state.arrivalCount : nil
    }
    if let arrivalCount { try await watch(since: arrivalCount) }
  }

  /// Waits for the first client.
  func begin() async throws { try await watch(since: 0) }

  private func watch(since arrivalCount: Int) async throws {
    try await pause()
    let isAbandoned = state.withLock { $0.count == 0 && $0.arrivalCount == arrivalCount }
    if isAbandoned { whenAbandoned() }
  }
}
