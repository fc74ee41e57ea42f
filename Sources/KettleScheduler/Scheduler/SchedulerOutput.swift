import KettleModel

/// The result of one input of the scheduler.
///
/// `now` can be performed at once. `afterCommit` must wait until `changes` are durable: so no byte
/// is trusted that is not on disk, and no file gets its final name before recovery would know it.
package struct SchedulerOutput: Sendable {
  package var now: [TransferAction] = []
  package var changes: [JournalChange] = []
  package var afterCommit: [TransferAction] = []
  /// The part of the queue to read from the store; only the store knows which transfer is next.
  package var queueRead: QueueRead?
  /// Transfers whose record changed.
  package var changed: [TransferID] = []
  /// The records as they were before the removal.
  package var removed: [TransferRecord] = []
  /// Transfers whose server revealed how many connections it accepts.
  package var learnedLimits: [(id: TransferID, connectionsMax: Int)] = []
  /// The limit for all transfers together, if it changed.
  package var totalLimit: TotalLimit.Effective?
  /// The hooks that the changes made due, to be recorded with them.
  package var hooks: [HookDue] = []

  package init() {}

  /// Adds an action where its timing puts it.
  mutating func append(_ action: TransferAction) {
    switch action.timing {
    case .now: now.append(action)
    case .afterCommit: afterCommit.append(action)
    }
  }
}
