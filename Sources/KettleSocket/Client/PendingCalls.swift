import KettleControl
import KettleSystem

/// The unanswered requests of one connection, each with the task that waits for it.
final class PendingCalls: Sendable {
  typealias Outcome = Result<UnreadResult, any Error>

  private enum Slot {
    /// The answer can arrive before the caller begins to wait.
    case unanswered
    case waiting(CheckedContinuation<UnreadResult, any Error>)
    case answered(Outcome)
  }

  private enum State {
    case open(nextID: Int64, slots: [Int64: Slot])
    /// Every request fails with this error.
    case ended(any Error)
  }

  private let state = Mutex(State.open(nextID: 1, slots: [:]))
  private let lineCount = Mutex(0)

  /// Returns an id for a request that is about to be sent.
  func makeID() throws -> Int64 {
    try state.withLock { state in
      switch state {
      case .ended(let error): throw error
      case .open(let id, var slots):
        state = .open(nextID: id, slots: [:])
        slots[id] = .unanswered
        state = .open(nextID: id + 1, slots: slots)
        return id
      }
    }
  }

  /// Waits for the answer to request `id`.
  func answer(to id: Int64) async throws -> UnreadResult {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let known = change(id) { slot -> Outcome? in
          switch slot {
          case .unanswered?:
            slot = .waiting(continuation)
            return nil
          case .answered(let outcome)?:
            slot = nil
            return outcome
          case .waiting?, nil:
            // Cancelled before it began to wait.
            return .failure(CancellationError())
          }
        }
        if let known { continuation.resume(with: known) }
      }
    } onCancel: {
      finish(id, .failure(CancellationError()))
    }
  }

  /// Completes a request with the service's answer, or with the reason why none will arrive. Drops
  /// an answer that has no waiting caller.
  func finish(_ id: Int64, _ outcome: Outcome) {
    let waiting = change(id) { slot -> CheckedContinuation<UnreadResult, any Error>? in
      switch slot {
      case .unanswered?:
        slot = .answered(outcome)
        return nil
      case .waiting(let continuation)?:
        slot = nil
        return continuation
      case .answered?, nil: return nil
      }
    }
    waiting?.resume(with: outcome)
  }

  /// Drops a request that could not be sent.
  func forget(_ id: Int64) {
    change(id) { $0 = nil }
  }

  /// Counts a line of the service.
  func noteLine() { lineCount.withLock { $0 &+= 1 } }

  /// Whether a request is unanswered, and how much has arrived.
  var progress: ServicePulse.Progress {
    let isWaiting = state.withLock { state in
      switch state {
      case .open(_, let slots):
        slots.values.contains { if case .answered = $0 { false } else { true } }
      case .ended: false
      }
    }
    return ServicePulse.Progress(
      isWaiting: isWaiting, receivedLineCount: lineCount.withLock { $0 })
  }

  /// Why no more answers arrive, or nil while the connection is open.
  var endError: (any Error)? {
    state.withLock { state in
      switch state {
      case .open: nil
      case .ended(let error): error
      }
    }
  }

  /// Fails all waiting and all future requests.
  func end(_ error: any Error) {
    let slots: [Int64: Slot] = state.withLock { state in
      guard case .open(_, let slots) = state else { return [:] }
      state = .ended(error)
      return slots
    }
    for case .waiting(let continuation) in slots.values { continuation.resume(throwing: error) }
  }

  private func change<Result: Sendable>(_ id: Int64, _ body: (inout Slot?) -> Result) -> Result {
    state.withLock { state in
      switch state {
      case .open(let nextID, var slots):
        state = .open(nextID: nextID, slots: [:])
        defer { state = .open(nextID: nextID, slots: slots) }
        return body(&slots[id])
      case .ended(let error):
        var slot: Slot? = .answered(.failure(error))
        return body(&slot)
      }
    }
  }
}

/// The unread notifications, bounded and coalesced by the same rules as on the service's side
/// (`ClientOutbox`). A reader that falls too far behind receives `resynchronise` in place of the
/// events.
final class NotificationInbox: Sendable {
  private enum State {
    case open(ClientOutbox, reader: CheckedContinuation<ControlNotification?, Never>?)
    /// Notifications that arrived before the end can still be read.
    case ended(ClientOutbox)
  }

  private let state: Mutex<State>

  init(limits: ClientOutbox.Limits = ClientOutbox.Limits()) {
    state = Mutex(.open(ClientOutbox(limits: limits, lag: .resynchronises), reader: nil))
  }

  func enqueue(_ notification: ControlNotification) {
    let reader: CheckedContinuation<ControlNotification?, Never>? = state.withLock { state in
      guard case .open(var waiting, let reader) = state else { return nil }
      if let reader {
        state = .open(waiting, reader: nil)
        return reader
      }
      // Keep the queue uniquely referenced, so that it is changed in place.
      state = .ended(ClientOutbox())
      defer { state = .open(waiting, reader: nil) }
      switch notification {
      case .viewport(let window): _ = waiting.enqueue(viewport: window)
      case .event(let event): _ = waiting.enqueue(event: event)
      case .completed(let completed): _ = waiting.enqueue(completed: completed.runs)
      case .resynchronise: waiting.enqueueGap()
      }
      return nil
    }
    reader?.resume(returning: notification)
  }

  /// Returns the next notification, or nil after the end. There is one reader.
  func next() async -> ControlNotification? {
    await withCheckedContinuation { continuation in
      let available: ControlNotification?? = state.withLock { state in
        switch state {
        case .open(var waiting, let reader):
          state = .ended(ClientOutbox())
          if let notification = Self.dequeue(from: &waiting) {
            state = .open(waiting, reader: reader)
            return .some(notification)
          }
          guard reader == nil else {
            state = .open(waiting, reader: reader)
            return .some(nil)
          }
          state = .open(waiting, reader: continuation)
          return nil
        case .ended(var waiting):
          state = .ended(ClientOutbox())
          defer { state = .ended(waiting) }
          return .some(Self.dequeue(from: &waiting))
        }
      }
      if let available { continuation.resume(returning: available) }
    }
  }

  func end() {
    let reader: CheckedContinuation<ControlNotification?, Never>? = state.withLock { state in
      guard case .open(let waiting, let reader) = state else { return nil }
      state = .ended(waiting)
      return reader
    }
    reader?.resume(returning: nil)
  }

  private static func dequeue(from waiting: inout ClientOutbox) -> ControlNotification? {
    waiting.next()?.notification
  }
}

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
