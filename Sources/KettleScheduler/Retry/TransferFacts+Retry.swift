import KettleModel

/// What follows a failure: a retry at some time, or the end.
extension TransferFacts {
  func afterFailure(
    _ failure: TransferFailure, retryAfter: RetryAfter?, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    let policy = context.retryPolicy.adapted(to: spec.options)
    var failure = failure
    if context.network == .absent, failure.mayBeTheNetwork, !spec.url.isLoopback {
      failure = TransferFailure(.networkDown, on: failure.subject, detail: failure.detail)
    }
    switch policy.decide(
      failure, retryCount: retryCount(for: failure, policy),
      hasBytes: !(resumeData?.durable.isEmpty ?? true), retryAfter: retryAfter,
      jitter: context.jitter)
    {
    case .giveUp: return .failed(failure)
    case .retry(let milliseconds, let reason):
      return .waiting(.retrying(after: milliseconds, reason, failure, at: context.now))
    }
  }

  /// How long a complete file waits for its destination; nil when that refuses it for good. Without
  /// a number of attempts from the user it waits as long as it takes.
  func waitForStore(
    after failure: TransferFailure, in context: DecisionContext
  ) -> TransferMachine.Waiting? {
    var facts = self
    if spec.options.attemptsMax == nil {
      facts.retryCount = min(retryCount, context.retryPolicy.retryCountMax - 1)
    }
    guard case .waiting(let waiting) = facts.afterFailure(failure, retryAfter: nil, in: context)
    else { return nil }
    return waiting
  }

  /// The retries so far. A request timeout set by the program does not end a task that has a time
  /// limit of its own.
  private func retryCount(for failure: TransferFailure, _ policy: RetryPolicy) -> Int {
    guard failure.code == .timedOut, task?.hasTimeLimit == true else { return retryCount }
    return min(retryCount, max(0, policy.retryCountMax - 1))
  }

  /// A full disk is waited for, and so is an object store that is away; every other problem with a
  /// file needs the user.
  func afterFileFailure(
    _ failure: TransferFailure, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    if !failure.isOfTheFile, let waiting = waitForStore(after: failure, in: context) {
      return .waiting(waiting)
    }
    guard failure.code == .diskFull else { return .failed(failure) }
    let milliseconds = context.retryPolicy.diskSpaceMilliseconds
    return .waiting(.retrying(after: milliseconds, .diskSpace, failure, at: context.now))
  }

  /// Whether a refusal limits the host. Beside other connections it concerns their number; a
  /// repeated one concerns this transfer.
  func mayBlameHost(in context: DecisionContext) -> Bool {
    context.otherConnectionCount > 0 && repetitions.permitsBlamingHost
  }

  /// The same for a connection that was refused without a response: unless the host serves others,
  /// it may accept none at all.
  func mayBlameHostForRefusedConnection(in context: DecisionContext) -> Bool {
    context.servedConnectionCount > 0 && mayBlameHost(in: context)
  }
}
