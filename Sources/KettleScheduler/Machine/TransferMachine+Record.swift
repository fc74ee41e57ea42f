import KettleModel

/// What others see of a transfer.
extension TransferMachine {
  package var id: TransferID { facts.id }
  package var spec: TransferSpec { facts.spec }
  var requestSpec: TransferSpec { facts.requestSpec }
  package var taskIdentifier: Int64 { facts.taskIdentifier }
  package var queuePosition: Int64 { facts.queuePosition }
  package var visibleState: TransferState { state.visible }
  package var record: TransferRecord { facts.record(in: state) }
  package var createdAt: WallTime { facts.createdAt }
  package var resumeData: ResumeData? { facts.resumeData }

  /// What the store keeps. Running is stored as queued: after a crash both continue, and a start
  /// then needs no write of its own. A transfer whose partial file is being deleted for a restart
  /// is stored as idle, so that a crash still deletes it.
  package var durableRecord: TransferRecord { durable(record) }

  /// Returns the same, given the record.
  func durable(_ record: TransferRecord) -> TransferRecord {
    var durable = record
    if durable.state == .running || durable.state == .verifying { durable.state = .queued }
    if case .discarding(_, next: .queued) = state { durable.state = .idle }
    state.showEnd(of: facts, in: &durable)
    return durable
  }

  /// Why the transfer waits or failed, or last waited.
  package var failure: TransferFailure? { state.failure ?? facts.lastFailure }

  package var download: ActiveDownload? {
    if case .running(let download) = state { download } else { nil }
  }

  /// Whether the digest or the unpacking with this identifier is awaited.
  package func isVerifying(_ operation: OperationID) -> Bool { state == .verifying(operation) }

  package var occupiesSlot: Bool { state.occupiesSlot }
  package var isAtRest: Bool { state.isAtRest }
  package var waitsForCondition: Bool { state.waitsForCondition }
  var waitsForDiskSpace: Bool { state.waiting?.reason == .diskSpace }
  package var isTask: Bool { facts.isTask }
  package var isFinalTask: Bool { state.isFinalTask(facts) }
  package var isPutAside: Bool { state.isPutAside(facts) }
  package var isBeingRemoved: Bool { state.isBeingRemoved }
  package var pendingChallenge: ServerChallenge? { state.pendingChallenge(facts) }
  package var resumeToken: ResumeToken? { facts.taskStatus?.resumeToken }
  package var isDormant: Bool { state.isDormant(facts) }
  package var deadline: WallTime? { state.deadline(facts) }
  package var wakeUp: WakeUp? { state.wakeUp }

  package func unmetCondition(_ met: Set<TransferCondition>) -> TransferCondition? {
    facts.task?.unmetCondition(met)
  }

  /// The bytes of a task with a token, if a task with this spec may continue them.
  package func resumeData(for spec: TransferSpec) -> ResumeData? {
    state.resumeData(facts, for: spec)
  }
}
