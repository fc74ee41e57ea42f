import Dispatch
import KettleSystem

/// Says when to look. However often it is asked, one ring waits at a time, and one comes later.
final class LookAlarm: Sendable {
  let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let settling: Duration
  private let queue = DispatchQueue(label: "kettle.machine")
  private let plan = Mutex(Plan())

  private struct Plan {
    /// What changes is being gathered.
    var isGathering = false
    /// Numbers the rings that come later; only the last one counts.
    var lastLater = 0
  }

  init(settling: Duration) {
    self.settling = settling
    (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func now() { continuation.yield() }

  func end() { continuation.finish() }

  /// Something changed; what follows at its heels is part of it.
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

  /// In the place of the last one that was to come later.
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
