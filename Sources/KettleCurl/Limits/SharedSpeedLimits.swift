import KettleModel
import KettleSystem

/// The speed limits of all threads of a transport.
///
/// A thread that finds that attempts may resume passes on those that are not its own.
final class SharedSpeedLimits: Sendable {
  private let limits = Mutex(SpeedLimits())
  private let queues = Mutex<[CommandQueue]>([])

  func join(_ queue: CommandQueue) { queues.withLock { $0.append(queue) } }

  /// Lets the other threads resume attempts.
  func passOn(_ ids: [AttemptID], by queue: CommandQueue) {
    guard !ids.isEmpty else { return }
    for other in queues.withLock({ $0 }) where other !== queue {
      other.send(.resumeThrottled(ids))
    }
  }

  // MARK: As SpeedLimits

  func bytesPerSecond(for transfer: TransferID) -> Int64? {
    limits.withLock { $0.bytesPerSecond(for: transfer) }
  }

  func limit(_ transfer: TransferID, to bytesPerSecond: Int64?, at now: MonotonicTime) {
    limits.withLock { $0.limit(transfer, to: bytesPerSecond, at: now) }
  }

  func limitAll(to bytesPerSecond: Int64?, at now: MonotonicTime) {
    limits.withLock { $0.limitAll(to: bytesPerSecond, at: now) }
  }

  func admit(
    _ byteCount: Int, for attempt: AttemptID, of transfer: TransferID, at now: MonotonicTime
  ) -> Int {
    limits.withLock { $0.admit(byteCount, for: attempt, of: transfer, at: now) }
  }

  func remove(_ attempt: AttemptID) { limits.withLock { $0.remove(attempt) } }

  var nextResumption: MonotonicTime? { limits.withLock { $0.nextResumption } }

  func resume(at now: MonotonicTime) -> [AttemptID] { limits.withLock { $0.resume(at: now) } }
}
