import KettleModel

/// What is to be done after one input of the brain.
///
/// `now` can be done at once. `afterCommit` must wait until `changes` are in the store for good:
/// that is how no byte is believed that the disk does not have, and no file gets its final name
/// before recovery would know it.
package struct Turn: Sendable {
  package var now: [BrainAction] = []
  package var changes: [JournalChange] = []
  package var afterCommit: [BrainAction] = []
  /// Transfers whose state, or anything else on record, is another than before.
  package var changed: [TransferID] = []
  /// As they were before they went.
  package var removed: [TransferRecord] = []
  /// Transfers whose server said how many connections it bears.
  package var taught: [(id: TransferID, connectionsMax: Int)] = []

  package init() {}
}

/// What the brain wants done.
package enum BrainAction: Sendable, Hashable {
  case beginAttempt(TransferID, AttemptPlan)
  case cancelAttempt(AttemptID)
  /// An attempt need not bring more than up to here.
  case shorten(TransferID, AttemptID, to: Int64)
  case openBody(TransferID, AttemptID, BodyPlan)
  /// The range is what the body is; nil when only its end tells.
  case letBodyFlow(TransferID, AttemptID, ByteRange?)
  /// The store has it: bytes that are held need not be fetched again, so more may come.
  case confirmHeld(TransferID, HeldRanges)
  /// All attempts are over: sync and close the partial file, if one is open.
  case closeBody(TransferID, OperationID)
  case discardPartialFile(TransferID, OperationID, ResumeData)
  case computeDigest(TransferID, OperationID, ResumeData, Checksum.Algorithm)
  case placeFile(TransferID, OperationID, ResumeData, ConflictPolicy)
  case deleteFinishedFile(TransferID, FinishedFile)
  /// Who is next in line, the store alone knows.
  case readLine(LineRequest)
  /// What all attempts of the transfer together may receive.
  case limit(TransferID, bytesPerSecond: Int64?)
}
