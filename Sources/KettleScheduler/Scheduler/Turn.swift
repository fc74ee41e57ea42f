import KettleModel

/// The result of one input of the scheduler.
///
/// `now` can be performed at once. `afterCommit` must wait until `changes` are durable: so no byte
/// is trusted that is not on disk, and no file gets its final name before recovery would know it.
package struct Turn: Sendable {
  package var now: [TransferAction] = []
  package var changes: [JournalChange] = []
  package var afterCommit: [TransferAction] = []
  /// Transfers whose record changed.
  package var changed: [TransferID] = []
  /// The records as they were before the removal.
  package var removed: [TransferRecord] = []
  /// Transfers whose server revealed how many connections it accepts.
  package var taught: [(id: TransferID, connectionsMax: Int)] = []

  package init() {}
}

/// An action of the scheduler, performed by the engine.
package enum TransferAction: Sendable, Hashable {
  case beginAttempt(TransferID, AttemptPlan)
  case cancelAttempt(AttemptID)
  /// The attempt needs to deliver bytes only up to this offset.
  case shorten(TransferID, AttemptID, to: Int64)
  case openBody(TransferID, AttemptID, BodyPlan)
  /// The range of the body; nil when only the end of the reply shows its length.
  case acceptBody(TransferID, AttemptID, ByteRange?)
  /// All attempts have ended: sync and close the partial file if one is open.
  case closeBody(TransferID, OperationID)
  case discardPartialFile(TransferID, OperationID, ResumeData)
  case computeDigest(TransferID, OperationID, ResumeData, Checksum.Algorithm)
  case placeFile(TransferID, OperationID, ResumeData, ConflictPolicy)
  case deleteFinishedFile(TransferID, FinishedFile)
  /// Only the store knows which transfer is next in the queue.
  case readLine(QueueRead)
  /// The limit for all attempts of the transfer together.
  case limit(TransferID, bytesPerSecond: Int64?)
}
