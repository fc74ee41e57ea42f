import KettleModel

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
  /// In the order of their ends.
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
