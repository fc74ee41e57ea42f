import KettleModel

/// Something that the engine does for a transfer.
///
/// `TransferMachine` returns actions, `TransferScheduler` sorts them by their timing, and
/// `TransferEngine` performs them. No other type describes the same act.
package enum TransferAction: Sendable, Hashable {
  case beginAttempt(TransferID, AttemptPlan)
  case cancelAttempt(AttemptID)
  /// The attempt needs to deliver bytes only up to this offset.
  case shortenAttempt(TransferID, AttemptID, to: Int64)
  case openBody(TransferID, AttemptID, BodyPlan)
  /// Lets the body of an attempt flow into the open partial file. The range is nil when only the
  /// end of the response shows its length.
  case acceptBody(TransferID, AttemptID, ByteRange?)
  /// Keeps the body of an attempt in memory. A longer one fails.
  case acceptDocument(TransferID, AttemptID, RequestPurpose.Document)
  /// Appends the body of an attempt to the open partial file. Its bytes count when it is complete.
  /// `upTo` is nil when only the end of the response shows its length.
  case acceptSegment(TransferID, AttemptID, from: Int64, upTo: Int64?, SegmentKey?)
  /// All attempts have ended: sync and close the partial file if one is open.
  case closeBody(TransferID, OperationID)
  /// Compare the durable bytes of a partial file with their digests.
  case checkBlocks(TransferID, OperationID, ResumeData)
  case computeDigest(TransferID, OperationID, ResumeData, Checksum.Algorithm)
  /// Undoes the content codings of a complete file.
  case unpackFile(TransferID, OperationID, ResumeData)
  /// Send the parts of a complete file to the object store that is its destination.
  case storeFile(TransferID, OperationID, ResumeData)
  /// Read the title of the web page that arrived in place of the file.
  case readTitle(TransferID, ResumeData)
  case placeFile(TransferID, OperationID, ResumeData, ConflictPolicy)
  case discardPartialFile(TransferID, OperationID, ResumeData)
  /// - Parameter binAction: the action whose bin takes the file; nil deletes it.
  case discardFinishedFile(TransferID, FinishedFile, binAction: Int64?)
  /// The limit for all attempts of the transfer together; nil means no limit.
  case limit(TransferID, bytesPerSecond: Int64?)
  /// Add the members of a collection that are not on the list yet, and report when all have ended.
  /// What was read of them before is out of date at once; the work itself waits for the changes.
  case addMembers(TransferID)

  enum Timing: Sendable {
    case now
    /// When the changes of the same input are durable.
    case afterCommit
  }

  /// Nothing is done to a file before the record that names it is durable, so that recovery knows
  /// every byte and every name.
  var timing: Timing {
    switch self {
    case .beginAttempt, .cancelAttempt, .shortenAttempt, .openBody, .acceptDocument, .closeBody,
      .checkBlocks, .computeDigest, .readTitle, .limit, .addMembers:
      .now
    case .acceptBody, .acceptSegment, .unpackFile, .storeFile, .placeFile, .discardPartialFile,
      .discardFinishedFile:
      .afterCommit
    }
  }
}

/// Identifies one digest, unpacking, rename, close or deletion, so that the result of an abandoned
/// one is recognized.
package struct OperationID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The consequence of one input for a transfer.
package struct Transition: Sendable {
  /// The state to enter; nil keeps the present one.
  var state: TransferMachine.State?
  package var actions: [TransferAction] = []
  /// What a refusal showed about the host.
  package var hostHint: HostLimitHint?
  /// Why the control was refused.
  package var refusal: ControlRefusal.Why?

  static let none = Transition()

  static func entering(
    _ state: TransferMachine.State, _ actions: [TransferAction] = []
  ) -> Transition {
    Transition(state: state, actions: actions)
  }

  static func refused(_ refusal: ControlRefusal.Why) -> Transition { Transition(refusal: refusal) }

  /// Cancels the attempts of a download; `next` follows when the last of them has ended.
  static func ending(
    _ download: ActiveDownload, next: TransferMachine.AfterEnding, hostHint: HostLimitHint? = nil
  ) -> Transition {
    Transition(
      state: .ending(.attempts(Set(download.attempts)), next: next),
      actions: download.activeAttempts.map(TransferAction.cancelAttempt), hostHint: hostHint)
  }
}

/// Unused identifiers for what the next step begins.
package struct FreshIDs: Sendable, Hashable {
  package var attempt: AttemptID
  package var operation: OperationID

  package init(attempt: AttemptID, operation: OperationID) {
    self.attempt = attempt
    self.operation = operation
  }
}

/// What is outside of one transfer and affects its decisions.
package struct DecisionContext: Sendable {
  package var retryPolicy: RetryPolicy
  /// 0…1, drawn by the caller.
  package var jitter: Double
  /// Connections of all transfers to the same host, without the one being judged.
  package var otherConnectionCount: Int
  /// Those of them whose responses are being received.
  package var servedConnectionCount = 0
  /// Whether other transfers have taken the place for the request that follows.
  package var isPlaceTaken = false
  /// Whether the host has served a file lately.
  package var hostServesFiles = false
  /// What the failure being judged means for the host, if it got no response.
  package var outage = OutageVerdict.notOfPeer
  package var network: NetworkState
  package var closedHosts = ClosedHosts()
  /// What the user's configuration decides for transfers.
  package var rules = TransferRules()
  package var now: Moment

  package init(
    retryPolicy: RetryPolicy, jitter: Double, otherConnectionCount: Int, network: NetworkState,
    now: Moment
  ) {
    self.retryPolicy = retryPolicy
    self.jitter = jitter
    self.otherConnectionCount = otherConnectionCount
    self.network = network
    self.now = now
  }
}
