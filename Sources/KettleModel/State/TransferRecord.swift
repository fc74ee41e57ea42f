/// A transfer, as stored: everything that must survive the service.
public struct TransferRecord: Hashable, Sendable, Identifiable {
  public var id: TransferID
  /// Unique within the session, from 1.
  public var taskIdentifier: Int64
  /// On the heap, so that the many copies of a record are small.
  package private(set) var sharedSpec: CopiedOnWrite<TransferSpec>
  public var createdAt: WallTime
  /// Lower positions start first among equal priorities.
  public var queuePosition: Int64
  public var state: TransferState
  public var reason: WaitingReason?
  public var goesOnAt: WallTime?
  @RarelySet public var resumeData: ResumeData?
  @RarelySet public var finishedFile: FinishedFile?
  /// Why it failed, or, while it waits, the latest error.
  @RarelySet public var failure: TransferFailure?
  public var freshStart: FreshStartReason?
  /// The number of retries since bytes last arrived.
  public var retryCount: Int
  public var finishedAt: WallTime?
  /// A number that increases with every completed transfer, so that "up to now" does not depend on
  /// the clock. Set only while it is completed; records of older versions lack it.
  public var finishNumber: Int64?
  /// Set if and only if `spec.task` is.
  @RarelySet public var task: TaskStatus?

  /// Creates the record of a new transfer.
  public init(
    id: TransferID, taskIdentifier: Int64, spec: TransferSpec, createdAt: WallTime,
    queuePosition: Int64, state: TransferState
  ) {
    self.init(
      id: id, taskIdentifier: taskIdentifier, sharedSpec: CopiedOnWrite(wrappedValue: spec),
      createdAt: createdAt, queuePosition: queuePosition, state: state)
  }

  package init(
    id: TransferID, taskIdentifier: Int64, sharedSpec: CopiedOnWrite<TransferSpec>,
    createdAt: WallTime, queuePosition: Int64, state: TransferState
  ) {
    self.id = id
    self.taskIdentifier = taskIdentifier
    self.sharedSpec = sharedSpec
    self.createdAt = createdAt
    self.queuePosition = queuePosition
    self.state = state
    retryCount = 0
    task = sharedSpec.wrappedValue.task == nil ? nil : TaskStatus()
  }
}

extension TransferRecord {
  public var spec: TransferSpec {
    _read { yield sharedSpec.wrappedValue }
    _modify { yield &sharedSpec.wrappedValue }
  }

  /// Whether it does nothing until a request or its turn in the queue, so that it can be kept in
  /// the store alone. Nearly all transfers of a long list are of this kind.
  ///
  /// A program's tasks stay in memory, because their events are reported to the program as they
  /// occur.
  package var isDormant: Bool {
    guard spec.task == nil else { return false }
    return switch state {
    case .queued, .paused, .completed: true
    case .failed: finishedAt != nil
    // A crash left bytes that must still be deleted.
    case .idle: resumeData == nil
    case .scheduled, .running, .waiting, .verifying: false
    }
  }

  /// Whether it was cleared from view; see `TransferState.isCleared`.
  package func isCleared(upTo clearedUpTo: Int64?) -> Bool {
    state.isCleared(finishNumber: finishNumber, upTo: clearedUpTo)
  }
}
