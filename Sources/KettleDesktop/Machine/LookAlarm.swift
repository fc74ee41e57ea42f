import Dispatch
import KettleSystem

/// Schedules looks. However many are requested, at most one ring is pending and one is scheduled
/// for later.
final class CheckSchedule: Sendable {
  let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let settling: Duration
  private let queue = DispatchQueue(label: "kettle.machine")
  private let plan = Mutex(Plan())

  private struct Plan {
    /// Changes are being gathered.
    var isGathering = false
    /// Numbers the later rings; only the last one counts.
    var lastLater = 0
  }

  init(settling: Duration) {
    self.settling = settling
    (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func now() { continuation.yield() }

  func end() { continuation.finish() }

  /// Schedules a look after a change; changes that follow shortly are part of it.
  func soon() {
    let isFirst = plan.withLock { plan in
      defer { plan.isGathering = true }
      return !plan.isGathering
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + settling.interval) { [weak self] in
      self?.plan.withLock { $0.isGathering = false }
      self?.now()
    }
  }

  /// Schedules a later look in place of the previous one.
  func later(_ delay: Duration) {
    let number = plan.withLock { plan in
      plan.lastLater += 1
      return plan.lastLater
    }
    queue.asyncAfter(deadline: .now() + delay.interval) { [weak self] in
      guard let self, plan.withLock({ $0.lastLater == number }) else { return }
      now()
    }
  }
}

extension Duration {
  fileprivate var interval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
