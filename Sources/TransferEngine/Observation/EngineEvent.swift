import TransferModel

/// What the engine tells its observer, in the order in which it became true.
package enum EngineEvent: Sendable, Hashable {
  case added(TransferSnapshot)
  case changed(TransferSnapshot)
  /// `bytesWritten` since the last one of this transfer.
  case progress(TransferSnapshot, bytesWritten: Int64)
  /// As it was before.
  case removed(TransferSnapshot)
}

/// How closely somebody looks at the progress.
package enum ProgressCadence: Sendable, Hashable {
  /// A screen is open: ten times a second.
  case live
  /// Nobody looks: often enough to keep the speeds true, and to divide files by them.
  case quiet

  var milliseconds: Int64 {
    switch self {
    case .live: 100
    case .quiet: 250
    }
  }
}

/// One line of what happened to a transfer since the service started.
package struct HistoryItem: Sendable, Hashable {
  package var at: WallTime
  package var text: String
}

/// Everything about one transfer.
package struct EngineDetails: Sendable, Hashable {
  package var snapshot: TransferSnapshot
  package var record: TransferRecord
  package var currentURL: TransferURL?
  package var head: ResponseHead?
  package var history: [HistoryItem]
}

/// Why the engine did not do what it was asked.
package enum EngineError: Error, Sendable, Hashable {
  /// The store cannot be written; nothing was queued.
  case cannotKeep(String)
  case stopping
}
