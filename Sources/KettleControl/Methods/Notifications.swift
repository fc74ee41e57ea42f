import KettleModel

/// What the service says by itself: a JSON-RPC notification.
package enum ControlNotification: Hashable, Sendable {
  case viewport(RowWindow)
  case event(TransferEvent)
  case completed(CompletedTransfers)
  /// Events are missing here: what is known of the transfers has to be asked for again.
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

/// Transfers that became completed, those of a while together.
package struct CompletedTransfers: Codable, Hashable, Sendable {
  /// In the order of their ends.
  package var runs: IDRuns

  package init(runs: IDRuns) { self.runs = runs }
}

/// Something that happened to a transfer.
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
  /// As it is after the event; of a removed transfer, as it was before.
  package var snapshot: TransferSnapshot
  /// Since the last progress event of this transfer.
  package var bytesWritten: Int64?
  package var totalBytesWritten: Int64?
  /// -1 when the server did not say, as `NSURLSessionTransferSizeUnknown`.
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
