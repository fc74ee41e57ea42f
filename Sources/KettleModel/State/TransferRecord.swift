/// One transfer as the store keeps it: everything that must outlive the service.
public struct TransferRecord: Hashable, Sendable, Identifiable {
  public var id: TransferID
  /// Unique within the session, from 1.
  public var taskIdentifier: Int64
  public var spec: TransferSpec
  public var createdAt: WallTime
  /// Smaller starts sooner among equal priorities.
  public var queuePosition: Int64
  public var state: TransferState
  public var reason: WaitingReason?
  public var goesOnAt: WallTime?
  public var resumeData: ResumeData?
  public var finishedFile: FinishedFile?
  /// Why it failed, or what went wrong last while it waits.
  public var failure: TransferFailure?
  public var freshStart: FreshStartReason?
  /// Retries since bytes last arrived.
  public var retryCount: Int
  public var finishedAt: WallTime?
  /// Increases with every completed transfer, so that "up to now" is defined whatever the clock
  /// does. Set only while it is completed; stores from before this number existed lack it.
  public var finishNumber: Int64?
  /// Set exactly when `spec.task` is.
  public var task: TaskStatus?

  /// Creates the record of a new transfer.
  public init(
    id: TransferID, taskIdentifier: Int64, spec: TransferSpec, createdAt: WallTime,
    queuePosition: Int64, state: TransferState
  ) {
    self.id = id
    self.taskIdentifier = taskIdentifier
    self.spec = spec
    self.createdAt = createdAt
    self.queuePosition = queuePosition
    self.state = state
    retryCount = 0
    task = spec.task == nil ? nil : TaskStatus()
  }
}
