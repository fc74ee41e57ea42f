import Dispatch
import KettleModel
import KettleScheduler
import Logging

/// Why transfers do not move, and when they will be complete: made only when a client looks, and at
/// most once a second.
extension TransferEngine {
  /// The outlooks made so far.
  struct Outlooks: Sendable {
    var latest: QueueOutlook?
    /// Finished when the outlook that is being made is there.
    var pending: Completion<QueueOutlook>?
    var stored: Reading?

    /// The queue as it was in the store.
    struct Reading: Sendable {
      var queue: StoredQueue
      var totalCount: Int
      var readAt: MonotonicTime
      var evictionCount: Int
    }
  }

  /// More queued transfers are not simulated.
  static let simulatedCountMax = 100_000
  /// The queue in the store is read again after this time if transfers were evicted since.
  private static let storedMilliseconds: Int64 = 30_000

  package typealias OutlookAge = QueueOutlook.Age

  /// Fills in what depends on other transfers: what rows of the queue wait for, and when every row
  /// is expected to be complete. Only the collecting takes place on the engine.
  package nonisolated func explained(
    _ rows: [TransferSnapshot], _ age: OutlookAge
  ) async -> (rows: [TransferSnapshot], outlook: QueueOutlook) {
    let explanations = await explanations(of: rows, age)
    return (rows.map(explanations.explain), explanations.outlook)
  }

  private func explanations(
    of rows: [TransferSnapshot], _ age: OutlookAge
  ) async -> RowExplanations {
    let outlook = await outlook(age)
    var explanations = RowExplanations(
      census: scheduler.census(at: clock.now()), outlook: outlook)
    for row in rows where row.state == .queued {
      explanations.since[row.id] = live[row.id]?.standingSince
      explanations.connections[row.id] = scheduler.machines[row.id]?.spec.connections
    }
    return explanations
  }

  /// The same for one transfer in memory, with its rank however long the queue is.
  package func explained(_ row: TransferSnapshot) async -> TransferSnapshot {
    var explained = await explained([row], .current).rows.first ?? row
    if row.state == .queued, explained.heldBack?.rank == nil {
      let isReached = outlooks.latest?.reaches(
        row.id, priority: row.priority, position: row.queuePosition ?? 0)
      if isReached != false {
        // It was added or moved since the outlook was made.
        outlooks.latest = nil
        explained = await self.explained([row], .current).rows.first ?? row
      }
      if explained.heldBack?.rank == nil { explained.heldBack?.rank = await rank(of: row) }
    }
    return explained
  }

  /// The place in the queue of a transfer that an outlook does not reach.
  private func rank(of row: TransferSnapshot) async -> Int? {
    let place = QueuePosition(position: row.queuePosition ?? 0, id: row.id)
    let counted = await withCheckedContinuation { answered in
      outlookQueue.async { [archive] in
        answered.resume(
          returning: try? archive.queuedCount(before: row.priority, place))
      }
    }
    return counted.map { scheduler.rank(of: row.id, storedBefore: $0) }
  }

  // MARK: Outlooks

  private func outlook(_ age: OutlookAge) async -> QueueOutlook {
    let now = clock.now().monotonic
    if let latest = outlooks.latest {
      let milliseconds = now.milliseconds(since: latest.madeAt.monotonic)
      if milliseconds < latest.renewalMilliseconds(age) { return latest }
      // A client that is shown rows several times a second does not wait for it.
      if case .shown = age, milliseconds < QueueOutlook.renewalMillisecondsMax {
        if outlooks.pending == nil {
          Task(executorPreference: WorkerPool.tasks) { [weak self] in _ = await self?.makeOutlook()
          }
        }
        return latest
      }
    }
    return await makeOutlook()
  }

  private func makeOutlook() async -> QueueOutlook {
    if let pending = outlooks.pending { return await pending.value() }
    let pending = Completion<QueueOutlook>()
    outlooks.pending = pending
    let stored = await storedQueue()
    let plan = scheduler.outlookPlan(
      running: runningProgress, measurements, judgement: judgement, at: clock.now())
    let outlook = await withCheckedContinuation { made in
      outlookQueue.async {
        let queue = stored?.queue ?? StoredQueue([])
        let further = max(0, (stored?.totalCount ?? 0) - queue.count)
        made.resume(returning: plan.outlook(stored: queue, furtherCount: further))
      }
    }
    outlooks.latest = outlook
    outlooks.pending = nil
    pending.finish(outlook)
    return outlook
  }

  /// Frees what is made again when a client looks.
  package func releaseMemory() {
    if outlooks.pending == nil { outlooks = Outlooks() }
  }

  private var runningProgress: [OutlookPlan.Running] {
    scheduler.machines.values.compactMap { machine in
      switch machine.visibleState {
      case .running, .verifying:
        guard let row = snapshot(of: machine.id) else { return nil }
        return OutlookPlan.Running(
          id: machine.id, bytesReceived: row.bytesReceived, bytesExpected: row.bytesExpected)
      case .idle, .scheduled, .queued, .waiting, .paused, .completed, .failed: return nil
      }
    }.sorted { $0.id < $1.id }
  }

  /// The queued transfers that only the store has; nil if there are none.
  private func storedQueue() async -> Outlooks.Reading? {
    guard scheduler.evictedQueuedCount > 0 else {
      outlooks.stored = nil
      return nil
    }
    let now = clock.now().monotonic
    if let stored = outlooks.stored,
      stored.evictionCount == evictionCount
        || now.milliseconds(since: stored.readAt) < Self.storedMilliseconds
    {
      return stored
    }
    let count = evictionCount
    let result = await withCheckedContinuation { answered in
      outlookQueue.async { [archive] in
        answered.resume(
          returning: Result { StoredQueue(try archive.queue(countMax: Self.simulatedCountMax)) })
      }
    }
    switch result {
    case .success(let queue):
      outlooks.stored = Outlooks.Reading(
        queue: queue, totalCount: scheduler.evictedQueuedCount, readAt: now,
        evictionCount: count)
    case .failure(let error):
      logger.error("The queue cannot be read", metadata: ["error": "\(error)"])
    }
    return outlooks.stored
  }
}
