import KettleControl
import KettleEngine
import KettleModel

/// Remembers the outcome of add requests, so that a request repeated after a lost reply adds
/// nothing twice. It lives as long as the service.
actor AddedRequests {
  typealias Outcome = Result<[TransferID], ControlError>

  private enum Entry {
    case underWay(Task<Outcome, Never>)
    case added(IDRuns)
  }

  private let countMax: Int
  private var entries: [String: Entry] = [:]
  /// The successful ones, oldest first.
  private var order: [String] = []

  init(countMax: Int = 100_000) { self.countMax = countMax }

  /// Adds, unless the request was already made. A failed request may be retried.
  func outcome(
    of requestID: String?, adding: @escaping @Sendable () async -> Outcome
  ) async -> Outcome {
    guard let requestID else { return await adding() }
    switch entries[requestID] {
    case .added(let runs): return .success(runs.ids)
    case .underWay(let task): return await task.value
    case nil: break
    }
    let task = Task(executorPreference: WorkerPool.tasks) { await adding() }
    entries[requestID] = .underWay(task)
    let outcome = await task.value
    switch outcome {
    case .success(let ids):
      entries[requestID] = .added(IDRuns(ids))
      order.append(requestID)
      forgetOldest()
    case .failure: entries[requestID] = nil
    }
    return outcome
  }

  /// Removes many at once, so that the array is not shifted for each.
  private func forgetOldest() {
    guard order.count > countMax + countMax / 8 else { return }
    let surplus = order.count - countMax
    for requestID in order.prefix(surplus) { entries[requestID] = nil }
    order.removeFirst(surplus)
  }
}
