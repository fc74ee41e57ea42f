import Dispatch
import KettleSystem

/// Schedules checks of the machine. However many are requested, at most one is pending and one is
/// scheduled for later.
final class CheckSchedule: Sendable {
  let checks: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let settling: Duration
  private let queue = DispatchQueue(label: "kettle.machine")
  private let plan = Mutex(Plan())

  private struct Plan {
    /// Changes are being gathered.
    var isGathering = false
    /// Numbers the later checks; only the last one counts.
    var lastDelayed = 0
  }

  init(settling: Duration) {
    self.settling = settling
    (checks, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func checkNow() { continuation.yield() }

  func end() { continuation.finish() }

  /// Schedules a check after a change; changes that follow shortly are part of it.
  func checkSoon() {
    let isFirst = plan.withLock { plan in
      defer { plan.isGathering = true }
      return !plan.isGathering
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + settling.interval) { [weak self] in
      self?.plan.withLock { $0.isGathering = false }
      self?.checkNow()
    }
  }

  /// Schedules a later check in place of the previous one.
  func check(after delay: Duration) {
    let number = plan.withLock { plan in
      plan.lastDelayed += 1
      return plan.lastDelayed
    }
    queue.asyncAfter(deadline: .now() + delay.interval) { [weak self] in
      guard let self, plan.withLock({ $0.lastDelayed == number }) else { return }
      checkNow()
    }
  }
}

extension Duration {
  fileprivate var interval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
