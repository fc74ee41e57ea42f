import Glibc

/// The children that this process has started and not yet reaped.
package enum OwnChildren {
  private static let running = Mutex<Set<pid_t>>([])

  /// Calls `start`, which returns the number of the child that it has started.
  static func starting(
    _ start: () -> Result<pid_t, ProcessSpawn.Failed>
  ) -> Result<pid_t, ProcessSpawn.Failed> {
    running.withLock { running in
      let result = start()
      if case .success(let processID) = result { running.insert(processID) }
      return result
    }
  }

  static func wasReaped(_ processID: pid_t) {
    _ = running.withLock { $0.remove(processID) }
  }

  /// Reaps an ended child that this process did not start. Returns false for one that it did: the
  /// thread that waits for it reaps it.
  package static func reapUnlessOwn(_ processID: pid_t) -> Bool {
    running.withLock { running in
      guard !running.contains(processID) else { return false }
      var status: Int32 = 0
      waitpid(processID, &status, WNOHANG)
      return true
    }
  }
}
