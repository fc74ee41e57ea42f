import KettleSystem

/// Notices that a service has stopped answering, so that nothing waits for it for ever.
///
/// A service that works on a long request still greets new connections. One that was stopped
/// (SIGSTOP), or that hangs, does not.
struct ServicePulse: Sendable {
  /// What has happened on the connection.
  struct Progress: Hashable, Sendable {
    /// Whether a request is unanswered.
    var isWaiting: Bool
    var receivedLineCount: Int
  }

  private static let interval = Duration.seconds(1)
  /// How many intervals pass after a service has greeted, before it is asked again.
  private static let calmIntervalCount = 5

  /// The service's process; not positive if it is unknown.
  let processID: Int64
  let progress: @Sendable () -> Progress
  /// Returns whether the service answers on a new connection.
  let greets: @Sendable () async -> Bool

  /// Waits until the service no longer answers. Returns false if the task is cancelled first.
  func waitForSilence() async -> Bool {
    var stoppedCount = 0
    var calmCount = 0
    var last: Progress?
    while true {
      do { try await Task.sleep(for: Self.interval) } catch { return false }
      // A single look may meet a debugger that attaches.
      stoppedCount = ProcessState.isStopped(processID) ? stoppedCount + 1 : 0
      if stoppedCount > 1 { return true }
      let now = progress()
      calmCount = max(0, calmCount - 1)
      if now.isWaiting, now == last, calmCount == 0 {
        if await !greets() { return !Task.isCancelled }
        calmCount = Self.calmIntervalCount
      }
      last = now
    }
  }
}

/// Limits how long a connection waits for the first reply.
struct GreetingLimit: Sendable {
  /// A service that uses its processor is busy; it gets this many times the usual limit.
  private static let busyFactor = 2.5
  private static let checkCount = 8

  /// A socket of systemd accepts clients while the service is started, which may take long.
  private static let startBudget = Duration.seconds(30)

  let processID: Int64
  let budget: Duration
  /// Whether the service has not begun to listen.
  var isStarting: @Sendable () -> Bool = { false }

  /// Returns when the service has had its time, or was stopped; earlier when the task is cancelled.
  func wait() async {
    let startDeadline = ContinuousClock.now + Self.startBudget
    while isStarting(), ContinuousClock.now < startDeadline {
      do { try await Task.sleep(for: .milliseconds(50)) } catch { return }
    }
    let before = ProcessState.processorTicks(processID)
    var stoppedCount = 0
    for _ in 0..<Self.checkCount {
      do { try await Task.sleep(for: budget / Self.checkCount) } catch { return }
      stoppedCount = ProcessState.isStopped(processID) ? stoppedCount + 1 : 0
      if stoppedCount > 1 { return }
    }
    guard let before, let after = ProcessState.processorTicks(processID), after > before else {
      return
    }
    try? await Task.sleep(for: budget * (Self.busyFactor - 1))
  }
}
