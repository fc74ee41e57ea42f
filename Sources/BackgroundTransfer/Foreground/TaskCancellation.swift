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

  /// Ends the time in which the task can be cancelled. FoundationNetworking has reported the end of
  /// the task, and forgets it when this report returns.
  ///
  /// A cancellation that is under way is awaited. It runs on a queue of the task, possibly after a
  /// reply of the cache, and stores the error first.
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
      // Reading it waits for what is on the queue.
      _ = task.priority
      let isCancelled = (task.error as? URLError)?.code == .cancelled
      if isCancelled || task.state != .canceling { return }
      sched_yield()
    }
  }

  /// Bounds the wait for a queue that does not respond.
  private static let turnCountMax = 100_000
}
