import BackgroundTransfer

extension URLSessionTask {
  /// Waits until the task has a matching waiting reason, which is checked at each update of the
  /// task. The time limit is that of the suite.
  ///
  /// - Returns: False when the task ended first.
  func waits(for isMeant: (BackgroundTransfer.WaitingReason) -> Bool) async -> Bool {
    for await _ in progressUpdates {
      if let reason = waitingReason, isMeant(reason) { return true }
    }
    return false
  }

  func waits(for reason: BackgroundTransfer.WaitingReason) async -> Bool {
    await waits { $0 == reason }
  }
}
