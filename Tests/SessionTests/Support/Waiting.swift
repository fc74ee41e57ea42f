import BackgroundTransfer

extension URLSessionTask {
  /// Waits until the task waits for what is meant; each news of the task is a reason to look. The
  /// budget is that of the suite.
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
