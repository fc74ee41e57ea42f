import KettleModel

/// Asks a transfer on the list for what a new request for its URL asks, in place of adding another
/// one. It takes over all of it or nothing, and is started if it stands still.
package enum FollowTransfer: ControlMethod {
  package static let name = "transfers.follow"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    /// As for `transfers.add`.
    package var transfer: TransferSpec

    package init(id: TransferID, transfer: TransferSpec) {
      self.id = id
      self.transfer = transfer
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    package enum Outcome: String, Codable, Hashable, Sendable {
      /// The transfer leads to what is asked.
      case follows
      /// A new transfer is needed: the request means another file, the transfer or its file is
      /// gone, or the file was changed.
      case otherFile, transferGone, fileGone, fileChanged
      /// `parts` cannot be taken over any more.
      case tooLate
      /// The finished file has another digest than the checksum that is asked.
      case mismatch
      /// The finished file cannot be read to compare it.
      case unreadable
    }

    package var outcome: Outcome
    /// What was taken over, or what is too late.
    package var parts: [RequestPart]?
    /// For `tooLate`.
    package var state: TransferState?
    /// For `mismatch`: the finished file and its digest.
    package var path: String?
    package var found: String?
    /// For `unreadable`.
    package var error: TransferFailure?

    package init(_ outcome: Outcome, parts: [RequestPart]? = nil) {
      self.outcome = outcome
      self.parts = parts
    }
  }
}

/// A message that the service sends without a request: a JSON-RPC notification.
package enum ControlNotification: Hashable, Sendable {
  case viewport(RowWindow)
  case event(TransferEvent)
  case completed(CompletedTransfers)
  /// Events are missing here: the client must request the state of the transfers again.
  case resynchronise

  package var method: String {
    switch self {
    case .viewport: "viewport"
    case .event: "event"
    case .completed: "completed"
    case .resynchronise: "resynchronise"
    }
  }
}

/// Transfers that became completed, gathered over a while.
package struct CompletedTransfers: Codable, Hashable, Sendable {
  /// In the order in which they became completed.
  package var runs: IDRuns

  package init(runs: IDRuns) { self.runs = runs }
}

/// An event of a transfer.
package struct TransferEvent: Codable, Hashable, Sendable {
  package enum Kind: String, Codable, Sendable, CaseIterable {
    case added
    /// The state or the reason changed; `snapshot` has the new ones.
    case stateChanged
    /// `bytesWritten`, `totalBytesWritten` and `totalBytesExpected` are set.
    case progress
    case removed
  }

  package var kind: Kind
  package var id: TransferID
  package var at: WallTime
  /// The state after the event; for a removed transfer, before it.
  package var snapshot: TransferSnapshot
  /// Since the last progress event of this transfer.
  package var bytesWritten: Int64?
  package var totalBytesWritten: Int64?
  /// -1 if the server did not announce it, as `NSURLSessionTransferSizeUnknown`.
  package var totalBytesExpected: Int64?

  package init(
    kind: Kind, id: TransferID, at: WallTime, snapshot: TransferSnapshot,
    bytesWritten: Int64? = nil, totalBytesWritten: Int64? = nil, totalBytesExpected: Int64? = nil
  ) {
    self.kind = kind
    self.id = id
    self.at = at
    self.snapshot = snapshot
    self.bytesWritten = bytesWritten
    self.totalBytesWritten = totalBytesWritten
    self.totalBytesExpected = totalBytesExpected
  }
}
