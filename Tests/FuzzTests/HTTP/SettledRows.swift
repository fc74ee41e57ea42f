import Dispatch
import KettleEngine
import KettleModel
import KettleSystem

/// Tracks which transfers have settled, and waits for one to settle.
final class SettledRows: Sendable {
  private typealias Waiter = CheckedContinuation<TransferSnapshot?, Never>

  private struct State: Sendable {
    var rows: [TransferID: TransferSnapshot] = [:]
    var waiters: [TransferID: Waiter] = [:]
  }

  private static let budgetSeconds = 60
  private let state = Mutex(State())
  private let deadlines = DispatchQueue(label: "fuzz.deadlines")

  func note(_ event: EngineEvent) {
    switch event {
    case .added(let row), .changed(let row), .progress(let row, _): note(row)
    case .listed(let listed): listed.rows.forEach(note)
    case .removed, .recovered, .loaded, .evicted, .cleared, .uncovered, .limited, .queues,
      .hooksDue:
      break
    }
  }

  private func note(_ row: TransferSnapshot) {
    let isSettled =
      row.state.isFinished || row.reason?.needsUser == true || row.reason == .retryAfter
    let waiter = state.withLock { state -> Waiter? in
      state.rows[row.id] = isSettled ? row : nil
      return isSettled ? state.waiters.removeValue(forKey: row.id) : nil
    }
    waiter?.resume(returning: row)
  }

  /// Returns the transfer when it is finished or waits for its user; nil if the budget runs out.
  func settled(_ id: TransferID) async -> TransferSnapshot? {
    await withCheckedContinuation { (waiter: Waiter) in
      let row = state.withLock { state -> TransferSnapshot? in
        if let row = state.rows[id] { return row }
        state.waiters[id] = waiter
        return nil
      }
      if let row {
        waiter.resume(returning: row)
      } else {
        deadlines.asyncAfter(deadline: .now() + .seconds(Self.budgetSeconds)) { [weak self] in
          self?.giveUp(id)
        }
      }
    }
  }

  private func giveUp(_ id: TransferID) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
  }

  func forget(_ id: TransferID) { state.withLock { $0.rows[id] = nil } }
}
