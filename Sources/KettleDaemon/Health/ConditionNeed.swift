import KettleEngine
import KettleModel
import KettleSystem

/// Tracks whether a task of a program is in progress. Only tasks can have conditions; while there
/// are none, power and network need not be watched.
final class ConditionNeed: Sendable {
  /// Yields whether there is one, each time that it changes.
  let changes: AsyncStream<Bool>
  private let continuation: AsyncStream<Bool>.Continuation
  private let underWay = Mutex<Set<TransferID>>([])

  init() {
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Handles an engine event. Events arrive in order.
  func observe(_ event: EngineEvent) {
    switch event {
    case .added(let row), .changed(let row):
      guard row.task != nil else { return }
      update(row.id, isUnderWay: Self.isUnderWay(row.state))
    case .removed(let row):
      guard row.task != nil else { return }
      update(row.id, isUnderWay: false)
    case .recovered, .listed, .loaded, .evicted, .progress, .cleared, .uncovered, .limited:
      break
    }
  }

  private static func isUnderWay(_ state: TransferState) -> Bool {
    switch state {
    case .queued, .running, .waiting: true
    case .idle, .scheduled, .paused, .verifying, .completed, .failed: false
    }
  }

  private func update(_ id: TransferID, isUnderWay: Bool) {
    underWay.withLock { underWay in
      let was = !underWay.isEmpty
      if isUnderWay {
        underWay.insert(id)
      } else {
        underWay.remove(id)
      }
      if underWay.isEmpty == was { continuation.yield(!was) }
    }
  }
}
