import Foundation
import Glibc
import KettleSystem

/// The cancellation of a task of FoundationNetworking, which ends the process if a cancelled task
/// is asked about a redirect, or if it cancels a task that it has forgotten.
final class TaskCancellation: Sendable {
  private enum Phase {
    case notRequested, requested
    /// The task has ended.
    case tooLate
  }

  private let phase = Mutex(Phase.notRequested)

  /// Cancels the task, once and not after its end.
  func request(of task: System.Task?) {
    phase.withLock { phase in
      switch phase {
      case .notRequested:
        phase = .requested
        task?.cancel()
      case .requested, .tooLate: break
      }
    }
  }

  /// Calls `body` unless the task was cancelled.
  func unlessRequested(_ body: () -> Void) {
    phase.withLock { phase in
      switch phase {
      case .notRequested: body()
      case .requested, .tooLate: break
      }
    }
  }

  /// Rejects later cancellations and waits for one that is under way. Call it when
  /// FoundationNetworking reports the end of the task: it forgets the task when the report returns.
  ///
  /// A cancellation runs on a queue of the task, possibly after a reply of the cache. It sets the
  /// error of the task first.
  func end(of task: System.Task) {
    let wasRequested = phase.withLock { phase in
      defer { phase = .tooLate }
      return switch phase {
      case .requested: true
      case .notRequested, .tooLate: false
      }
    }
    guard wasRequested else { return }
    for _ in 0..<Self.turnCountMax {
      // Reading the priority waits for the work on the queue.
      _ = task.priority
      let isCancelled = (task.error as? URLError)?.code == .cancelled
      if isCancelled || task.state != .canceling { return }
      sched_yield()
    }
  }

  /// Bounds the wait for a queue that does not respond.
  private static let turnCountMax = 100_000
}
